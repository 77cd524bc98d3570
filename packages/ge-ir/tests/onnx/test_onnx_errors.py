"""Models that cannot be read: one error each, that says what, where, expected and found."""

from __future__ import annotations

import onnx
import pytest
from ge.error import GeError
from ge.es._schema_registry import UnknownOperatorError
from ge.onnx import OnnxImportError, from_model_proto, load_model

_HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'


def _load(data):
    return load_model(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "the given bytes is not an ONNX model, or is truncated: expected an ir_version; it is empty"),
        (b"<html>no such file</html>", "starts with b'<html>no such fi'"),
        (b"PK\x03\x04" + bytes(40), "it has 44 bytes"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid",
            "it is a Git LFS pointer; fetch the file with: git lfs pull",
        ),
        (b"\x08\x08", "expected a graph; it has 2 bytes and starts with b'\\x08\\x08'"),
        (b"\xff" * 64, "is not an ONNX model, or is truncated"),
    ],
    ids=["empty", "html", "zip", "lfs", "no graph", "noise"],
)
def test_not_onnx(data, text):
    with pytest.raises(OnnxImportError) as caught:
        load_model(data)
    assert text in str(caught.value)
    assert isinstance(caught.value, GeError)


def test_every_truncation_of_a_model_is_an_import_error_or_a_smaller_model(parse):
    """Protobuf has no length at the top: a cut at a border of fields may leave a valid, smaller message."""
    model = parse(_HEAD + "g (float[2] x) => (float[2] y) <float[2] w = {1,2}> { t = Add(x, w) y = Relu(t) }")
    data = model.SerializeToString()
    refused = 0
    for end in range(len(data)):
        try:
            load_model(data[:end])
        except GeError as error:
            refused += 1
            assert str(error)
    assert refused >= len(data) - 4


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(OnnxImportError, match=r"cannot read model '.*none\.onnx': No such file or directory"):
        load_model(tmp_path / "none.onnx")
    with pytest.raises(OnnxImportError, match="Is a directory"):
        load_model(tmp_path)


def test_the_file_is_named(tmp_path):
    path = tmp_path / "a b.onnx"
    path.write_bytes(b"not onnx")
    with pytest.raises(OnnxImportError) as caught:
        load_model(path)
    assert str(caught.value).startswith(f"{str(path)!r} is not an ONNX model, or is truncated: ")


@pytest.mark.parametrize("source", [1, None, [], onnx.GraphProto()])
def test_no_model_at_all(source):
    with pytest.raises(TypeError, match=r"expected a path, bytes or onnx\.ModelProto, found"):
        load_model(source)


