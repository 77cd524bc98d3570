"""All fourteen kinds of attributes, and references to attributes of a function."""

from __future__ import annotations

import onnx
import pytest
from ge.graph import AttrValueType as Kind
from onnx import AttributeProto, TensorProto

_TENSOR = TensorProto(dims=[2], data_type=1, raw_data=b"\0\0\x80\x3f\0\0\0\x40")
_SPARSE = onnx.SparseTensorProto(
    values=TensorProto(dims=[1], data_type=1, raw_data=b"\0\0\x80\x3f", name="v"),
    indices=TensorProto(dims=[1], data_type=7, raw_data=b"\1\0\0\0\0\0\0\0"),
    dims=[3],
)
_TYPE = onnx.TypeProto()
_TYPE.sequence_type.elem_type.tensor_type.elem_type = 1
_GRAPH = onnx.parser.parse_graph("b () => (float[1] r) { r = Constant <value_floats = [1.0]> () }")
_GRAPH.node[0].name = "n"

VALUES = {
    "FLOAT": ({"f": 0.1}, Kind.VT_FLOAT32),
    "INT": ({"i": -(2**63)}, Kind.VT_INT),
    "STRING": ({"s": "日本 \0".encode()}, Kind.VT_STRING),
    "TENSOR": ({"t": _TENSOR}, Kind.VT_TENSOR),
    "GRAPH": ({"g": _GRAPH}, None),
    "FLOATS": ({"floats": [0.1, float("inf")]}, Kind.VT_LIST_FLOAT32),
    "INTS": ({"ints": [1, -1]}, Kind.VT_LIST_INT),
    "STRINGS": ({"strings": [b"a", b""]}, Kind.VT_LIST_STRING),
    "TENSORS": ({"tensors": [_TENSOR, _TENSOR]}, Kind.VT_LIST_TENSOR),
    "GRAPHS": ({"graphs": [_GRAPH, _GRAPH]}, None),
    "SPARSE_TENSOR": ({"sparse_tensor": _SPARSE}, Kind.VT_BYTES),
    "SPARSE_TENSORS": ({"sparse_tensors": [_SPARSE]}, Kind.VT_LIST_STRING),
    "TYPE_PROTO": ({"tp": _TYPE}, Kind.VT_TYPE),
    "TYPE_PROTOS": ({"type_protos": [_TYPE]}, Kind.VT_LIST_TYPE),
}
_TEXT = '<ir_version: 8, opset_import: ["" : 17, "c" : 1]> g (float[2] x) => (float[2] y) { y = c.Op(x) }'


def test_every_kind_is_here():
    assert set(VALUES) == set(AttributeProto.AttributeType.keys()) - {"UNDEFINED"}


@pytest.mark.parametrize("kind", list(VALUES))
def test_kind(roundtrip, parse, kind):
    fields, stored = VALUES[kind]
    model = parse(_TEXT)
    attribute = model.graph.node[0].attribute.add(name="a", type=kind, doc_string="about a", **fields)
    graph, made = roundtrip(model)
    assert str(made.graph.node[0].attribute[0]) == str(attribute)
    node = graph.find_node_by_name("Op")
    if stored is None:
        assert [body.name for body in node.subgraphs.values()] == ["b"] * (2 if kind == "GRAPHS" else 1)
    else:
        assert node.get_attr_type("a") is stored


@pytest.mark.parametrize("kind", ["INTS", "FLOATS", "STRINGS", "TENSORS", "TYPE_PROTOS", "GRAPHS", "SPARSE_TENSORS"])
def test_an_empty_list_keeps_its_kind(roundtrip, parse, kind):
    model = parse(_TEXT)
    attribute = model.graph.node[0].attribute.add(name="a", type=kind)
    _, made = roundtrip(model)
    assert made.graph.node[0].attribute[0] == attribute


def test_a_string_that_is_no_text_stays_bytes(roundtrip, parse):
    model = parse(_TEXT)
    model.graph.node[0].attribute.add(name="a", type="STRING", s=b"\xff\xfe")
    model.graph.node[0].attribute.add(name="b", type="STRINGS", strings=[b"\xff", b"ok"])
    graph, made = roundtrip(model)
    assert graph.find_node_by_name("Op").get_attr("a") == b"\xff\xfe"
    assert list(made.graph.node[0].attribute) == list(model.graph.node[0].attribute)


@pytest.mark.parametrize("kind", list(VALUES))
def test_references_keep_their_kind(roundtrip, parse, kind):
    model = parse(
        '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[2] x) => (y) { y = l.f(x) } '
        '<domain: "l", opset_import: ["" : 17, "c" : 1]> f <outer> (a) => (b) { b = c.Op(a) }'
    )
    attribute = model.functions[0].node[0].attribute.add(name="a", type=kind, ref_attr_name="outer")
    graph, made = roundtrip(model, check=False)
    assert made.functions[0].node[0].attribute[0] == attribute
    node = graph.get_subgraph("l::f").find_node_by_name("Op")
    assert node.get_attr_type("a") is Kind.VT_REFERENCE
    assert node.get_attr("a")[0] == "outer"


def test_order_is_kept(roundtrip, parse):
    model = parse(_TEXT)
    for name in ("z", "a", "m"):
        model.graph.node[0].attribute.add(name=name, type="INT", i=1)
    _, made = roundtrip(model)
    assert [attribute.name for attribute in made.graph.node[0].attribute] == ["z", "a", "m"]
