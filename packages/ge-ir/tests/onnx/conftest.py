"""Helpers for models in text form."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="ge.onnx needs the onnx package (extra ge-ir[onnx])")


def _run_ort(model, feeds):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Its own rewrites have bugs of their own, and would hide what the export did.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def run_model(model, feeds):
    """Outputs of a model by ONNX Runtime, where it is installed and can, else by the reference; None if neither can."""
    from onnx.reference import ReferenceEvaluator

    np.random.seed(0)
    for run in (_run_ort, lambda model, feeds: ReferenceEvaluator(model).run(None, feeds)):
        try:
            return run(model, feeds)
        except Exception:
            continue
    return None


def same_values(left, right):
    """Equal to the bit, also through sequences, maps and None."""
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same_values, left, right))
    if left is None or isinstance(left, dict):
        return left == right
    left, right = np.asarray(left), np.asarray(right)
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        return False
    return bool((left == right).all()) if left.dtype == object else left.tobytes() == right.tobytes()


def parse_text(text):
    """A model from ONNX text. What stands before the first ``<`` may be left out: IR 8 and opset 17."""
    if not text.lstrip().startswith("<"):
        text = '<ir_version: 8, opset_import: ["" : 17]>\n' + text
    return onnx.parser.parse_model(text)


@pytest.fixture
def parse():
    return parse_text


@pytest.fixture
def run():
    return run_model


@pytest.fixture
def roundtrip():
    """Imports a model or text, verifies the graph, exports and checks it; gives the graph and the new model."""
    from ge.onnx import from_model_proto, to_model_proto

    def trip(model, check=True):
        if isinstance(model, str):
            model = parse_text(model)
        graph = from_model_proto(model)
        graph.verify()
        made = to_model_proto(graph)
        if check:
            onnx.checker.check_model(made)
        # A second trip changes nothing any more: the form is stable.
        again = to_model_proto(from_model_proto(made))
        assert again.SerializeToString(deterministic=True) == made.SerializeToString(deterministic=True)
        return graph, made

    return trip


@pytest.fixture
def same():
    return same_values
