"""Graphs that were built or changed: names, copies, opsets, control edges, operators of the engine, files."""

from __future__ import annotations

import os

import numpy as np
import onnx
import pytest
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es import framework as fw
from ge.es import onnx as ops
from ge.graph import AttrValueType, DataType, Graph, Shape, Tensor, TensorDesc
from ge.onnx import OnnxExportError, from_model_proto, load_model, save_model, to_model_proto

f32 = np.float32


def _nodes(model):
    return [(node.op_type, list(node.input), list(node.output)) for node in model.graph.node]


# -- graphs from a builder


def test_a_built_graph_is_a_valid_model(run, same):
    builder = GraphBuilder("built")
    x = builder.create_input(0, name="x", shape=Shape(["N", 4]))
    scaled = ops.Mul(x, 2.0, node_name="scale")
    top = ops.TopK(scaled, [1])
    model = to_model_proto(builder.build_and_reset([top.Values, top.Indices]))
    onnx.checker.check_model(model, full_check=True)
    assert (model.ir_version, model.opset_import[0].version, model.producer_name) == (10, ops.DEFAULT_OPSET, "ge")
    assert [value.name for value in model.graph.output] == ["TopK", "TopK:1"]
    assert model.graph.output[1].type.tensor_type.elem_type == onnx.TensorProto.INT64
    found = run(model, {"x": np.array([[1, 3, 2, 0]], f32)})
    assert same(found, [np.array([[6]], f32), np.array([[1]], np.int64)])


@pytest.mark.parametrize(("opset", "ir"), [(9, 4), (13, 7), (17, 8), (19, 9), (21, 10)])
def test_the_ir_version_follows_the_opset(opset, ir):
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([ops.opset(opset).Relu(builder.create_input(0, shape=[1]))])
    model = to_model_proto(graph)
    assert (model.opset_import[0].version, model.ir_version) == (opset, ir)
    onnx.checker.check_model(model)


def test_nodes_without_a_version_take_that_of_the_model(parse):
    graph = from_model_proto(parse("g (float[2] x) => (float[2] y) { y = Relu(x) }"))
    extra = graph.create_node("Neg", [graph.find_node_by_name("x")])
    graph.find_node_by_name("NetOutput").set_input(0, extra)
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert model.opset_import[0].version == 17


def test_a_node_of_another_opset_is_refused_only_if_its_form_differs(parse):
    graph = from_model_proto(parse("g (float[2] x) => (float[2] y) { y = Relu(x) }"))
    x = graph.find_node_by_name("x")
    graph.create_node("Neg", [x], op_version=21, name="n")
    graph.create_node("Cast", [x], op_version=21, name="c", attrs={"to": 1})
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert model.opset_import[0].version == 17
    graph.create_node("ReduceSum", [x], op_version=11, name="r")
    with pytest.raises(OnnxExportError) as caught:
        to_model_proto(graph)
    assert str(caught.value) == (
        "node 'r' is ReduceSum of opset 11, but the model imports opset 17 of domain 'ai.onnx', and attribute 'axes' "
        "is another one there; make it with ge.es.onnx.opset(17)"
    )


def test_a_new_domain_is_imported(parse):
    graph = from_model_proto(parse("g (float[2] x) => (float[2] y) { y = Relu(x) }"))
    graph.create_node("Fancy", [graph.find_node_by_name("x")], domain="com.example", op_version=4)
    assert {entry.domain: entry.version for entry in to_model_proto(graph).opset_import} == {"": 17, "com.example": 4}


# -- names and copies


@pytest.fixture
def graph(parse):
    return from_model_proto(parse("g (float[2] x) => (float[2] y) <float[2] w = {1,2}> { t = Add(x, w) y = Relu(t) }"))


def _output(graph):
    return graph.find_node_by_name("NetOutput")


def test_an_output_that_became_an_input_is_copied(graph, run, same):
    _output(graph).set_input(0, graph.find_node_by_name("x"))
    graph.remove_node(graph.find_node_by_name("Relu"))
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert _nodes(model)[-1] == ("Identity", ["x"], ["y"])
    x = np.array([1, 2], f32)
    assert same(run(model, {"x": x}), [x])


