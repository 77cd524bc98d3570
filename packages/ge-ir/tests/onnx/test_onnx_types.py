"""The text form of types, and types of values in both directions."""

from __future__ import annotations

import onnx
import pytest
from ge.graph import DataType
from ge.onnx._type_text import ELEMENTS, Dim, TypeInfo, format_type, parse_type
from ge.onnx._types import NOTHING, fill_type_proto, item_from_proto, text_from_proto, type_proto_from_text
from hypothesis import given
from hypothesis import strategies as st

_names = st.text(max_size=6)
_dims = st.builds(Dim, st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), _names), _names)
_elements = st.sampled_from(sorted(ELEMENTS))
_tensors = st.builds(
    TypeInfo,
    st.sampled_from(["tensor", "sparse_tensor"]),
    element=_elements,
    dims=st.one_of(st.none(), st.lists(_dims, max_size=4).map(tuple)),
    denotation=_names,
)
_leaves = st.one_of(
    _tensors,
    st.builds(TypeInfo, st.just("opaque"), names=st.tuples(_names, _names), denotation=_names),
    st.builds(TypeInfo, st.just("unset"), denotation=_names),
)
_types = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(TypeInfo, st.sampled_from(["seq", "optional"]), inner=inner, denotation=_names),
        st.builds(TypeInfo, st.just("map"), element=_elements, inner=inner, denotation=_names),
    ),
    max_leaves=4,
)


@given(_types)
def test_text_and_proto_say_the_same(info):
    text = format_type(info)
    assert parse_type(text) == info
    proto = onnx.TypeProto()
    type_proto_from_text(proto, text)
    assert text_from_proto(proto) == text
    copy = onnx.TypeProto.FromString(proto.SerializeToString())
    assert text_from_proto(copy) == text


@given(_types)
def test_a_descriptor_with_its_text_gives_the_type_back(info):
    proto = onnx.TypeProto()
    type_proto_from_text(proto, format_type(info))
    item, exact = item_from_proto(proto)
    made = onnx.TypeProto()
    wrote = fill_type_proto(made, item, None if exact else text_from_proto(proto))
    assert made == proto
    assert wrote == (proto.WhichOneof("value") is not None or bool(proto.denotation))


def test_the_text_does_not_count_once_the_descriptor_changed():
    proto = onnx.TypeProto()
    type_proto_from_text(proto, 'tensor(float,[2@"DATA_BATCH"])')
    item, exact = item_from_proto(proto)
    assert not exact
    changed = (item[0], *item[1:4], (3,), *item[5:])
    made = onnx.TypeProto()
    assert fill_type_proto(made, changed, text_from_proto(proto))
    assert text_from_proto(made) == "tensor(float,[3])"


def test_descriptors():
    proto = onnx.TypeProto()
    assert item_from_proto(proto) == (NOTHING, True)
    type_proto_from_text(proto, 'tensor(int4,[2,"N",?,0])')
    item, exact = item_from_proto(proto)
    assert exact
    assert (item[0], item[3], item[4], item[5]) == (DataType.DT_INT4, 1, (2, -1, -1, 0), (None, "N", None, None))
    proto.Clear()
    type_proto_from_text(proto, "tensor(bool,[])")
    assert item_from_proto(proto)[0][3:5] == (1, ())
    proto.Clear()
    type_proto_from_text(proto, "seq(map(int64,tensor(float)))")
    assert item_from_proto(proto)[0][8] == "seq(map(int64,tensor(float)))"


def test_names_of_elements_are_those_of_onnx():
    known = {number: name.lower() for name, number in onnx.TensorProto.DataType.items()}
    assert known.items() <= ELEMENTS.items() or ELEMENTS.items() <= known.items()


@pytest.mark.parametrize(
    ("text", "column", "expected", "found"),
    [
        ("", 1, "a type", "the end"),
        ("list(tensor(float))", 1, "tensor, sparse_tensor, seq, optional, map or opaque", "'list(tensor('"),
        ("tensor float", 7, "'('", "'float'"),
        ("tensor(half)", 8, "an element type such as float or int64", "'half)'"),
        ("tensor(float,[N])", 15, "a size, a symbol in double quotes or ?", "'N])'"),
        ("tensor(float,[2 3])", 16, "','", "'3])'"),
        ("tensor(float", 13, "')'", "the end"),
        ("seq(tensor(float)) x", 19, "the end", "'x'"),
        ("map(int64)", 10, "','", "')'"),
        ("tensor(float)@IMAGE", 15, "a string in double quotes", "'IMAGE'"),
        ("opaque(a,b)", 8, "a string in double quotes", "'a,b)'"),
    ],
)
def test_a_mistake_is_shown_with_its_column(text, column, expected, found):
    with pytest.raises(ValueError) as caught:
        parse_type(text)
    assert str(caught.value) == f"type text {text!r}: column {column}: expected {expected}, found {found}"


def test_nesting_is_limited():
    with pytest.raises(ValueError, match="at most 64 nested types"):
        parse_type("seq(" * 100 + "tensor(float)" + ")" * 100)


@pytest.mark.parametrize(
    "text",
    [
        "seq(tensor(float))",
        'optional(seq(tensor(string,["N"])))',
        'map(int64,tensor(float,[2])@"x")',
        "sparse_tensor(float,[2,2])",
        'opaque("d","n")',
        'tensor(float,[2@"DATA_BATCH",3])@"IMAGE"',
        'tensor(float,[""])',
        "tensor(float)",
    ],
)
def test_types_of_inputs_and_outputs_survive(roundtrip, parse, text):
    model = parse("g (float[2] x) => (float[2] y) { y = Identity(x) }")
    for value in (model.graph.input[0], model.graph.output[0]):
        value.type.Clear()
        type_proto_from_text(value.type, text)
    _, made = roundtrip(model, check=False)
    assert made.graph.input[0] == model.graph.input[0]
    assert made.graph.output[0] == model.graph.output[0]