CASES = {
    "cycle": (
        "g (float[2] x) => (float[2] y) { [one] a = Add(x, c) [two] b = Neg(a) [three] c = Abs(b) y = Relu(c) }",
        "graph 'g': nodes depend on each other in a cycle: node 'two' (Neg) -> node 'three' (Abs) -> node "
        "'one' (Add) -> "
        "node 'two' (Neg)",
    ),
    "self": (
        "g (float[2] x) => (float[2] y) { y = Add(x, y) }",
        "graph 'g': nodes depend on each other in a cycle: node (Add) giving 'y' -> node (Add) giving 'y'",
    ),
    "undefined": (
        "g (float[2] image) => (float[2] y) { [n] y = Add(image, imagee) }",
        "graph 'g': node 'n' (Add) reads 'imagee', which no input, initializer or node defines; did you mean 'image'?",
    ),
    "undefined output": (
        "g (float[2] x) => (float[2] zzz) { y = Neg(x) }",
        "graph 'g': output 0 reads 'zzz', which no input, initializer or node defines",
    ),
    "undefined in a body": (
        "g (bool c) => (float[2] y) { [i] y = If (c) <then_branch = t () => (float[2] r) { r = Neg(q) }, "
        "else_branch = e () => (float[2] r) { r = Constant <value_floats = [1.0, 2.0]> () }> }",
        "graph 'g', node 'i' (If), then_branch: node (Neg) giving 'r' reads 'q', which no input, initializer "
        "or node defines",
    ),
    "two producers": (
        "g (float[2] x) => (float[2] y) { [a] y = Neg(x) [b] y = Abs(x) }",
        "graph 'g': value 'y' is defined twice: by node 'a' (Neg) and by node 'b' (Abs)",
    ),
    "producer and input": (
        "g (float[2] x) => (float[2] x) { [a] x = Neg(x) }",
        "graph 'g': value 'x' is defined twice: by an input or initializer and by node 'a' (Neg)",
    ),
    "input twice": (
        "g (float[2] x, float[2] x) => (float[2] y) { y = Neg(x) }",
        "graph 'g': input 'x' is defined twice",
    ),
    "initializer twice": (
        "g () => (float[1] w) <float[1] w = {1}, float[1] w = {2}> { }",
        "graph 'g': initializer 'w' is defined twice",
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_invalid_graph(parse, case):
    text, message = CASES[case]
    model = parse(_HEAD + text)
    with pytest.raises(OnnxImportError) as caught:
        from_model_proto(model)
    assert str(caught.value) == message


UNKNOWN = {
    "misspelt": (
        _HEAD + "g (float[2] x) => (float[2] y) { [n] y = Reluu(x) }",
        "graph 'g': node 'n' (Reluu): operator 'Reluu' is not in domain 'ai.onnx' at opset 17; did you mean "
        "'Relu' or 'PRelu' "
        "or 'Elu'?",
    ),
    "newer": (
        _HEAD + "g (float[2] x) => (float[2] y) { [n] y = Gelu(x) }",
        "graph 'g': node 'n' (Gelu): operator 'Gelu' of domain 'ai.onnx' exists from opset 20 on, expected at opset 17",
    ),
    "other domain": (
        '<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3]> g (float[2] x) => (y) { [n] y = '
        "ai.onnx.ml.Scalar(x) }",
        "graph 'g': node 'n' (ai.onnx.ml::Scalar): operator 'Scalar' is not in domain 'ai.onnx.ml' at opset "
        "3; did you mean "
        "'Scaler'?",
    ),
    "engine operator": (
        _HEAD + "g (float[2] x) => (float[2] y) { [n] y = Variable(x) }",
        "graph 'g': node 'n' (Variable): 'Variable' is an operator of the graph engine; in a file its domain is 'ge'",
    ),
}


@pytest.mark.parametrize("case", list(UNKNOWN))
def test_unknown_operator(parse, case):
    text, message = UNKNOWN[case]
    with pytest.raises(UnknownOperatorError) as caught:
        from_model_proto(parse(text))
    assert str(caught.value) == message
    assert isinstance(caught.value, GeError)


def test_a_domain_without_an_opset(parse):
    model = parse('<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (y) { [n] y = com.x.Op(x) }')
    with pytest.raises(OnnxImportError) as caught:
        from_model_proto(model)
    assert str(caught.value) == (
        "graph 'g': node 'n' (com.x::Op): no opset is imported for domain 'com.x' (imported: 'ai.onnx')"
    )


def test_two_opsets_of_one_domain(parse):
    model = parse('<ir_version: 8, opset_import: ["" : 17, "ai.onnx" : 13]> g (float[2] x) => (y) { y = Neg(x) }')
    with pytest.raises(OnnxImportError, match=r"the model imports two opsets of domain 'ai\.onnx': 17 and 13"):
        from_model_proto(model)


def test_a_function_that_reads_from_outside(parse):
    model = parse(
        '<ir_version: 8, opset_import: ["" : 17, "l" : 1]> g (float[2] x) => (y) { y = l.f(x) } '
        '<domain: "l", opset_import: ["" : 17]> f (a) => (b) { b = Add(a, x) }'
    )
    with pytest.raises(OnnxImportError, match=r"function 'l::f' reads values that it does not define: \['x'\]"):
        from_model_proto(model)
    model.functions[0].node[0].input[1] = "a"
    model.functions.append(model.functions[0])
    with pytest.raises(OnnxImportError, match="function 'l::f' is defined twice"):
        from_model_proto(model)


def test_an_attribute_without_a_kind(parse):
    model = parse(_HEAD + "g (float[2] x) => (float[2] y) { [n] y = Neg(x) }")
    model.graph.node[0].attribute.add(name="a")
    with pytest.raises(OnnxImportError) as caught:
        from_model_proto(model)
    assert str(caught.value).startswith(
        "graph 'g': node 'n' (Neg): attribute 'a' has kind 0, expected one of FLOAT, INT"
    )


def test_an_annotation_of_nothing(parse):
    model = parse(_HEAD + "g (float[2] x) => (float[2] y) { y = Neg(x) }")
    model.graph.quantization_annotation.add(tensor_name="xx")
    with pytest.raises(OnnxImportError, match="quantization annotation for 'xx', which is no value of the graph"):
        from_model_proto(model)


def test_an_unknown_element_type_names_the_value(parse):
    model = parse(_HEAD + "g (float[2] x) => (float[2] y) { y = Neg(x) }")
    model.graph.input[0].type.tensor_type.elem_type = 77
    with pytest.raises(OnnxImportError, match="graph 'g': value 'x': ONNX element type 77 is not known"):
        from_model_proto(model)


def test_nothing_is_left_behind(parse, no_leak):
    for text, _ in CASES.values():
        with pytest.raises(OnnxImportError):
            from_model_proto(parse(_HEAD + text))