def test_an_output_that_became_a_constant_keeps_its_name(graph, run, same):
    _output(graph).set_input(0, graph.find_node_by_name("w"))
    model = to_model_proto(graph)
    assert [value.name for value in model.graph.output] == ["y"]
    assert same(run(model, {"x": np.zeros(2, f32)}), [np.array([1, 2], f32)])


def test_the_output_name_follows_the_value(graph):
    add = graph.find_node_by_name("Add")
    _output(graph).set_input(0, add)
    graph.remove_node(graph.find_node_by_name("Relu"))
    model = to_model_proto(graph)
    assert _nodes(model) == [("Add", ["x", "w"], ["y"])]


def test_two_names_of_one_value_need_a_copy(graph):
    output = _output(graph)
    output.resize(inputs=2)
    output.set_input(1, graph.find_node_by_name("Relu"))
    output.update_input_desc(1, TensorDesc([2]))
    output.set_attr("output_names", ["y", "z"])
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert _nodes(model)[1:] == [("Relu", ["t"], ["y"]), ("Identity", ["y"], ["z"])]
    assert [value.name for value in model.graph.output] == ["y", "z"]


def test_names_that_two_values_want_go_to_outputs_first(graph):
    graph.find_node_by_name("Add").set_output_name(0, "y")
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert _nodes(model) == [("Add", ["x", "w"], ["y_1"]), ("Relu", ["y_1"], ["y"])]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda output: output.set_input(0, None), "output 0 of graph 'g' reads nothing"),
        (
            lambda output: output.set_attr("output_names", ["x"]),
            "output 'x' of graph 'g' has the name of another value",
        ),
        (
            lambda output: output.set_attr("output_names", ["a", "b"]),
            "output node 'NetOutput' of graph 'g' has 1 inputs, but 2 output_names",
        ),
    ],
)
def test_outputs_that_cannot_be_written(graph, change, text):
    change(_output(graph))
    with pytest.raises(OnnxExportError) as caught:
        to_model_proto(graph)
    assert text in str(caught.value)


def test_two_values_of_one_output_name(graph):
    output = _output(graph)
    output.resize(inputs=2)
    output.set_input(1, graph.find_node_by_name("Add"))
    output.set_attr("output_names", ["y", "y"])
    with pytest.raises(OnnxExportError, match="two different values of graph 'g' are outputs named 'y'"):
        to_model_proto(graph)


def test_a_cycle_is_an_error(graph):
    graph.find_node_by_name("Add").set_input(0, graph.find_node_by_name("Relu"))
    with pytest.raises(GeError, match="Relu"):
        to_model_proto(graph)


def test_two_output_nodes(graph):
    graph.create_node("NetOutput", output_count=0, name="second")
    with pytest.raises(OnnxExportError, match="graph 'g' has two output nodes: 'NetOutput', 'second'"):
        to_model_proto(graph)


# -- attributes


def test_private_attributes_travel_as_metadata(graph):
    node = graph.find_node_by_name("Relu")
    node.set_attr("_engine", "ort")
    node.set_attr("_ids", [1, 2])
    node.set_attr("_flag", True)
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert len(model.graph.node[1].attribute) == 0
    again = from_model_proto(model).find_node_by_name("Relu")
    assert [again.get_attr(key) for key in ("_engine", "_ids", "_flag")] == ["ort", [1, 2], True]
    assert [key for key in again.attr_names if key.startswith("onnx.")] == []


def test_an_attribute_that_onnx_lacks_names_node_and_attribute(graph):
    graph.find_node_by_name("Relu").set_attr("dtype", DataType.DT_HIFLOAT8)
    with pytest.raises(OnnxExportError) as caught:
        to_model_proto(graph)
    assert str(caught.value) == "node 'Relu' (Relu): attribute 'dtype' is DT_HIFLOAT8, which ONNX does not have"


