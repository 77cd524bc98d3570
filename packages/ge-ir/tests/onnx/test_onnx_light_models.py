"""Whole models of the onnx wheel: import, export, same results."""

from __future__ import annotations

import glob
import os
import time

import numpy as np
import onnx
import pytest
from ge.onnx import load_model, save_model

_FOLDER = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
MODELS = sorted(glob.glob(os.path.join(_FOLDER, "*.onnx")))


def test_all_nine_are_there():
    assert len(MODELS) == 9


@pytest.mark.parametrize("path", MODELS, ids=os.path.basename)
def test_export_of_an_untouched_model_is_the_model(path, tmp_path):
    model = onnx.load(path)
    graph = load_model(path)
    graph.verify()
    target = tmp_path / "out.onnx"
    save_model(graph, target)
    made = onnx.load(target)
    onnx.checker.check_model(made)
    assert [value.name for value in made.graph.input] == [value.name for value in model.graph.input]
    assert list(made.graph.input) == list(model.graph.input)
    assert list(made.graph.output) == list(model.graph.output)
    assert {tensor.name for tensor in made.graph.initializer} == {tensor.name for tensor in model.graph.initializer}
    assert made.ir_version == model.ir_version == 3
    assert [(n.op_type, list(n.input), list(n.output)) for n in made.graph.node] == [
        (n.op_type, list(n.input), list(n.output)) for n in model.graph.node
    ]
    assert [value.name for value in made.graph.value_info] == [
        name for node in model.graph.node for name in node.output if name in {v.name for v in model.graph.value_info}
    ]


def test_inputs_that_are_initializers_are_constants():
    graph = load_model(os.path.join(_FOLDER, "light_squeezenet.onnx"))
    assert graph.input_names == ["data_0"]
    assert sum(node.type == "Const" for node in graph.get_direct_nodes()) == 52


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light_squeezenet", "light_shufflenet", "light_resnet50", "light_densenet121"])
def test_results_are_the_same(name, run, same, tmp_path):
    path = os.path.join(_FOLDER, f"{name}.onnx")
    model = onnx.load(path)
    save_model(load_model(path), tmp_path / "out.onnx")
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    generator = np.random.default_rng(0)
    feeds = {
        value.name: generator.random([dim.dim_value for dim in value.type.tensor_type.shape.dim], np.float32)
        for value in inputs
    }
    expected = run(model, feeds)
    assert expected is not None
    assert same(run(onnx.load(tmp_path / "out.onnx"), feeds), expected)


def test_all_nine_take_far_less_than_seconds():
    load_model(MODELS[0])
    start = time.process_time()
    nodes = sum(load_model(path).node_count for path in MODELS)
    assert nodes > 4025
    # About 0.2 s on the machine this was written on; a quadratic step would take minutes.
    assert time.process_time() - start < 4
