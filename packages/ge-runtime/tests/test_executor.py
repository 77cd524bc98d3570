"""Compiled models: whole and split graphs, feeds, results, errors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from ge.graph import Graph
from ge.onnx import infer_shapes, load_model
from ge.runtime import CompileError, RunError, compile_model

onnx = pytest.importorskip("onnx", reason="ge.runtime needs the extra 'run' (onnx, onnxruntime)")
pytest.importorskip("onnxruntime", reason="ge.runtime needs the extra 'run' (onnx, onnxruntime)")

MLP = """
    <ir_version: 9, opset_import: ["" : 18]>
    mlp (float[N, 4] x, float[4, 3] w) => (float[N, 3] y, float[N, 4] same)
    { h = MatMul (x, w)
      y = Relu (h)
      same = Identity (x) }
"""


def graph_of(text: str) -> Graph:
    graph = load_model(onnx.parser.parse_model(text))
    infer_shapes(graph)
    return graph


def feed(rows: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "x": rng.standard_normal((rows, 4)).astype(np.float32),
        "w": rng.standard_normal((4, 3)).astype(np.float32),
    }


def test_a_graph_that_is_not_split_runs_as_one_part() -> None:
    compiled = compile_model(graph_of(MLP))
    values = feed()
    result = compiled.run(values)
    np.testing.assert_allclose(result["y"], np.maximum(values["x"] @ values["w"], 0), rtol=1e-6)
    np.testing.assert_array_equal(result["same"], values["x"])
    assert list(result) == compiled.output_names == ["y", "same"]
    assert compiled.input_names == ["x", "w"]
    assert [(part.kind, part.nodes) for part in compiled.parts] == [("dynamic", 3)]


def split_graph() -> Graph:
    """Two parts, made by hand so that this test does not depend on a partitioner."""
    whole = Graph("g")
    x = _input(whole, "x", 0, [-1, 4])
    w = _input(whole, "w", 1, [4, 3])
    first = _call(whole, "first", "MatMul", [x, w], [[-1, 4], [4, 3]])
    second = _call(whole, "second", "Relu", [first], [[-1, 3]])
    whole.create_node("NetOutput", [second, first], name="out", output_count=0, attrs={"output_names": ["y", "h"]})
    return whole


def _input(graph: Graph, name: str, index: int, dims: list[int]) -> Any:
    from ge.graph import DataType, TensorDesc

    desc = TensorDesc(dims, data_type=DataType.DT_FLOAT)
    return graph.create_node("Data", name=name, attrs={"index": index}, output_descs=[desc])


def _call(graph: Graph, name: str, op_type: str, inputs: list[Any], dims: list[list[int]]) -> Any:
    body = Graph(f"{name}_body")
    data = [_input(body, f"{name}_in{i}", i, shape) for i, shape in enumerate(dims)]
    node = body.create_node(op_type, data, name=f"{name}_op")
    body.create_node("NetOutput", [node], name=f"{name}_out", output_count=0)
    call = graph.create_node("PartitionedCall", inputs, name=name, attrs={"_is_unknown_shape": True})
    call.add_subgraph("body", body)
    return call


def test_values_are_handed_from_part_to_part() -> None:
    compiled = compile_model(split_graph())
    values = feed(5)
    result = compiled.run(values)
    product = values["x"] @ values["w"]
    np.testing.assert_allclose(result["h"], product, rtol=1e-6)
    np.testing.assert_allclose(result["y"], np.maximum(product, 0), rtol=1e-6)
    assert [part.name for part in compiled.parts] == ["first", "second"]


def test_a_part_that_gives_nothing_is_left_out() -> None:
    graph = split_graph()
    body = Graph("dead_body")
    body.create_node("Relu", [_input(body, "unread", 0, [4, 3])], name="dead")
    call = graph.create_node("PartitionedCall", [graph.inputs[1]], name="dead_call", output_count=0)
    call.add_subgraph("body", body)
    assert [part.name for part in compile_model(graph).parts] == ["first", "second"]


def test_a_value_is_dropped_after_its_last_reader() -> None:
    plan = compile_model(split_graph())._plan
    first, second = plan.steps
    assert sorted(first.frees) == sorted({first.reads[0], first.reads[1]})  # the product is also an output
    assert second.frees == []


def test_profile_gives_results_and_seconds_of_each_part() -> None:
    result, times = compile_model(split_graph()).profile(feed())
    assert set(result) == {"y", "h"}
    assert [part.name for part, _seconds in times] == ["first", "second"]
    assert all(seconds >= 0 for _part, seconds in times)


def test_an_operator_beside_parts_is_named() -> None:
    graph = split_graph()
    extra = graph.create_node("Relu", [graph.inputs[0]], name="stray")
    graph.verify()
    with pytest.raises(CompileError, match="'stray' of type 'Relu' stands in the root beside partitioned parts"):
        compile_model(graph)
    assert extra.name == "stray"


def test_inputs_of_one_name_are_refused_and_not_mixed_up() -> None:
    graph = Graph("g")
    first, second = _input(graph, "a", 0, [2]), _input(graph, "b", 1, [2])
    for node in (first, second):
        node.set_output_name(0, "same")
    difference = graph.create_node("Sub", [first, second], name="sub")
    graph.create_node("NetOutput", [difference], name="out", output_count=0)
    with pytest.raises(CompileError, match="part 'g' has 2 inputs, but 1 input names of its own: 'same', 'same'"):
        compile_model(graph)


def test_an_operator_that_the_engine_refuses_names_the_part() -> None:
    graph = graph_of(MLP.replace('["" : 18]', '["" : 18, "my.own" : 1]').replace("Relu (h)", "my.own.Mystery (h)"))
    with pytest.raises(CompileError, match=r"part 'mlp' is refused by ONNX Runtime: .*Mystery"):
        compile_model(graph)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w": None}, "input 'w' is missing; the model's inputs are 'x', 'w'"),
        ({"xx": 0}, "the model has no input 'xx'; did you mean 'x'"),
        ({"x": np.zeros((2, 4))}, r"input 'x' takes float32 \[N, 4\], got float64 \[2, 4\]; convert it with"),
        ({"x": np.zeros((2, 5), np.float32)}, r"got float32 \[2, 5\]: dimension 1 must be 4"),
        ({"x": np.zeros(4, np.float32)}, r"got float32 \[4\]: 1 dimensions"),
    ],
)
def test_a_feed_that_does_not_fit_says_what_was_expected(change: dict[str, Any], message: str) -> None:
    compiled = compile_model(graph_of(MLP))
    values = {name: value for name, value in {**feed(), **change}.items() if value is not None}
    with pytest.raises(RunError, match=message):
        compiled.run(values)


def test_a_part_that_fails_at_run_time_is_named() -> None:
    text = """
        <ir_version: 9, opset_import: ["" : 18]>
        g (float[N] x, int64[K] shape) => (float[M] y) { y = Reshape (x, shape) }
    """
    compiled = compile_model(graph_of(text))
    with pytest.raises(RunError, match=r"part 'g' \(dynamic\) failed: .*Reshape"):
        compiled.run({"x": np.zeros(4, np.float32), "shape": np.array([3], np.int64)})


def test_two_outputs_of_one_name_are_two_results() -> None:
    graph = Graph("g")
    x = _input(graph, "x", 0, [2])
    y = graph.create_node("Neg", [x], name="neg")
    graph.create_node("NetOutput", [y, y], name="out", output_count=0, attrs={"output_names": ["y", "y"]})
    compiled = compile_model(graph)
    value = np.array([1, 2], np.float32)
    first, second = compiled.run_outputs({"x": value})
    np.testing.assert_array_equal(first, -value)
    np.testing.assert_array_equal(second, -value)
    with pytest.raises(RunError, match="the model has 2 outputs named 'y'; use run_outputs"):
        compiled.run({"x": value})


def test_an_input_with_a_default_may_be_left_out() -> None:
    text = """
        <ir_version: 9, opset_import: ["" : 18]>
        g (float[2] x, float[2] k = {3.0, 4.0}) => (float[2] y) { y = Mul (x, k) }
    """
    compiled = compile_model(graph_of(text))
    x = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(compiled.run({"x": x})["y"], [3, 8])
    np.testing.assert_array_equal(compiled.run({"x": x, "k": np.array([5, 6], np.float32)})["y"], [5, 12])


def test_an_empty_batch_gives_an_empty_result() -> None:
    result = compile_model(split_graph()).run(feed(0))
    assert result["y"].shape == (0, 3)


def test_sequences_pass_through() -> None:
    text = """
        <ir_version: 9, opset_import: ["" : 18]>
        g (float[N] x, int64 at) => (float[N] y, seq(float[N]) all)
        { all = SequenceConstruct (x, x)
          y = SequenceAt (all, at) }
    """
    result = compile_model(graph_of(text)).run({"x": np.arange(3, dtype=np.float32), "at": np.array(1)})
    np.testing.assert_array_equal(result["y"], np.arange(3, dtype=np.float32))
    assert len(result["all"]) == 2


def test_runs_from_several_threads_do_not_mix() -> None:
    compiled = compile_model(split_graph())
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(30):
            x = rng.standard_normal((seed + 1, 4)).astype(np.float32)
            w = rng.standard_normal((4, 3)).astype(np.float32)
            if not np.allclose(compiled.run({"x": x, "w": w})["h"], x @ w, rtol=1e-5, atol=1e-6):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
