"""GraphBuilder: inputs, constants, attributes, outputs, build."""

from __future__ import annotations

import copy

import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.graph import DataType, Format, Graph, InputType, Shape, Tensor


def test_names_and_copies(no_leak):
    assert GraphBuilder("g").name == "g" and GraphBuilder().name == "graph"
    with pytest.raises(TypeError, match="builder name must be str, found int: 1"):
        GraphBuilder(1)
    for take in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="GraphBuilder cannot be copied"):
            take(GraphBuilder("g"))
        with pytest.raises(RuntimeError, match="TensorHolder cannot be copied"):
            take(GraphBuilder("g").create_input(0))
    with pytest.raises(RuntimeError, match="TensorHolder cannot be constructed"):
        TensorHolder()


def test_inputs(no_leak):
    builder = GraphBuilder("g")
    plain = builder.create_input(0)
    full = builder.create_input(
        1,
        name="x",
        type_str=InputType.REF_DATA,
        data_type=DataType.DT_INT8,
        format=Format.FORMAT_NHWC,
        shape=[1, -1, 3],
    )
    symbolic = builder.create_input(2, shape=Shape(["n", 2]))
    assert plain.name == "input_0" and plain.shape == [] and plain.data_type is DataType.DT_FLOAT
    assert plain.node.get_attr("index") == 0 and plain.node.type == "Data"
    assert full.name == "x" and full.node.type == "RefData"
    desc = full.node.get_output_desc(0)
    assert (desc.shape, desc.data_type, desc.format) == ([1, -1, 3], DataType.DT_INT8, Format.FORMAT_NHWC)
    assert symbolic.shape.symbols == ("n", None)
    assert [tensor.name for tensor in builder.create_inputs(2, start_index=3)] == ["input_3", "input_4"]
    graph = builder.build_and_reset()
    assert graph.input_names == ["input_0", "x", "input_2", "input_3", "input_4"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"index": "0"}, "index must be int, found str: '0'"),
        ({"index": 1.0}, "index must be int, found float"),
        ({"index": True}, "index must be int, found bool"),
        ({"index": 0, "shape": 3}, "shape must be a list of int"),
        ({"index": 0, "shape": "ab"}, "shape must be a list of int"),
        ({"index": 0, "shape": [1, "n"]}, "shape must be a list of int"),
        ({"index": 0, "shape": [1.5]}, "shape must be a list of int"),
        ({"index": 0, "name": 1}, "name must be str"),
        ({"index": 0, "type_str": "Data"}, "type_str must be an InputType"),
        ({"index": 0, "data_type": 1}, "data_type must be a DataType"),
        ({"index": 0, "format": 1}, "format must be a Format"),
    ],
)
def test_input_types(arguments, words, no_leak):
    builder = GraphBuilder("g")
    with pytest.raises(TypeError, match=words):
        builder.create_input(**arguments)
    assert builder.build_and_reset().node_count == 0


def test_more_input_errors(no_leak):
    builder = GraphBuilder("g")
    for arguments in ((0,), (-1,), ("1",), (1, -1), (1, "0")):
        with pytest.raises(TypeError):
            builder.create_inputs(*arguments)
    with pytest.raises(RuntimeError, match="index must be an index of 0 or more, found -1"):
        builder.create_input(-1)
    with pytest.raises(ValueError, match="has -5 at position 0"):
        builder.create_input(0, shape=[-5])
    builder.create_input(0, name="x")
    with pytest.raises(RuntimeError, match="'x'"):
        builder.create_input(1, name="x")


CONSTANTS = {
    "int64": (DataType.DT_INT64, 2**63 - 1, -(2**63)),
    "int32": (DataType.DT_INT32, 2**31 - 1, -(2**31)),
    "uint64": (DataType.DT_UINT64, 2**64 - 1, 0),
    "uint32": (DataType.DT_UINT32, 2**32 - 1, 0),
}


@pytest.mark.parametrize("kind", sorted(CONSTANTS))
def test_integer_constants(kind, no_leak):
    data_type, high, low = CONSTANTS[kind]
    builder = GraphBuilder("g")
    create, scalar = getattr(builder, f"create_const_{kind}"), getattr(builder, f"create_scalar_{kind}")
    cases = [
        (create(high), [], high),
        (create([low, high]), [2], [low, high]),
        (create((1, 2, 3, 4), shape=[2, 2]), [2, 2], [[1, 2], [3, 4]]),
        (create(5, shape=[1, 1]), [1, 1], [[5]]),
        (create([7], shape=[]), [], 7),
        (create([]), [0], []),
        (scalar(low), [], low),
    ]
    for tensor, shape, data in cases:
        value = tensor.node.get_attr("value")
        assert (tensor.node.type, tensor.shape, tensor.data_type) == ("Const", shape, data_type)
        assert (value.get_shape(), value.get_data(), value.data_type) == (shape, data, data_type)
    for wrong in (high + 1, low - 1):
        for call in (create, scalar, lambda value: create([value])):
            with pytest.raises(ValueError, match=rf"{wrong} is outside the range of {data_type.name}"):
                call(wrong)
    for wrong in ("1", 1.5, None, {}):
        with pytest.raises(TypeError):
            create(wrong)
        with pytest.raises(TypeError):
            scalar(wrong)
    with pytest.raises(TypeError, match=r"value\[1\] must be int, found float: 1.5"):
        create([1, 1.5])
    with pytest.raises(TypeError, match="value must be a number, found list"):
        scalar([1])
    with pytest.raises(ValueError, match=r"shape \[2, 2\] needs 4 elements, but data has 3"):
        create([1, 2, 3], shape=[2, 2])
    with pytest.raises(TypeError, match="shape must be a list of int"):
        create([1], shape="1")


