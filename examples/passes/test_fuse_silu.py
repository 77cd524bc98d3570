"""Each way the pass fires and each way it must not, and that the numbers stay."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from fuse_silu import FuseSilu
from ge.onnx import infer_shapes, load_model, to_model_proto
from ge.passes import apply_pass


def model(body, dtype="float", outputs="float[2,3] y"):
    """A model of one input ``x`` at opset 11, from its text form."""
    opset = 'opset_import: ["" : 11, "com.microsoft" : 1]'
    text = f"<ir_version: 6, {opset}> silu ({dtype}[2,3] x) => ({outputs.replace('float', dtype)}) {{ {body} }}"
    return onnx.parser.parse_model(text)


def run(proto, x):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def types(graph):
    return [node.type for node in graph.topological_order() if node.type not in ("Data", "NetOutput")]


FIRES = {
    "right": "s = Sigmoid(x) y = Mul(x, s)",
    "left": "s = Sigmoid(x) y = Mul(s, x)",
}


@pytest.mark.parametrize("body", FIRES.values(), ids=FIRES.keys())
def test_fires_and_keeps_the_numbers(body):
    proto = model(body)
    graph = load_model(proto)
    report = apply_pass(graph, FuseSilu)
    assert report["FuseSilu"].rewrites == 1 and report.changed
    assert types(graph) == ["QuickGelu"] and graph.output_names == ["y"]
    x = np.array([[-100.0, -3.0, -0.5], [0.0, 2.0, 88.0]], dtype="float32")
    np.testing.assert_allclose(run(to_model_proto(graph), x)[0], run(proto, x)[0], rtol=1e-5, atol=1e-6)


def test_fires_along_a_chain():
    proto = model("a = Sigmoid(x) b = Mul(x, a) c = Sigmoid(b) y = Mul(c, b)")
    graph = load_model(proto)
    infer_shapes(graph)
    assert apply_pass(graph, FuseSilu).rewrites == 2
    assert types(graph) == ["QuickGelu", "QuickGelu"]
    x = np.linspace(-4, 4, 6, dtype="float32").reshape(2, 3)
    np.testing.assert_allclose(run(to_model_proto(graph), x)[0], run(proto, x)[0], rtol=1e-5, atol=1e-6)


DOES_NOT_FIRE = {
    "the operands differ": ("n = Neg(x) s = Sigmoid(n) y = Mul(x, s)", "float", "float[2,3] y"),
    "another operator": ("s = Tanh(x) y = Mul(x, s)", "float", "float[2,3] y"),
    "no product": ("s = Sigmoid(x) y = Add(x, s)", "float", "float[2,3] y"),
    "squared sigmoid": ("s = Sigmoid(x) y = Mul(s, s)", "float", "float[2,3] y"),
    "no float32": ("s = Sigmoid(x) y = Mul(x, s)", "float16", "float[2,3] y"),
    "type not inferred": ("a = Neg(x) s = Sigmoid(a) y = Mul(a, s)", "float", "float[2,3] y"),
    "another reader": ("s = Sigmoid(x) p = Mul(x, s) y = Sub(p, s)", "float", "float[2,3] y"),
    "the sigmoid is an output": ("s = Sigmoid(x) y = Mul(x, s)", "float", "float[2,3] y, float[2,3] s"),
}


@pytest.mark.parametrize(("body", "dtype", "outputs"), DOES_NOT_FIRE.values(), ids=DOES_NOT_FIRE.keys())
def test_does_not_fire(body, dtype, outputs):
    graph = load_model(model(body, dtype, outputs))
    before = graph.to_text()
    report = apply_pass(graph, FuseSilu)
    assert report["FuseSilu"].rewrites == 0 and not report.changed
    assert graph.to_text() == before