def test_kinds_of_the_engine_are_written_as_their_onnx_kind(graph):
    node = graph.create_node("Op", [graph.find_node_by_name("x")], domain="c", op_version=1)
    node.set_attr("b", True)
    node.set_attr("f", 0.5, kind=AttrValueType.VT_FLOAT)
    node.set_attr("t", DataType.DT_BF16)
    node.set_attr("ts", [DataType.DT_FLOAT, DataType.DT_INT64])
    attributes = {item.name: item for item in to_model_proto(graph).graph.node[-1].attribute}
    assert (attributes["b"].i, attributes["f"].f, attributes["t"].i) == (1, 0.5, 16)
    assert list(attributes["ts"].ints) == [1, 7]


def test_a_constant_of_a_type_that_onnx_lacks(graph):
    value = Tensor(data_type=DataType.DT_HIFLOAT8, shape=[1])
    graph.create_node("Const", name="h", attrs={"value": value})
    with pytest.raises(OnnxExportError, match="constant 'h' has element type DT_HIFLOAT8, which ONNX does not have"):
        to_model_proto(graph)


def test_a_constant_without_a_value(graph):
    graph.create_node("Const", name="h")
    with pytest.raises(OnnxExportError, match="constant 'h' has no tensor attribute 'value'"):
        to_model_proto(graph)


# -- operators of the engine


def _called(builder_name="body"):
    inner = GraphBuilder(builder_name)
    a = inner.create_input(0, name="a", shape=[2])
    b = inner.create_input(1, name="b", shape=[2])
    return inner.build_and_reset([ops.Sub(ops.Mul(a, 3.0), b)])


def test_a_called_subgraph_is_a_function_that_runtimes_can_run(run, same):
    builder = GraphBuilder("framed")
    x = builder.create_input(0, name="x", shape=[2])
    y = builder.create_input(1, name="y", shape=[2])
    first = fw.PartitionedCall([x, y], f=_called("part a"), output_num=1, node_name="call_1")[0]
    second = fw.PartitionedCall([first, y], f=_called("part/a"), output_num=1, node_name="call_2")[0]
    model = to_model_proto(builder.build_and_reset([ops.Relu(second)]))
    onnx.checker.check_model(model)
    assert [(f.domain, f.name) for f in model.functions] == [("ge.subgraph", "part_a"), ("ge.subgraph", "part_a_1")]
    found = run(model, {"x": np.array([1, 2], f32), "y": np.array([1, 1], f32)})
    assert same(found, [np.array([5, 14], f32)])
    again = from_model_proto(model)
    again.verify()
    call = again.find_node_by_name("call_2")
    assert (call.type, call.domain, call.op_version) == ("PartitionedCall", "", 0)
    assert call.subgraphs["f"].input_names == ["a", "b"]
    assert again.get_subgraph("ge.subgraph::part_a") is None


def test_outputs_of_a_called_subgraph_that_are_inputs_or_one_value_twice(run, same):
    inner = GraphBuilder("frame")
    a = inner.create_input(0, name="a", shape=[2])
    b = ops.Neg(a)
    body = inner.build_and_reset([a, b, b, a])
    builder = GraphBuilder("g")
    x = builder.create_input(0, name="x", shape=[2])
    model = to_model_proto(builder.build_and_reset(fw.PartitionedCall([x], f=body, output_num=4)))
    onnx.checker.check_model(model)
    assert [node.op_type for node in model.functions[0].node] == ["Neg", "Identity", "Identity", "Identity"]
    assert len(set(model.functions[0].output)) == 4
    x = np.array([1, 2], f32)
    assert same(run(model, {"x": x}), [x, -x, -x, x])


def test_values_that_a_called_subgraph_captures_become_inputs(run, same):
    graph = Graph("g")
    x = graph.create_node("Data", name="x", attrs={"index": 0})
    neg = graph.create_node("Neg", [x], op_version=17)
    call = graph.create_node("PartitionedCall", [x], name="call")
    body = Graph("body")
    call.add_subgraph("f", body)
    inner = body.create_node("Data", name="p", attrs={"index": 0})
    body.create_node("NetOutput", [body.create_node("Add", [inner, neg], op_version=17)], output_count=0)
    graph.create_node("NetOutput", [call], output_count=0)
    x.update_output_desc(0, TensorDesc([2]))
    model = to_model_proto(graph)
    assert list(model.functions[0].input) == ["p", "Neg"]
    assert _nodes(model)[-1][1] == ["x", "Neg"]
    assert same(run(model, {"x": np.array([1, 2], f32)}), [np.array([0, 0], f32)])


