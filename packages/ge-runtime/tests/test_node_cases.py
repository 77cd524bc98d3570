"""Every operator case of the onnx package through import, split and execution, against plain ONNX Runtime."""

from __future__ import annotations

import warnings
from typing import Any

import onnx
import pytest
from ge.onnx import from_model_proto, infer_shapes
from ge.partition import DynamicShapePartitioner, PartitionRules
from ge.runtime import compile_model
from model_cases import assert_same, plain_session

# Results of these differ from run to run.
RANDOM = ("bernoulli", "random", "multinomial", "training_dropout", "dropout_random")
# Least share of the cases that ONNX Runtime itself can run: fewer would mean that the loop below tests nothing.
LEAST_RUN = 500


def cases() -> list[Any]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for case in collect_testcases(None) if not any(word in case.name for word in RANDOM)]


def feed_of(case: Any) -> dict[str, Any]:
    inputs, _outputs = case.data_sets[0]
    values = (onnx.numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for v in inputs)
    return {item.name: value for item, value in zip(case.model.graph.input, values)}


def split_and_run(model: Any, feed: dict[str, Any]) -> list[Any]:
    graph = from_model_proto(model)
    infer_shapes(graph)
    DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=1)).partition(graph)
    graph.verify()
    return list(compile_model(graph, threads=1).run(feed).values())


def tolerance(model: Any) -> float:
    """ONNX Runtime computes half precision in single and rounds at the end of a session, so each border rounds."""
    half = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
    types = {item.type.tensor_type.elem_type for item in (*model.graph.input, *model.graph.output)}
    return 2e-3 if types.intersection(half) else 0.0


@pytest.mark.slow
def test_every_case_that_onnx_runtime_runs_gives_the_same_in_parts() -> None:
    wrong, ran = [], 0
    for case in cases():
        try:
            feed = feed_of(case)
            expected = plain_session(case.model.SerializeToString()).run(None, feed)
        except Exception:  # no kernel, or a type that its Python face does not take: nothing to compare with
            continue
        ran += 1
        try:
            found = split_and_run(case.model, feed)
            assert_same(found, expected, rtol=tolerance(case.model))
        except Exception as error:
            wrong.append(f"{case.name}: {type(error).__name__}: {str(error)[:200]}")
    assert not wrong, f"{len(wrong)} of {ran}:\n" + "\n".join(wrong)
    assert ran >= LEAST_RUN