def test_float_constants(no_leak):
    builder = GraphBuilder("g")
    for value, shape in ((1, []), (1.5, []), ([1, 2.5], [2])):
        tensor = builder.create_const_float(value)
        assert tensor.node.get_attr("value").get_data() == value and tensor.shape == shape
        assert tensor.data_type is DataType.DT_FLOAT
    assert builder.create_scalar_float(2).node.get_attr("value").get_data() == 2.0
    with pytest.raises(TypeError, match="value must be int or float, found str"):
        builder.create_const_float("1")
    assert builder.create_vector_int64([1, 2]).node.get_attr("value").get_data() == [1, 2]
    with pytest.raises(TypeError, match="value must be a list of int, found int"):
        builder.create_vector_int64(1)


def test_a_scalar_constant_is_the_scalar(no_leak):
    builder = GraphBuilder("g")
    left, right = builder.create_const_int64(3), builder.create_scalar_int64(3)
    assert left.desc == right.desc and left.shape == []
    assert left.node.get_attr("value").tobytes() == right.node.get_attr("value").tobytes()


def test_general_constants(no_leak):
    builder = GraphBuilder("g")
    tensor = Tensor([1.0])
    holder = builder.create_const(tensor, name="shared")
    assert holder.node.get_attr("value") == tensor and holder.name == "shared"
    assert builder.create_const([[1, 2]], name="list").shape == [1, 2]
    with pytest.raises(TypeError, match="found None"):
        builder.create_const(None)


def test_variables(no_leak):
    builder = GraphBuilder("g")
    variable = builder.create_variable(3, "w")
    assert (variable.name, variable.node.type, variable.node.get_attr("index")) == ("w", "Variable", 3)
    for arguments in (("0", "w"), (0, 1), (0, None)):
        with pytest.raises(TypeError):
            builder.create_variable(*arguments)
    assert builder.build_and_reset().inputs == []


ATTRIBUTES = {"int64": (5, ["5", 1.5, True]), "string": ("x", [1, b"x", None]), "bool": (True, [1, "True", None])}


@pytest.mark.parametrize("kind", sorted(ATTRIBUTES))
def test_attribute_setters(kind, no_leak):
    good, wrong = ATTRIBUTES[kind]
    builder = GraphBuilder("g")
    tensor = builder.create_input(0)
    on_graph = getattr(builder, f"set_graph_attr_{kind}")
    on_tensor, on_node = getattr(builder, f"set_tensor_attr_{kind}"), getattr(builder, f"set_node_attr_{kind}")
    on_graph("k", good)
    on_tensor(tensor, "k", good)
    on_node(tensor, "n", good)
    for value in wrong:
        with pytest.raises(TypeError, match="value must be"):
            on_graph("k", value)
        with pytest.raises(TypeError, match="value must be"):
            on_tensor(tensor, "k", value)
        with pytest.raises(TypeError, match="value must be"):
            on_node(tensor, "k", value)
    with pytest.raises(TypeError, match="attr_name must be str"):
        on_graph(1, good)
    for call in (on_tensor, on_node):
        with pytest.raises(TypeError, match="attr_name must be str"):
            call(tensor, 1, good)
        with pytest.raises(TypeError, match="tensor must be a TensorHolder"):
            call("x", "k", good)
    graph = builder.build_and_reset()
    node = graph.inputs[0]
    assert graph.get_attr("k") == node.get_output_attr("k", 0) == node.get_attr("n") == good


def test_describing_a_tensor(no_leak):
    tensor = GraphBuilder("g").create_input(0)
    assert tensor.set_data_type(DataType.DT_BF16).set_format(Format.FORMAT_NCHW).set_shape([1, 2]) is tensor
    assert (tensor.data_type, tensor.shape, tensor.desc.format) == (DataType.DT_BF16, [1, 2], Format.FORMAT_NCHW)
    for call, value in ((tensor.set_data_type, 1), (tensor.set_format, "ND"), (tensor.set_shape, 3)):
        with pytest.raises(TypeError):
            call(value)
    assert tensor.get_owner_builder().name == "g" and tensor._get_node_snapshot().name == "input_0"


