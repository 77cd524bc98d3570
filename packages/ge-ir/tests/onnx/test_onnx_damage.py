"""Damaged files: whatever the bytes are, there is a graph that verifies, or one error of the GeError family."""

from __future__ import annotations

import logging
import random

import onnx
import pytest
from ge.error import GeError
from ge.onnx import OnnxImportError, from_model_proto, load_model, to_model_proto

_TEXT = """<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
g (float[2] x, bool c) => (float[2] y, seq(float[N,2]) q) <float[2] w = {1,2}, int64[1] i = {3}, string[1] s = {"a"}> {
    t = local.outer <by = 3.0> (x)
    y = If (c) <then_branch = t () => (float[2] r) { r = Add(t, w) },
                else_branch = e () => (float[2] z) <float[2] own = {5,6}> { qq = Mul(t, own) z = Sub(qq, x) }>
    q = SequenceConstruct(x)
    "", yh = LSTM <hidden_size = 1, activations = ["Tanh"]> (x, w, x, "", "", x)
}
<domain: "local", opset_import: ["" : 17, "local" : 1], doc_string: "calls another">
outer <by> (a) => (b) { b = local.scale <factor: float = @by> (a) }
<domain: "local", opset_import: ["" : 17]>
scale <factor> (a) => (b) { f = Constant <value_float: float = @factor> () b = Mul(a, f) }
"""


def _damaged(data, generator):
    found = bytearray(data)
    for _ in range(generator.choice([1, 1, 2, 4])):
        at = generator.randrange(len(found))
        kind = generator.randrange(4)
        if kind == 0:
            found[at] = generator.randrange(256)
        elif kind == 1:
            del found[at : at + generator.randrange(1, 9)]
        elif kind == 2:
            found[at:at] = generator.randbytes(generator.randrange(1, 5))
        else:
            source = generator.randrange(len(found))
            found[at:at] = found[source : source + generator.randrange(1, 40)]
    return bytes(found)


@pytest.mark.parametrize("seed", range(4))
def test_random_damage(seed):
    data = onnx.parser.parse_model(_TEXT).SerializeToString()
    generator = random.Random(seed)
    loaded = 0
    logging.disable(logging.CRITICAL)
    try:
        for _ in range(2500):
            try:
                graph = load_model(_damaged(data, generator))
                loaded += 1
                graph.verify()
                to_model_proto(graph)
            except GeError as error:
                assert str(error)
    finally:
        logging.disable(logging.NOTSET)
    assert loaded > 20


def _raw(parse, edit):
    """A model with a text that is not UTF-8, as bytes: the message itself would not take one."""
    model = parse("g (float[2] x) => (float[2] y) { y = Relu(x) }")
    edit(model)
    return model.SerializeToString().replace(b"BAD", b"\xff\xfe\xfd")


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (lambda m: setattr(m.graph.node[0], "name", "BAD"), "model.graph.node[0].name"),
        (lambda m: setattr(m.graph.input[0], "name", "BAD"), "model.graph.input[0].name"),
        (lambda m: setattr(m.graph, "name", "BAD"), "model.graph.name"),
        (lambda m: m.opset_import.add(domain="BAD", version=1), "model.opset_import[1].domain"),
        (lambda m: m.graph.node[0].attribute.add(name="BAD", type="INT"), "model.graph.node[0].attribute[0].name"),
        (
            lambda m: m.graph.node[0].attribute.add(name="a", type="INT", ref_attr_name="BAD"),
            "model.graph.node[0].attribute[0].ref_attr_name",
        ),
        (lambda m: m.functions.add(name="BAD", domain="d"), "model.functions[0].name"),
    ],
)
def test_a_name_that_is_no_text(parse, edit, place):
    with pytest.raises(OnnxImportError) as caught:
        load_model(_raw(parse, edit))
    assert str(caught.value) == f"a text of the model is not UTF-8: {place} is b'\\xff\\xfe\\xfd'"


def test_a_symbol_that_is_no_text(parse):
    data = _raw(parse, lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_param", "BAD"))
    with pytest.raises(OnnxImportError, match="graph 'g': value 'x': a text is not UTF-8"):
        load_model(data)


def test_documentation_that_is_no_text_is_repaired_and_noted(parse, caplog):
    def edit(model):
        model.doc_string = "BAD"
        model.metadata_props.add(key="k", value="BAD!")

    made = to_model_proto(load_model(_raw(parse, edit)))
    assert made.doc_string == "\ufffd" * 3
    assert made.metadata_props[0].value == "\ufffd" * 3 + "!"
    assert "a text of the model is not UTF-8, bytes were replaced" in caplog.text


def test_an_unknown_element_type_inside_a_sequence(parse):
    model = parse("g (seq(float[2]) x) => (float[2] y) <int64 i = {0}> { y = SequenceAt(x, i) }")
    model.graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type = 99
    with pytest.raises(OnnxImportError, match="value 'x': ONNX element type 99 is not known; known: 0 to 28"):
        from_model_proto(model)


def test_bodies_nested_very_deep():
    inner = onnx.parser.parse_graph("b () => (float[1] r) { r = Constant <value_floats = [1.0]> () }")
    for _ in range(20):
        outer = onnx.GraphProto(name="b")
        node = outer.node.add(op_type="Op", domain="c", output=["r"])
        node.attribute.add(name="body", type="GRAPH").g.CopyFrom(inner)
        outer.output.add(name="r")
        inner = outer
    model = onnx.ModelProto(ir_version=8, graph=inner)
    model.opset_import.add(domain="", version=17)
    model.opset_import.add(domain="c", version=1)
    graph = from_model_proto(model)
    graph.verify()
    assert len(graph.get_all_subgraphs()) == 20
    assert len(to_model_proto(graph).SerializeToString()) > 100
