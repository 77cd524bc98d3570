"""Attributes of graphs, nodes, inputs and outputs."""

from __future__ import annotations

import numpy as np
import pytest
from ge.graph import AttrValueType, DataType, Graph, Tensor


@pytest.fixture
def node():
    return Graph("g").create_node("Relu", name="r", output_count=2)


VALUES = [
    0,
    -(2**63),
    2**63 - 1,
    1.5,
    float("inf"),
    "",
    "text é 漢 \0 end",
    True,
    False,
    b"\xff\0\x01",
    DataType.DT_BF16,
    [1, 2, -3],
    [0.5, -1.5],
    ["a", "", "b\0c"],
    [True, False],
    [DataType.DT_FLOAT, DataType.DT_INT4],
    [[1, 2], [], [3]],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_round_trip_keeps_value_and_type(node, value):
    for owner in (node, node.graph):
        owner.set_attr("k", value)
        found = owner.get_attr("k")
        assert found == value and type(found) is type(value)
        if isinstance(value, list):
            assert [type(item) for item in found] == [type(item) for item in value]


def test_kinds(node):
    node.set_attr("dtypes", [DataType.DT_FLOAT])
    node.set_attr("rows", [[1]])
    node.set_attr("flag", True)
    assert node.get_attr_type("dtypes") is AttrValueType.VT_LIST_DATA_TYPE
    assert node.get_attr_type("rows") is AttrValueType.VT_LIST_LIST_INT
    assert node.get_attr_type("flag") is AttrValueType.VT_BOOL
    assert node.attr_names == ["dtypes", "rows", "flag"]


def test_tuples_and_numpy_values_are_taken_as_python_values(node):
    node.set_attr("a", (1, 2))
    node.set_attr("b", np.int32(7))
    node.set_attr("c", np.array([[1, 2], [3, 4]]))
    node.set_attr("d", np.float32(0.5))
    assert [node.get_attr(key) for key in "abcd"] == [[1, 2], 7, [[1, 2], [3, 4]], 0.5]


def test_tensors_are_shared(node, no_leak):
    tensor = Tensor([1.0, 2.0])
    node.set_attr("value", tensor)
    node.set_attr("list", [tensor, tensor])
    assert node.get_attr("value") == tensor
    assert node.get_attr("list") == [tensor, tensor]
    assert node.get_attr("value").get_data() == [1.0, 2.0]
    node.remove_attr("value")
    node.remove_attr("list")
    assert not node.has_attr("value")


def test_text_that_is_not_utf8_comes_back_as_bytes(node):
    node.set_attr("k", b"\xff\xfe", kind=AttrValueType.VT_STRING)
    assert node.get_attr("k") == b"\xff\xfe"
    assert node.get_attr_type("k") is AttrValueType.VT_STRING


def test_other_kinds_can_be_asked_for(node):
    node.set_attr("empty", [], kind=AttrValueType.VT_LIST_STRING)
    node.set_attr("float", 1, kind=AttrValueType.VT_FLOAT32)
    node.set_attr("type", "seq(tensor(float))", kind=AttrValueType.VT_TYPE)
    node.set_attr("ref", ("alpha", AttrValueType.VT_FLOAT), kind=AttrValueType.VT_REFERENCE)
    assert node.get_attr("empty") == []
    assert node.get_attr_type("empty") is AttrValueType.VT_LIST_STRING
    assert (node.get_attr("float"), node.get_attr_type("float")) == (1.0, AttrValueType.VT_FLOAT32)
    assert node.get_attr("type") == "seq(tensor(float))"
    assert node.get_attr("ref") == ("alpha", AttrValueType.VT_FLOAT)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "Empty list is not supported"),
        ([1, 2.0], "Unsupported attribute type list of float, int"),
        ([1, True], "Unsupported attribute type list of bool, int"),
        ([DataType.DT_FLOAT, 1], "Unsupported attribute type list of DataType, int"),
        ({"a": 1}, "Unsupported attribute type dict"),
        (None, "Unsupported attribute type NoneType"),
        ([[1], [0.5]], "Unsupported attribute type list of list"),
        (2**63, "outside the range of a signed 64-bit integer"),
    ],
    ids=repr,
)
def test_values_without_a_kind(node, value, words):
    with pytest.raises(ValueError, match=words):
        node.set_attr("k", value)
    assert not node.has_attr("k")


def test_a_value_that_does_not_fit_the_kind_asked_for(node):
    with pytest.raises(ValueError, match=r"VT_INT needs int, found str: 'x'"):
        node.set_attr("k", "x", kind=AttrValueType.VT_INT)
    with pytest.raises(ValueError, match=r"VT_LIST_INT needs a list, found int"):
        node.set_attr("k", 1, kind=AttrValueType.VT_LIST_INT)
    with pytest.raises(TypeError, match="kind must be an AttrValueType"):
        node.set_attr("k", 1, kind=1)


@pytest.mark.parametrize("call", ["get_attr", "has_attr", "get_attr_type", "remove_attr", "find_attr"])
def test_keys_must_be_text(node, call):
    for owner in (node, node.graph):
        with pytest.raises(TypeError, match="attribute key must be str, found int: 3"):
            getattr(owner, call)(3)
        with pytest.raises(TypeError, match="attribute key must be str, found NoneType"):
            owner.set_attr(None, 1)


def test_a_missing_attribute_names_key_and_owner(node):
    with pytest.raises(RuntimeError, match=r"'r'.*'nope'"):
        node.get_attr("nope")
    with pytest.raises(RuntimeError, match=r"'g'.*'nope'"):
        node.graph.get_attr("nope")
    with pytest.raises(RuntimeError, match="nope"):
        node.remove_attr("nope")
    assert node.find_attr("nope") is None
    assert node.find_attr("nope", 4) == 4
    assert not node.has_attr("nope")


def test_attributes_of_inputs_and_outputs(node):
    graph = node.graph
    reader = graph.create_node("Neg", [node])
    reader.set_input_attr("k", 0, "in")
    node.set_output_attr("k", 1, [1, 2])
    assert reader.get_input_attr("k", 0) == "in"
    assert node.get_output_attr("k", 1) == [1, 2]
    with pytest.raises(RuntimeError, match="'k'"):
        node.get_output_attr("k", 0)
    with pytest.raises(RuntimeError, match="2"):
        node.get_output_attr("k", 2)
    for call in (node.get_output_attr, reader.get_input_attr):
        with pytest.raises(TypeError, match="attribute name must be str"):
            call(1, 0)
        with pytest.raises(TypeError, match="index must be int"):
            call("k", "0")
    with pytest.raises(TypeError, match="index must be int"):
        node.set_output_attr("k", None, 1)
