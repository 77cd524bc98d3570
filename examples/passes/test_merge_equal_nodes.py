"""Each way the pass fires and each way it must not, and that the numbers stay."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from ge.onnx import load_model, to_model_proto
from ge.passes import apply_pass
from merge_equal_nodes import MergeEqualNodes


def model(body, outputs="float[2,4] y"):
    """A model of one input ``x`` at opset 11, from its text form."""
    text = f'<ir_version: 6, opset_import: ["" : 11]> equal (float[2,4] x) => ({outputs}) {{ {body} }}'
    return onnx.parser.parse_model(text)


def run(proto, x):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def types(graph):
    return sorted(node.type for node in graph.get_direct_nodes() if node.type not in ("Data", "NetOutput"))


FIRES = {
    "two readers of one input": ("a = Relu(x) b = Relu(x) y = Add(a, b)", ["Add", "Relu"]),
    "equal subtrees": (
        "a = Relu(x) b = Neg(a) c = Relu(x) d = Neg(c) y = Add(b, d)",
        ["Add", "Neg", "Relu"],
    ),
    "equal attributes": (
        "a = LeakyRelu<alpha = 0.5>(x) b = LeakyRelu<alpha = 0.5>(x) y = Add(a, b)",
        ["Add", "LeakyRelu"],
    ),
    "equal constants": (
        "k = Constant<value = float {2.0}>() l = Constant<value = float {2.0}>() "
        "a = Mul(x, k) b = Mul(x, l) y = Add(a, b)",
        ["Add", "Constant", "Mul"],
    ),
    "three of a kind": ("a = Relu(x) b = Relu(x) c = Relu(x) y = Sum(a, b, c)", ["Relu", "Sum"]),
}


@pytest.mark.parametrize(("body", "left"), FIRES.values(), ids=FIRES.keys())
def test_fires_and_keeps_the_numbers(body, left):
    proto = model(body)
    graph = load_model(proto)
    report = apply_pass(graph, MergeEqualNodes)
    assert report["MergeEqualNodes"].rewrites == 1 and report.changed
    assert types(graph) == left
    graph.verify()
    x = np.linspace(-4, 4, 8, dtype="float32").reshape(2, 4)
    np.testing.assert_array_equal(run(to_model_proto(graph), x)[0], run(proto, x)[0])


DOES_NOT_FIRE = {
    "another operator": ("a = Relu(x) b = Neg(x) y = Add(a, b)", "float[2,4] y"),
    "other attributes": ("a = LeakyRelu<alpha = 0.5>(x) b = LeakyRelu<alpha = 0.25>(x) y = Add(a, b)", "float[2,4] y"),
    "other constants": (
        "k = Constant<value = float {2.0}>() l = Constant<value = float {3.0}>() "
        "a = Mul(x, k) b = Mul(x, l) y = Add(a, b)",
        "float[2,4] y",
    ),
    "constants of other types": (
        "k = Constant<value = float {0.0}>() l = Constant<value = int32 {0}>() m = Cast<to = 1>(l) a = Mul(x, k) "
        "b = Mul(x, m) y = Add(a, b)",
        "float[2,4] y",
    ),
    "inputs in another order": ("n = Neg(x) a = Sub(x, n) b = Sub(n, x) y = Add(a, b)", "float[2,4] y"),
    "random numbers": ("a = RandomNormalLike(x) b = RandomNormalLike(x) y = Add(a, b)", "float[2,4] y"),
    "both are outputs": ("y = Relu(x) z = Relu(x)", "float[2,4] y, float[2,4] z"),
}


@pytest.mark.parametrize(("body", "outputs"), DOES_NOT_FIRE.values(), ids=DOES_NOT_FIRE.keys())
def test_does_not_fire(body, outputs):
    graph = load_model(model(body, outputs))
    before = graph.to_text()
    report = apply_pass(graph, MergeEqualNodes)
    assert report["MergeEqualNodes"].rewrites == 0 and not report.changed
    assert graph.to_text() == before


def test_reads_from_a_body_follow():
    """A body of an If that reads the merged node from outside reads the one that stays."""
    body = (
        "c = Constant<value = bool {1}>() a = Relu(x) b = Relu(x) z = Add(a, b) "
        "y = If(c)<then_branch = t () => (float[2,4] p) { p = Mul(b, z) }, "
        "else_branch = e () => (float[2,4] q) { q = Neg(b) }>"
    )
    proto = model(body)
    graph = load_model(proto)
    apply_pass(graph, MergeEqualNodes)
    assert types(graph).count("Relu") == 1
    graph.verify()
    x = np.linspace(-4, 4, 8, dtype="float32").reshape(2, 4)
    np.testing.assert_array_equal(run(to_model_proto(graph), x)[0], run(proto, x)[0])