def test_outputs(no_leak):
    builder = GraphBuilder("g")
    x, y = builder.create_inputs(2)
    builder.set_graph_output(x, 1)
    builder.set_graph_output(y, 0)
    for arguments in (("x", 0), (None, 0), (x, "0"), (x, None), (x, 1.0)):
        with pytest.raises(TypeError):
            builder.set_graph_output(*arguments)
    graph = builder.build_and_reset()
    assert [node.name for node, _ in graph.outputs] == ["input_1", "input_0"]
    assert graph.get_direct_nodes()[-1].type == "NetOutput"
    graph.verify()


def test_build_with_outputs(no_leak):
    builder = GraphBuilder("g")
    x, y = builder.create_inputs(2)
    for wrong in ("x", 3, x, [x, None], [1]):
        with pytest.raises(TypeError):
            builder.build_and_reset(wrong)
    builder.set_graph_output(y, 2)
    graph = builder.build_and_reset((x, x))
    assert [node.name for node, _ in graph.outputs] == ["input_0", "input_0", "input_1"]


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [
        ([0, 2], [0], r"input index 1 is missing, found \[0, 2\]"),
        ([1], [0], r"input index 0 is missing, found \[1\]"),
        ([0, 0], [0], "input index 0 is used twice"),
        ([0], [0, 2], "output index 1 is missing"),
        ([0], [1], "output index 0 is missing"),
        ([0], [0, 1, 1], "output index 1 is used twice"),
    ],
)
def test_index_gaps_and_duplicates_fail_the_build(inputs, outputs, words, no_leak):
    builder = GraphBuilder("g")
    tensors = [builder.create_input(index, name=f"x{position}") for position, index in enumerate(inputs)]
    for index in outputs:
        builder.set_graph_output(tensors[0], index)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=f"cannot build graph 'g': {words}"):
            builder.build_and_reset()
    assert "NetOutput" not in [node.type for node in tensors[0].node.graph.get_direct_nodes()]


def test_a_failed_build_can_be_mended(no_leak):
    builder = GraphBuilder("g")
    x = builder.create_input(1)
    with pytest.raises(RuntimeError, match="input index 0 is missing"):
        builder.build_and_reset([x])
    builder.create_input(0)
    assert [node.name for node in builder.build_and_reset([x]).inputs] == ["input_0", "input_1"]


def test_nothing_works_after_the_build(no_leak):
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    graph = builder.build_and_reset([x])
    calls = [
        builder.build_and_reset,
        lambda: builder.build_and_reset([x]),
        lambda: builder.create_input(1),
        lambda: builder.create_inputs(1),
        lambda: builder.create_const_int64(1),
        lambda: builder.create_scalar_float(1),
        lambda: builder.create_vector_int64([1]),
        lambda: builder.create_const([1]),
        lambda: builder.create_variable(0, "v"),
        lambda: builder.set_graph_output(x, 0),
        lambda: builder.set_graph_attr_int64("k", 1),
        lambda: builder.set_tensor_attr_string(x, "k", "v"),
        lambda: builder.set_node_attr_bool(x, "k", True),
        lambda: builder.add_control_dependency(x, [x]),
        lambda: builder._add_op("Relu", [x]),
        lambda: x.set_shape([1]),
        lambda: x.set_data_type(DataType.DT_INT8),
        lambda: x.set_format(Format.FORMAT_ND),
        lambda: x + x,
        lambda: x.add(1),
        lambda: -x,
        lambda: 2 * x,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="GraphBuilder has already been built"):
            call()
    assert (builder.name, x.name, x.node.graph) == ("g", "input_0", graph)
    assert graph.node_count == 2 and repr(builder) == "GraphBuilder('g', built)"


def test_building_an_operator(no_leak):
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    outputs = builder._add_op(
        "Split", [x, None, [1, 2]], domain="d", version=18, attrs={"axis": 1, "skip": None}, output_count=2, name="s"
    )
    node = outputs[0].node
    assert [tensor.name for tensor in outputs] == ["s", "s:1"] and [tensor.index for tensor in outputs] == [0, 1]
    assert (node.type, node.domain, node.op_version, node.attr_names) == ("Split", "d", 18, ["axis"])
    assert node.inputs[0] == (x.node, 0) and node.inputs[1] is None and node.inputs[2][0].type == "Const"
    with pytest.raises(ValueError, match="attribute 'k' of Relu: Unsupported attribute type dict"):
        builder._add_op("Relu", [x], attrs={"k": {}})
    with pytest.raises(TypeError, match="operand must be a TensorHolder"):
        builder._add_op("Relu", ["x"])


def test_the_built_graph_is_a_graph(no_leak):
    builder = GraphBuilder("g")
    graph = builder.build_and_reset([builder.create_input(0) + 1.0])
    del builder
    assert isinstance(graph, Graph) and graph.name == "g"
    assert [node.type for node in graph.topological_order()] == ["Data", "Const", "Add", "NetOutput"]
    graph.verify()
