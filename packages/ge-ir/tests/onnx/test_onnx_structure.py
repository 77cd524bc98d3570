"""Bodies, captures, functions, absent slots, inputs and constants as outputs: each survives."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from ge.onnx import from_model_proto, to_model_proto

f32 = np.float32


def _names(values):
    return [value.name for value in values]


def test_nodes_of_the_graph_form(roundtrip):
    graph, _ = roundtrip("g (float[N,4] x) => (float[N,4] y) <float[4] w = {1,2,3,4}> { t = Add(x, w)  y = Relu(t) }")
    assert [(node.type, node.name) for node in graph.get_direct_nodes()] == [
        ("Data", "x"),
        ("Const", "w"),
        ("Add", "Add"),
        ("Relu", "Relu"),
        ("NetOutput", "NetOutput"),
    ]
    add = graph.find_node_by_name("Add")
    assert (add.domain, add.op_version, add.output_name(0)) == ("", 17, "t")
    x = graph.find_node_by_name("x")
    assert x.get_attr("index") == 0
    assert x.get_output_desc(0).shape.symbols == ("N", None)
    assert graph.find_node_by_name("w").get_attr("value").numpy().tolist() == [1, 2, 3, 4]
    assert graph.output_names == ["y"]
    assert graph.get_attr("onnx.ir_version") == 8


def test_a_body_reads_outer_values_through_plain_edges(roundtrip, run, same):
    text = """g (bool c, float[2] x) => (float[2] y) <float[2] k = {3,4}> {
        o = Neg(x)
        y = If (c) <then_branch = t () => (float[2] r) { r = Add(o, k) },
                    else_branch = e () => (float[2] s) <float[2] own = {5,6}> { q = Mul(o, own) s = Sub(q, x) }>
    }"""
    graph, made = roundtrip(text)
    branch = graph.find_node_by_name("If").subgraphs["then_branch"]
    add = branch.find_node_by_name("Add")
    assert add.inputs == [(graph.find_node_by_name("Neg"), 0), (graph.find_node_by_name("k"), 0)]
    assert len(graph.find_node_by_name("Neg").users()) == 2
    for flag in (True, False):
        feeds = {"c": np.array(flag), "x": np.array([1, 2], f32)}
        expected = [-x + k if flag else -x * o - x for x, k, o in ((1, 3, 5), (2, 4, 6))]
        assert same(run(made, feeds), [np.array(expected, f32)])


def test_a_branch_that_only_passes_an_outer_value_gets_an_identity(roundtrip, run, same):
    text = """g (bool c, float[2] x) => (float[2] y) { o = Neg(x)
        y = If (c) <then_branch = t () => (float[2] o) { }, else_branch = e () => (float[2] s) { s = Abs(o) }> }"""
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>' + text)
    graph = from_model_proto(model)
    graph.verify()
    made = to_model_proto(graph)
    body = made.graph.node[1].attribute[0].g
    assert [(n.op_type, list(n.input), list(n.output)) for n in body.node] == [("Identity", ["o"], ["o_1"])]
    feeds = {"c": np.array(True), "x": np.array([1, 2], f32)}
    assert same(run(made, feeds), [np.array([-1, -2], f32)])


def test_a_branch_that_gives_one_value_twice(parse, run, same):
    text = """g (bool c, float[2] x) => (float[2] y, float[2] z) {
        y, z = If (c) <then_branch = t () => (float[2] r, float[2] r) { r = Neg(x) },
                       else_branch = e () => (float[2] r, float[2] q) { r = Abs(x) q = Neg(x) }> }"""
    made = to_model_proto(from_model_proto(parse(text)))
    onnx.checker.check_model(made)
    x = np.array([1, 2], f32)
    # ONNX Runtime 1.32 gives [0, 0] for y of the original.
    assert same(run(made, {"c": np.array(True), "x": x}), [-x, -x])


def test_loop_and_scan(roundtrip, run, same):
    text = """g (float[3] x) => (float[3] last, float[3] sums) {
        n = Constant <value = int64 {3}> ()  c = Constant <value = bool {1}> ()
        start = Constant <value = float[3] {0,0,0}> ()
        last = Loop (n, c, start) <body = b (int64 i, bool go, float[3] a) => (bool go, float[3] s) { s = Add(a, x) }>
        zero = Constant <value = float {0}> ()
        total, sums = Scan <num_scan_inputs = 1, body = s (float a, float e) => (float n, float m)
            { n = Add(a, e) m = Identity(n) }> (zero, x)
    }"""
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>' + text)
    _, made = roundtrip(model)
    feeds = {"x": np.array([1, 2, 3], f32)}
    assert same(run(made, feeds), [np.array([3, 6, 9], f32), np.array([1, 3, 6], f32)])
    # the condition that passes through the Loop body stays an input that is an output
    loop = next(n for n in made.graph.node if n.op_type == "Loop")
    assert _names(loop.attribute[0].g.output)[0] == _names(loop.attribute[0].g.input)[1]


def test_bodies_three_deep_reach_the_top(roundtrip, run, same):
    text = """g (bool c, float[1] x) => (float[1] y) {
        y = If (c) <then_branch = t () => (float[1] a) { a = If (c) <
            then_branch = tt () => (float[1] b) { b = If (c) <
                then_branch = ttt () => (float[1] d) { d = Neg(x) },
                else_branch = tte () => (float[1] d) { d = Abs(x) }> },
            else_branch = te () => (float[1] b) { b = Abs(x) }> },
            else_branch = e () => (float[1] a) { a = Abs(x) }> }"""
    graph, made = roundtrip(text)
    assert len(graph.get_all_subgraphs()) == 6
    assert graph.find_node_by_name("x").use_count() == 4
    assert same(run(made, {"c": np.array(True), "x": np.array([2], f32)}), [np.array([-2], f32)])


def test_absent_inputs_and_outputs_keep_their_slots(roundtrip):
    text = """g (float[1,2,3] x, float[1,4,3] w, float[1,4,1] r, float[1,1,1] h) => (float[1,1,1] yh) {
        "", yh = LSTM <hidden_size = 1> (x, w, r, "", "", h)
    }"""
    graph, made = roundtrip(text)
    node = graph.find_node_by_name("LSTM")
    assert [value is None for value in node.inputs] == [False, False, False, True, True, False]
    assert (node.output_count, node.output_name(0), node.output_name(1)) == (2, "", "yh")
    assert list(made.graph.node[0].input) == ["x", "w", "r", "", "", "h"]
    assert list(made.graph.node[0].output) == ["", "yh"]


def test_trailing_absent_slots_stay(roundtrip, parse):
    model = parse("g (float[2] x) => (float[2] y) { y = Clip(x) }")
    model.graph.node[0].input.extend(["", ""])
    graph, made = roundtrip(model)
    assert graph.find_node_by_name("Clip").input_count == 3
    assert list(made.graph.node[0].input) == ["x", "", ""]


def test_outputs_that_are_an_input_an_initializer_and_one_value_twice(roundtrip, run, same):
    text = "g (float[2] x) => (float[2] x, float[2] w, float[2] y, float[2] y) <float[2] w = {7,8}> { y = Neg(x) }"
    graph, made = roundtrip(text, check=False)
    assert graph.output_names == ["x", "w", "y", "y"]
    assert [value[0].name for value in graph.outputs] == ["x", "w", "Neg", "Neg"]
    assert _names(made.graph.output) == ["x", "w", "y", "y"]
    assert [n.op_type for n in made.graph.node] == ["Neg"]
    x = np.array([1, 2], f32)
    assert same(run(made, {"x": x}), [x, np.array([7, 8], f32), -x, -x])


def test_an_input_with_a_default_stays_one(roundtrip, parse):
    text = "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {7,8}> { y = Add(x, w) }"
    model = parse('<ir_version: 8, opset_import: ["" : 17]> ' + text)
    graph, made = roundtrip(model)
    assert graph.find_node_by_name("w").type == "Data"
    assert graph.find_node_by_name("w").get_attr("value").numpy().tolist() == [7, 8]
    assert _names(made.graph.input) == ["x", "w"]
    assert _names(made.graph.initializer) == ["w"]


def test_below_ir_4_initializers_are_listed_as_inputs(roundtrip, parse):
    text = "g (float[2] w, float[2] x, float[2] v) => (float[2] y) <float[2] w = {7,8}, float[2] v = {1,2}>"
    model = parse('<ir_version: 3, opset_import: ["" : 8]> ' + text + " { t = Add(x, w) y = Add(t, v) }")
    graph, made = roundtrip(model)
    assert graph.input_names == ["x"]
    assert graph.find_node_by_name("x").get_attr("index") == 0
    assert graph.find_node_by_name("v").type == "Const"
    assert _names(made.graph.input) == ["w", "x", "v"]
    assert (made.ir_version, len(made.graph.initializer)) == (3, 2)


def test_a_constant_added_to_an_old_model_raises_the_ir_version(parse):
    model = parse('<ir_version: 3, opset_import: ["" : 8]> g (float[2] x) => (float[2] y) { y = Relu(x) }')
    graph = from_model_proto(model)
    donor = from_model_proto(parse("d () => (float[2] w) <float[2] w = {1,2}> { }"))
    graph.create_node("Const", name="w", attrs={"value": donor.find_node_by_name("w").get_attr("value")})
    made = to_model_proto(graph)
    onnx.checker.check_model(made)
    assert made.ir_version == 4


FUNCTION = """<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
g (float[2] x) => (float[2] y) { y = local.outer <by = 3.0> (x) }
<domain: "local", opset_import: ["" : 17, "local" : 1], doc_string: "calls another">
outer <by> (a) => (b) { b = local.scale <factor: float = @by> (a) }
<domain: "local", opset_import: ["" : 17]>
scale <factor> (a) => (b) { f = Constant <value_float: float = @factor> () b = Mul(a, f) }
"""


def test_functions_with_attribute_references(roundtrip, run, same):
    graph, made = roundtrip(FUNCTION)
    assert [key for key, _ in graph._subgraphs()] == ["local::outer", "local::scale"]
    inner = graph.get_subgraph("local::outer").find_node_by_name("scale")
    assert inner.get_attr("factor")[0] == "by"
    assert made.functions == onnx.parser.parse_model(FUNCTION).functions or [f.name for f in made.functions] == [
        "outer",
        "scale",
    ]
    assert made.functions[0].doc_string == "calls another"
    assert made.functions[0].node[0].attribute[0].ref_attr_name == "by"
    assert same(run(made, {"x": np.array([1, 2], f32)}), [np.array([3, 6], f32)])


def test_function_defaults_overloads_and_value_info(roundtrip):
    model = onnx.parser.parse_model(FUNCTION)
    model.ir_version = 10
    scale = model.functions[1]
    scale.attribute.remove("factor")
    default = scale.attribute_proto.add()
    default.name, default.type, default.f = "factor", onnx.AttributeProto.FLOAT, 2.5
    value = scale.value_info.add()
    value.CopyFrom(model.graph.input[0])
    value.name = "f"
    scale.metadata_props.add(key="k", value="v")
    scale.overload = "wide"
    model.functions[0].node[0].overload = "wide"
    graph, made = roundtrip(model)
    assert made.functions[1] == _named(model.functions[1], made.functions[1])
    assert made.functions[0].node[0].overload == "wide"
    assert graph.get_subgraph("local::scale:wide") is not None


def _named(expected, found):
    """The expected function with the node names that import made up."""
    copy = onnx.FunctionProto()
    copy.CopyFrom(expected)
    for node, other in zip(copy.node, found.node):
        node.name = other.name
    return copy


def test_metadata_and_doc_strings_are_kept_everywhere(roundtrip, parse):
    model = parse(FUNCTION)
    model.producer_name, model.producer_version = "maker", "1.2"
    model.domain, model.model_version, model.doc_string = "org.example", 7, "a model"
    model.metadata_props.add(key="character", value="\n".join(str(number) for number in range(20000)))
    model.metadata_props.add(key="twice", value="1")
    model.metadata_props.add(key="twice", value="2")
    graph = model.graph
    graph.doc_string = "a graph"
    for item in (graph, graph.node[0], graph.input[0], graph.output[0]):
        item.doc_string = f"about {item.name}"
        item.metadata_props.add(key="k", value=item.name)
    graph.node[0].attribute[0].doc_string = "about by"
    _, made = roundtrip(model, check=False)  # the checker does not like keys that stand twice
    graph.node[0].name = made.graph.node[0].name
    assert str(made.graph) == str(graph)
    assert list(made.metadata_props) == list(model.metadata_props)
    for field in ("producer_name", "producer_version", "domain", "model_version", "doc_string", "ir_version"):
        assert getattr(made, field) == getattr(model, field)


def test_opset_imports_that_nothing_uses_are_kept(roundtrip):
    text = """<ir_version: 8, opset_import: ["Paddle" : 1, "ai.onnx.ml" : 2, "" : 17, "com.microsoft" : 1]>
    g (float[2] x) => (float[2] y) { y = Relu(x) }"""
    _, made = roundtrip(text)
    assert {entry.domain: entry.version for entry in made.opset_import} == {
        "Paddle": 1,
        "ai.onnx.ml": 2,
        "": 17,
        "com.microsoft": 1,
    }


def test_the_long_name_of_the_default_domain(roundtrip, parse):
    model = parse('<ir_version: 8, opset_import: ["ai.onnx" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }')
    model.graph.node[0].domain = "ai.onnx"
    graph, made = roundtrip(model)
    assert graph.find_node_by_name("Relu").domain == ""
    assert [(entry.domain, entry.version) for entry in made.opset_import] == [("", 17)]


def test_operators_of_unknown_domains_are_allowed(roundtrip):
    text = """<ir_version: 8, opset_import: ["" : 17, "com.contrib" : 3]>
    g (float[2] x) => (y) { y, z = com.contrib.Whatever <alpha = 0.5, mode = "m"> (x, x) }"""
    graph, made = roundtrip(text, check=False)
    node = graph.find_node_by_name("Whatever")
    assert (node.domain, node.op_version, node.get_attr("mode")) == ("com.contrib", 3, "m")
    assert list(made.graph.node[0].output) == ["y", "z"]


ODD = ["a/b.c(0)", "{'k': [\"v\", 1]}", "日本語 😀", "x y", "?", "-1"]


def test_odd_value_names_and_symbols_are_kept(roundtrip, parse):
    model = parse("g (float[A,2] x) => (float[2] y) { t = Neg(x) u = Neg(t) v = Neg(u) w = Neg(v) y = Neg(w) }")
    names = dict(zip(("x", "t", "u", "v", "w", "y"), ODD))
    for node in model.graph.node:
        node.input[0], node.output[0] = names[node.input[0]], names[node.output[0]]
        node.name = f"node {node.output[0]}"
    model.graph.input[0].name, model.graph.output[0].name = names["x"], names["y"]
    for symbol in ("p2o.DynamicDimension.0", "-1", "?", "unk__749", '{"a": 1}'):
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = symbol
        graph, made = roundtrip(model)
        assert made.graph == model.graph
        assert graph.find_node_by_name(ODD[0]).get_output_desc(0).shape.symbols[0] == symbol


def test_node_names_are_made_unique_and_kept_where_they_can(roundtrip, parse):
    model = parse("g (float[2] x) => (float[2] y) { a = Neg(x) b = Neg(a) c = Neg(b) d = Neg(c) y = Neg(d) }")
    for node, name in zip(model.graph.node, ("x", "same", "same", "", "Neg")):
        node.name = name
    graph, made = roundtrip(model)
    assert [node.name for node in graph.get_direct_nodes()] == [
        "x",
        "x_1",
        "same",
        "same_1",
        "Neg_1",
        "Neg",
        "NetOutput",
    ]
    assert _names(made.graph.node) == ["x", "same", "same_1", "Neg_1", "Neg"]


def test_nodes_out_of_order_are_sorted_and_noted(roundtrip, parse, caplog):
    model = parse("g (float[2] x) => (float[2] y) { a = Neg(x) b = Abs(a) y = Relu(b) }")
    nodes = list(model.graph.node)[::-1]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    _, made = roundtrip(model)
    assert [n.op_type for n in made.graph.node] == ["Neg", "Abs", "Relu"]
    assert "graph 'g': 2 nodes stood before their producers; the graph was sorted" in caplog.text


def test_a_body_counts_as_a_reader_when_nodes_are_sorted(roundtrip):
    text = """g (bool c, float[2] x) => (float[2] y) {
        y = If (c) <then_branch = t () => (float[2] r) { r = Abs(late) },
                    else_branch = e () => (float[2] r) { r = Neg(x) }>
        late = Neg(x)
    }"""
    _, made = roundtrip(text)
    assert [n.op_type for n in made.graph.node] == ["Neg", "If"]


def test_names_that_a_body_shares_with_the_graph_around_are_made_unique(parse, run, same):
    text = """g (bool c, float[2] x) => (float[2] y) { t = Neg(x)
        y = If (c) <then_branch = b () => (float[2] r) { t = Abs(x) r = Relu(t) },
                    else_branch = e () => (float[2] r) { r = Relu(t) }> }"""
    graph = from_model_proto(parse(text))
    graph.verify()
    made = to_model_proto(graph)
    then_branch = made.graph.node[1].attribute[0].g
    assert [(list(n.input), list(n.output)) for n in then_branch.node] == [(["x"], ["t_1"]), (["t_1"], ["r"])]
    onnx.checker.check_model(made)
    assert same(run(made, {"c": np.array(True), "x": np.array([-1, 2], f32)}), [np.array([1, 2], f32)])


def test_quantization_annotations_and_value_info(roundtrip, parse):
    model = parse("g (float[2] x) => (float[2] y) <float s = {0.5}> { t = Neg(x) y = Relu(t) }")
    value = model.graph.value_info.add()
    value.name = "t"
    value.type.tensor_type.elem_type = 1
    value.type.tensor_type.shape.dim.add().dim_value = 2
    value.doc_string = "inner"
    annotation = model.graph.quantization_annotation.add()
    annotation.tensor_name = "t"
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="s")
    _, made = roundtrip(model)
    assert list(made.graph.value_info) == list(model.graph.value_info)
    assert list(made.graph.quantization_annotation) == list(model.graph.quantization_annotation)


def test_what_is_said_of_a_constant_beside_its_data(roundtrip, parse):
    model = parse("g (float[2] x) => (float[2] y) <float[2] w = {1,2}> { y = Add(x, w) }")
    model.graph.initializer[0].doc_string = "weights"
    model.graph.initializer[0].metadata_props.add(key="k", value="v")
    value = model.graph.value_info.add()
    value.CopyFrom(model.graph.input[0])
    value.name = "w"
    value.metadata_props.add(key="folded_from", value="['a']")
    _, made = roundtrip(model)
    assert list(made.graph.value_info) == [value]
    assert made.graph.initializer[0].doc_string == "weights"
    assert list(made.graph.initializer[0].metadata_props) == list(model.graph.initializer[0].metadata_props)


def test_sparse_initializers_and_attributes(roundtrip, parse):
    model = parse("g (float[2] x) => (float[2] y) { k = Constant <value_float = 1.0> () t = Add(x, k) y = Add(t, s) }")
    sparse = model.graph.sparse_initializer.add()
    sparse.dims.append(2)
    sparse.values.CopyFrom(onnx.parser.parse_model("<ir_version:8>g()=>()<float[1] s = {5}>{}").graph.initializer[0])
    sparse.indices.CopyFrom(onnx.parser.parse_model("<ir_version:8>g()=>()<int64[1] i = {1}>{}").graph.initializer[0])
    attribute = model.graph.node[0].attribute[0]
    attribute.Clear()
    attribute.name, attribute.type = "sparse_value", onnx.AttributeProto.SPARSE_TENSOR
    attribute.sparse_tensor.CopyFrom(sparse)
    _, made = roundtrip(model)
    assert list(made.graph.sparse_initializer) == [sparse]
    assert made.graph.node[0].attribute[0] == attribute


def test_declared_output_shapes_are_claims_that_do_not_reach_the_value(roundtrip):
    graph, made = roundtrip("g (float[3,2] x) => (float[1,seqlen] y) { y = Relu(x) }")
    assert graph.find_node_by_name("Relu").get_output_desc(0).shape.is_unset
    assert graph.find_node_by_name("NetOutput").get_input_desc(0).shape.symbols == (None, "seqlen")
    assert made.graph.output[0].type.tensor_type.shape.dim[1].dim_param == "seqlen"


@pytest.mark.parametrize("field", ["training_info", "configuration"])
def test_rare_parts_of_a_model_are_carried_along(roundtrip, parse, field):
    model = parse("g (float[2] x) => (float[2] y) { y = Relu(x) }")
    item = getattr(model, field).add()
    if field == "training_info":
        item.algorithm.name = "step"
    else:
        item.name, item.num_devices = "two", 2
    _, made = roundtrip(model, check=False)
    assert list(getattr(made, field)) == [item]


def test_an_empty_graph_and_one_without_inputs(roundtrip, run, same):
    graph, made = roundtrip("g () => (float[1] w) <float[1] w = {4}> { }")
    assert graph.output_names == ["w"]
    assert same(run(made, {}), [np.array([4], f32)])
