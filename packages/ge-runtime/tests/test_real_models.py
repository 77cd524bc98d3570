"""Real models through the whole chain: import, export, shape inference, split, run; same outputs as ONNX Runtime."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

pytest.importorskip("onnx", reason="ge.runtime needs the extra 'run' (onnx, onnxruntime)")
pytest.importorskip("onnxruntime", reason="ge.runtime needs the extra 'run' (onnx, onnxruntime)")

from ge.onnx import infer_shapes, load_model, to_model_proto
from ge.partition import DynamicShapePartitioner, flatten
from ge.runtime import compile_model
from model_cases import assert_same, cached_models, light_models, model_store, oracle, plain_session

EVERY = [
    *light_models(),
    *(pytest.param(*item.values, id=item.id, marks=[*item.marks, pytest.mark.slow]) for item in cached_models()),
]


def feed_and_results(path: pathlib.Path, model: Any) -> tuple[dict[str, Any], list[str], list[Any]]:
    """Repeatable inputs, output names, and what plain ONNX Runtime gives."""
    session = oracle(path)
    feed = model_store.make_feed(model, session.get_inputs())
    return feed, [item.name for item in session.get_outputs()], session.run(None, feed)


def required_feed(path: pathlib.Path, feed: dict[str, Any]) -> dict[str, Any]:
    """The feed without inputs that are initialisers too (files of IR 3), which have a value of their own."""
    import onnx

    graph = onnx.load(str(path), load_external_data=False).graph
    defaults = {tensor.name for tensor in graph.initializer}
    return {name: value for name, value in feed.items() if name not in defaults}


@pytest.mark.parametrize(("path", "model"), EVERY)
def test_import_and_export_change_nothing(path: pathlib.Path, model: Any) -> None:
    feed, names, expected = feed_and_results(path, model)
    graph = load_model(path)
    written = plain_session(to_model_proto(graph).SerializeToString())
    assert [item.name for item in written.get_outputs()] == names
    assert_same(written.run(None, feed), expected)
    graph.verify()


@pytest.mark.parametrize(("path", "model"), EVERY)
def test_a_split_model_gives_the_same_outputs(path: pathlib.Path, model: Any) -> None:
    session = oracle(path)
    feed = required_feed(path, model_store.make_feed(model, session.get_inputs()))
    expected = session.run(None, feed)
    graph = load_model(path)
    infer_shapes(graph)
    DynamicShapePartitioner().partition(graph)
    graph.verify()
    compiled = compile_model(graph)
    found = compiled.run(feed)
    assert list(found) == [item.name for item in session.get_outputs()]
    assert_same(list(found.values()), expected, rtol=1e-4)


@pytest.mark.parametrize(("path", "model"), EVERY)
def test_flattening_a_split_gives_the_graph_back(path: pathlib.Path, model: Any) -> None:
    graph = load_model(path)
    infer_shapes(graph)
    before = graph.to_text()
    report = DynamicShapePartitioner().partition(graph)
    if report.parts:
        flatten(graph)
    assert graph.to_text() == before