def test_other_operators_of_the_engine_have_a_domain_of_their_own():
    builder = GraphBuilder("g")
    x = builder.create_input(0, name="x", shape=[2])
    end = fw.End(x, peerIndex=3, parentOpType="Relu", node_name="end")
    graph = builder.build_and_reset([end])
    model = to_model_proto(graph)
    assert (model.graph.node[0].domain, model.graph.node[0].op_type) == ("ge", "End")
    assert {entry.domain: entry.version for entry in model.opset_import} == {"": 21, "ge": 1}
    node = from_model_proto(model).find_node_by_name("end")
    assert (node.type, node.domain, node.op_version, node.get_attr("peerIndex")) == ("End", "", 0, 3)


def test_control_edges_travel_as_metadata(graph):
    late = graph.create_node("Neg", [graph.find_node_by_name("x")], name="late", op_version=17)
    graph.add_control_edge(late, graph.find_node_by_name("Add"))
    model = to_model_proto(graph)
    onnx.checker.check_model(model)
    assert [node.name for node in model.graph.node] == ["late", "Add", "Relu"]
    again = from_model_proto(model)
    assert again.find_node_by_name("Add").control_inputs == [again.find_node_by_name("late")]


def test_a_library_subgraph_that_is_no_function(graph):
    graph.add_subgraph(Graph("extra"))
    with pytest.raises(OnnxExportError, match="library subgraph 'extra' is no function of a model"):
        to_model_proto(graph)


def test_only_roots_are_models(graph):
    call = graph.create_node("PartitionedCall", [], name="call")
    body = Graph("body")
    call.add_subgraph("f", body)
    with pytest.raises(OnnxExportError, match="graph 'body' is a subgraph; only a root graph is a model"):
        to_model_proto(body)


@pytest.mark.parametrize("call", [to_model_proto, lambda value: save_model(value, "never.onnx")])
def test_only_graphs_can_be_written(call):
    with pytest.raises(TypeError, match="expected a Graph, found str"):
        call("graph")


# -- files


def test_an_export_that_fails_changes_no_file(graph, tmp_path):
    target = tmp_path / "m.onnx"
    target.write_bytes(b"old")
    graph.create_node("Const", name="h")
    with pytest.raises(OnnxExportError):
        save_model(graph, target)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_a_folder_that_is_not_there(graph, tmp_path):
    with pytest.raises(OnnxExportError, match=r"cannot write '.*none/m\.onnx': No such file or directory"):
        save_model(graph, tmp_path / "none" / "m.onnx")
    assert os.listdir(tmp_path) == []


def test_a_target_that_is_a_folder_leaves_no_part_behind(graph, tmp_path):
    (tmp_path / "m.onnx").mkdir()
    with pytest.raises(OnnxExportError, match="Is a directory"):
        save_model(graph, tmp_path / "m.onnx")
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_the_same_graph_gives_the_same_bytes(graph, tmp_path):
    for name in ("a.onnx", "b.onnx"):
        save_model(graph, tmp_path / name)
    first = (tmp_path / "a.onnx").read_bytes()
    assert first == (tmp_path / "b.onnx").read_bytes()
    save_model(load_model(tmp_path / "a.onnx"), tmp_path / "c.onnx")
    assert (tmp_path / "c.onnx").read_bytes() == first


def test_nothing_is_left_behind(parse, no_leak):
    text = "g (float[2] x) => (float[2] y) <float[2] w = {1,2}> { t = Add(x, w) y = Relu(t) }"
    to_model_proto(from_model_proto(parse(text)))


def test_importing_the_package_does_not_import_onnx():
    import subprocess
    import sys

    code = "import sys, ge.onnx, ge.es.onnx; print(sorted({'onnx', 'numpy', 'onnxruntime'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
