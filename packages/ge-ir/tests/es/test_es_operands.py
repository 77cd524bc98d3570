"""Operators on tensors, literals, arrays, and what belongs to which builder."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from ge.es import GraphBuilder
from ge.es.tensor_like import convert_to_tensor_holder, partner_data_type, resolve_builder
from ge.graph import DataType, Tensor


@pytest.fixture
def x():
    return GraphBuilder("g").create_input(0, shape=[2])


def constant(tensor, slot):
    """Constant that an operand became."""
    return tensor.node.inputs[slot][0].get_attr("value")


OPERATORS = [
    (lambda a, b: a + b, "Add"),
    (lambda a, b: a - b, "Sub"),
    (lambda a, b: a * b, "Mul"),
    (lambda a, b: a / b, "Div"),
    (lambda a, b: a**b, "Pow"),
    (lambda a, b: a @ b, "MatMul"),
]


@pytest.mark.parametrize(("operator", "op_type"), OPERATORS, ids=[name for _, name in OPERATORS])
def test_operators(x, operator, op_type):
    y = x.get_owner_builder().create_input(1, shape=[2])
    node = operator(x, y).node
    assert (node.type, node.domain, node.inputs) == (op_type, "", [(x.node, 0), (y.node, 0)])
    node = operator(x, [1, 2]).node
    assert node.inputs[0] == (x.node, 0) and node.inputs[1][0].type == "Const"
    node = operator([1, 2], x).node
    assert node.inputs[1] == (x.node, 0) and node.inputs[0][0].type == "Const"
    node = operator(np.ones(2, np.float32), x).node
    assert node.type == op_type and node.inputs[0][0].type == "Const" and node.inputs[1] == (x.node, 0)


def test_named_operators_and_minus(x):
    assert [call(x).node.type for call in (x.add, x.sub, x.mul, x.div)] == ["Add", "Sub", "Mul", "Div"]
    assert (-x).node.type == "Neg" and (-x).node.inputs == [(x.node, 0)]


def test_comparison_stays_identity(x):
    y = x.get_owner_builder().create_input(1)
    assert (x == y) is False and (x == x) is True and len({x, y}) == 2
    with pytest.raises(TypeError):
        _ = x < y


def test_bad_operands(x):
    for bad in ("1", {}, object(), None, [None], ["a"]):
        with pytest.raises(TypeError):
            _ = x + bad


def test_builders_do_not_mix(x):
    other = GraphBuilder("h").create_input(0)
    builder = x.get_owner_builder()
    for operator, _ in OPERATORS:
        with pytest.raises(ValueError, match="tensors from different GraphBuilders"):
            operator(x, other)
    for call in (
        lambda: builder.set_graph_output(other, 0),
        lambda: builder.build_and_reset([other]),
        lambda: builder.add_control_dependency(x, [other]),
        lambda: builder.add_control_dependency(other, [x]),
        lambda: builder.set_tensor_attr_int64(other, "k", 1),
        lambda: builder.set_node_attr_int64(other, "k", 1),
        lambda: builder._add_op("Concat", [x, other]),
        lambda: convert_to_tensor_holder(other, builder),
        lambda: resolve_builder(x, [other]),
    ):
        with pytest.raises(ValueError, match="different GraphBuilders"):
            call()
    assert other.node.use_count() == 0 and x.node.use_count() == 0


# -- literals


@pytest.mark.parametrize(
    "data_type", ["FLOAT", "FLOAT16", "DOUBLE", "BF16", "INT32", "INT64", "UINT8", "INT8", "FLOAT8_E5M2"]
)
def test_a_literal_takes_the_type_of_its_partner(data_type):
    wanted = DataType[f"DT_{data_type}"]
    x = GraphBuilder("g").create_input(0, data_type=wanted)
    for result, slot in ((x + 2, 1), (2 * x, 0), (x - 2.0, 1)):
        value = constant(result, slot)
        assert value.data_type is wanted and value.get_data() == 2 and value.get_shape() == []
    value = constant(x * [[1, 2.0]], 1)
    assert value.data_type is wanted and value.get_data() == [[1, 2]]


def test_the_type_goes_through_arithmetic():
    x = GraphBuilder("g").create_input(0, data_type=DataType.DT_FLOAT16)
    chain = (-(x * x) + 1) / 3
    assert chain.data_type is DataType.DT_FLOAT16 and constant(chain, 1).data_type is DataType.DT_FLOAT16


def test_a_literal_that_does_not_fit():
    builder = GraphBuilder("g")
    whole, small = (
        builder.create_input(0, data_type=DataType.DT_INT64),
        builder.create_input(1, data_type=DataType.DT_INT8),
    )
    with pytest.raises(
        ValueError, match=r"literal 0\.5 does not fit the element type of the other operand: .*DT_INT64"
    ):
        _ = whole + 0.5
    with pytest.raises(ValueError, match=r"literal 300 .*300 is outside the range of DT_INT8"):
        _ = small * 300
    assert builder._graph.node_count == 2


def test_without_a_partner():
    builder = GraphBuilder("g")
    cases = [
        (1, DataType.DT_INT64, []),
        (1.5, DataType.DT_FLOAT, []),
        (True, DataType.DT_BOOL, []),
        ([1, 2], DataType.DT_INT64, [2]),
        ([1, 2.0], DataType.DT_FLOAT, [2]),
        ([[1], [2], [3]], DataType.DT_INT64, [3, 1]),
        (((1.0, 2.0),), DataType.DT_FLOAT, [1, 2]),
        ([], DataType.DT_INT64, [0]),
    ]
    for value, data_type, shape in cases:
        holder = convert_to_tensor_holder(value, builder)
        assert (holder.data_type, holder.shape, holder.node.type) == (data_type, shape, "Const")
    assert convert_to_tensor_holder(None, builder) is None
    unknown = builder._add_op("Custom", [])[0]
    assert constant(unknown + 1, 1).data_type is DataType.DT_INT64
    assert convert_to_tensor_holder(1, builder, unknown).data_type is DataType.DT_INT64
    assert convert_to_tensor_holder(1, builder, builder.create_scalar_float(1)).data_type is DataType.DT_FLOAT
    assert partner_data_type([1, None, unknown, [builder.create_scalar_int32(1)]]) is DataType.DT_INT32


def test_bad_literals():
    builder = GraphBuilder("g")
    with pytest.raises(ValueError, match="ragged"):
        convert_to_tensor_holder([[1, 2], [3]], builder)
    for bad in ({}, "text", b"x", object(), [[1], []], [[]], ["a"], {1}):
        with pytest.raises(TypeError):
            convert_to_tensor_holder(bad, builder)
    assert builder._graph.node_count == 0


@pytest.mark.parametrize("numpy_type", ["float64", "int8", "bool", "bfloat16", "float16", "uint32"])
def test_arrays_keep_their_own_type(no_leak, numpy_type):
    x = GraphBuilder("g").create_input(0, shape=[2])
    array = np.ones((2, 3), getattr(ml_dtypes, numpy_type, numpy_type))
    value = constant(x + array, 1)
    assert value.numpy().dtype == array.dtype and value.get_shape() == [2, 3]
    assert constant(x + array[0, 0], 1).get_shape() == []
    array[:] = 0
    assert value.numpy().astype(int).tolist() == [[1, 1, 1], [1, 1, 1]]


def test_constants_are_shared(x):
    tensor = Tensor([1, 2], data_type=DataType.DT_INT8)
    assert constant(x + tensor, 1) == tensor and constant(x * tensor, 1) == tensor


# -- which builder


def test_resolving_the_builder(x):
    builder = x.get_owner_builder()
    for values in ((x, 1), (1, [2, x]), (None, builder), (builder, x), ((x, x),)):
        assert resolve_builder(*values) is builder
    for values in ((), (1, None), ([1, 2],)):
        with pytest.raises(ValueError, match=r"pass a tensor, or name one with owner_builder="):
            resolve_builder(*values)
    with pytest.raises(ValueError, match="different GraphBuilders"):
        resolve_builder(x, GraphBuilder("h"))
