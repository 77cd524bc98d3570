"""Op functions: every operator of every opset can be made, and the results have the right form."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from ge.es import GraphBuilder, TensorHolder
from ge.es import framework as fw
from ge.es import onnx as ops
from ge.es._ops_function import make_op_function
from ge.es._ops_signature import attribute_keyword, input_names, variadic_count_name
from ge.es._schema import AttributeKind, ParameterKind
from ge.es._schema_framework import FRAMEWORK_SCHEMAS
from ge.es._schema_register import register_op
from ge.es._schema_registry import find_schema, newest_opset
from ge.es._schema_table import load_shipped_table, shipped_domains
from ge.graph import AttrValueType, DataType, Graph, Tensor

_VALUES = {
    AttributeKind.INT: 1,
    AttributeKind.FLOAT: 0.5,
    AttributeKind.STRING: "text",
    AttributeKind.INTS: [1, 2],
    AttributeKind.FLOATS: [0.5],
    AttributeKind.STRINGS: ["a"],
    AttributeKind.TYPE_PROTO: "seq(tensor(float))",
    AttributeKind.BOOL: True,
    AttributeKind.DATA_TYPE: DataType.DT_INT32,
}


def _value(kind):
    if kind is AttributeKind.GRAPH:
        return _body()
    if kind is AttributeKind.GRAPHS:
        return [_body(), _body()]
    return np.ones(2, np.float32) if kind is AttributeKind.TENSOR else _VALUES[kind]


def _body():
    _body.count += 1
    graph = Graph(f"body_{_body.count}")
    graph.create_node("NetOutput", output_count=0)
    return graph


_body.count = 0


def _all_schemas():
    for domain in shipped_domains():
        table = load_shipped_table(domain)
        for name in table.names_at(10**6, deprecated=True):
            for version in table.versions(name):
                yield table.find(name, version)
    yield from FRAMEWORK_SCHEMAS.values()


def _call(schema, builder, x, attributes):
    """Calls the function of a schema with one tensor for every required input, and the given attributes."""
    operands = {}
    for parameter, name in zip(schema.inputs, input_names(schema)):
        if parameter.kind is ParameterKind.VARIADIC:
            operands[name] = [x] * max(1, schema.min_input - len(schema.inputs) + 1)
        elif parameter.kind is ParameterKind.SINGLE:
            operands[name] = x
        else:
            operands[name] = None
    keywords = {attribute_keyword(item.name): _value(item.kind) for item in attributes}
    count = variadic_count_name(schema)
    if count is not None:
        keywords[count] = 2
    function = make_op_function(schema, schema.since_version, __name__)
    return function(**operands, **keywords, owner_builder=builder)


@pytest.mark.parametrize("complete", [False, True], ids=["required", "every attribute"])
def test_every_operator_of_every_opset_can_be_made(complete):
    builder = GraphBuilder("all")
    x = builder.create_input(0, shape=[2, 2])
    made = 0
    for schema in _all_schemas():
        if schema.name == "NetOutput":
            continue  # the builder makes it
        attributes = [
            item
            for item in schema.attributes.values()
            if item.required or (complete and item.kind is not AttributeKind.SPARSE_TENSOR)
        ]
        result = _call(schema, builder, x, attributes)
        made += 1
        first = result if isinstance(result, TensorHolder) else next(iter(result), None)
        while isinstance(first, list):
            first = first[0]
        if first is None:
            assert not schema.outputs
            continue
        node = first.node
        assert (node.type, node.domain, node.op_version) == (schema.name, schema.domain, schema.since_version)
        bodies = [item.name for item in attributes if item.kind.is_graph]
        stored = {item.name for item in attributes} - set(bodies)
        assert stored <= set(node.attr_names)
        assert set(node.attr_names) - stored <= {"num_outputs"}
        assert all(any(key.startswith(body) for key in node.subgraphs) for body in bodies)
    assert made >= 659


def test_every_signature_is_visible_and_binds_the_required_parameters():
    for schema in _all_schemas():
        signature = inspect.signature(make_op_function(schema, schema.since_version, __name__))
        required = [p for p in signature.parameters.values() if p.default is inspect.Parameter.empty]
        positional = {p.name: None for p in required if p.kind is not inspect.Parameter.KEYWORD_ONLY}
        keywords = {p.name: None for p in required if p.kind is inspect.Parameter.KEYWORD_ONLY}
        signature.bind(*positional.values(), **keywords)
        assert set(keywords) == {attribute_keyword(a.name) for a in schema.attributes.values() if a.required}


def test_help_reads_like_the_operator():
    assert str(inspect.signature(ops.Gemm)) == (
        "(A: 'TensorLike', B: 'TensorLike', C: 'TensorLike | None' = None, *, alpha: 'float' = 1.0, beta: "
        "'float' = 1.0, "
        "transA: 'int' = 0, transB: 'int' = 0, node_name: 'str | None' = None, owner_builder: 'GraphBuilder | "
        "None' = None)"
        " -> 'TensorHolder'"
    )
    assert ops.Gemm.__name__ == "Gemm"
    assert "form of opset 13" in ops.Gemm.__doc__
    assert "    C, optional: T: tensor(bfloat16)" in ops.Gemm.__doc__


@pytest.fixture
def builder():
    return GraphBuilder("g")


@pytest.fixture
def x(builder):
    return builder.create_input(0, shape=[2, 4])


def test_nodes_carry_the_opset_of_their_namespace(x):
    assert ops.Relu(x).node.op_version == ops.DEFAULT_OPSET
    assert ops.opset(13).Relu(x).node.op_version == 13
    assert ops.ml.Normalizer(x, norm="L2").node.domain == "ai.onnx.ml"
    assert fw.PartitionedCall([x], f=_body(), output_num=1)[0].node.op_version == 0
    assert ops.opset(13) is ops.opset(13)
    assert ops.Relu is ops.opset(ops.DEFAULT_OPSET).Relu


def test_forms_differ_by_opset(x):
    assert list(inspect.signature(ops.opset(9).Clip).parameters)[:3] == ["input", "max", "min"]
    assert list(inspect.signature(ops.opset(11).Clip).parameters)[:3] == ["input", "min", "max"]
    assert ops.opset(9).Clip(x, max=6.0).node.input_count == 1


def test_all_lists_what_can_be_used():
    assert "Conv" in ops.__all__
    assert "Upsample" not in ops.__all__
    assert all(callable(getattr(ops, name)) for name in ops.__all__ if name not in ("DEFAULT_OPSET", "ml"))
    assert all(callable(getattr(fw, name)) for name in fw.__all__)
    assert all(callable(getattr(ops.ml, name)) for name in ops.ml.__all__ if name != "DEFAULT_OPSET")
    assert dir(ops) == sorted(ops.__all__)
    assert "Conv" in dir(ops.opset(7))


def test_absent_attributes_are_not_stored_and_none_means_absent(x):
    assert ops.Elu(x).node.attr_names == []
    assert ops.Elu(x, alpha=None).node.attr_names == []
    node = ops.Elu(x, alpha=0.1).node
    assert node.get_attr_type("alpha") is AttrValueType.VT_FLOAT32
    assert node.get_attr("alpha") == np.float32(0.1)


def test_attribute_values_are_stored_in_their_kind(builder, x):
    node = ops.MaxPool(x, kernel_shape=np.array([2]), strides=(1,), ceil_mode=True, auto_pad="VALID").node
    assert node.get_attr("kernel_shape") == [2]
    assert node.get_attr("strides") == [1]
    assert node.get_attr_type("ceil_mode") is AttrValueType.VT_INT
    assert ops.Cast(x, to=DataType.DT_BF16).node.get_attr("to") == 16
    assert ops.opset(11).Unsqueeze(x, axes=[]).node.get_attr_type("axes") is AttrValueType.VT_LIST_INT
    assert ops.Optional(None, type="optional(tensor(float))", owner_builder=builder).node.get_attr("type") == (
        "optional(tensor(float))"
    )
    tensor = Tensor([1.0, 2.0])
    assert ops.Constant(builder, value=tensor).node.get_attr("value").get_shape() == [2]
    assert (
        ops.TfIdfVectorizer(
            x,
            max_gram_length=1,
            max_skip_count=0,
            min_gram_length=1,
            mode="TF",
            ngram_counts=[0],
            ngram_indexes=[0],
            pool_int64s=[1],
        ).node.get_attr("mode")
        == "TF"
    )


def test_an_array_attribute_does_not_follow_later_writes(builder):
    array = np.array([1.0, 2.0], np.float32)
    node = ops.Constant(builder, value=array).node
    array[:] = 0
    assert node.get_attr("value").numpy().tolist() == [1.0, 2.0]


def test_results(x):
    assert isinstance(ops.Relu(x), TensorHolder)
    parts = ops.Split(x, axis=1, outputs_num=3)
    assert [part.index for part in parts] == [0, 1, 2]
    assert parts[0].node.get_attr("num_outputs") == 3
    top = ops.TopK(x, [2])
    assert type(top).__name__ == "TopKOutput"
    assert (top.Values.index, top.Indices.index) == (0, 1)
    assert isinstance(ops.Dropout(x), TensorHolder)
    assert ops.Dropout(x, output_count=2).mask.index == 1
    lstm = ops.LSTM(x, x, x, hidden_size=1)
    assert [holder.index for holder in lstm] == [0, 1, 2]
    assert ops.LSTM(x, x, x, hidden_size=1, output_count=1).node.output_count == 1
    merge = fw.StreamMerge([x, x])
    assert (merge.y.index, merge.value_index.index) == (0, 1)
    assert fw.NoOp(owner_builder=x.get_owner_builder()) == []


def test_counts_of_results_are_taken_from_bodies():
    builder = GraphBuilder("outer")
    cond = builder.create_input(0, data_type=DataType.DT_BOOL)
    bodies = []
    for name in ("then", "else"):
        inner = GraphBuilder(name)
        value = ops.Constant(inner, value_float=1.0)
        bodies.append(inner.build_and_reset([value, ops.Neg(value)]))
    assert len(ops.If(cond, then_branch=bodies[0], else_branch=bodies[1])) == 2
    inner = GraphBuilder("body")
    inner.create_input(0, data_type=DataType.DT_INT64)
    keep = inner.create_input(1, data_type=DataType.DT_BOOL)
    carried = inner.create_input(2)
    body = inner.build_and_reset([keep, ops.Neg(carried), carried])
    assert len(ops.Loop(3, cond, [1.0], body=body)) == 2


def test_absent_inputs_keep_their_slots_and_trailing_ones_go(x):
    node = ops.Clip(x, None, 6.0).node
    assert [value is None for value in node.inputs] == [False, True, False]
    assert ops.Clip(x, None, None).node.input_count == 1
    assert ops.Resize(x, None, None, [1, 2]).node.input_count == 4


def test_literals_take_the_type_of_their_partner(x, builder):
    assert ops.Add(x, 1).node.input(1)[0].get_output_desc(0).data_type is DataType.DT_FLOAT
    half = builder.create_input(1, data_type=DataType.DT_FLOAT16)
    assert ops.Clip(ops.Relu(half), 0, 6).node.input(2)[0].get_output_desc(0).data_type is DataType.DT_FLOAT16
    assert ops.Concat([half, [1, 2]], axis=0).node.input(1)[0].get_output_desc(0).data_type is DataType.DT_FLOAT16
    # the exponent of Pow has its own type letter
    assert ops.Pow(half, 2).node.input(1)[0].get_output_desc(0).data_type is DataType.DT_INT64


def test_literals_without_a_partner_take_a_type_that_the_operator_allows(x):
    sizes = ops.Resize(x, None, [1, 2]).node.input(2)[0].get_output_desc(0)
    assert sizes.data_type is DataType.DT_FLOAT
    assert ops.Reshape(x, [4, 2]).node.input(1)[0].get_output_desc(0).data_type is DataType.DT_INT64
    assert ops.Where([1, 0], x, 0).node.input(0)[0].get_output_desc(0).data_type is DataType.DT_BOOL


def test_known_result_types(x, builder):
    assert ops.Shape(x).data_type is DataType.DT_INT64
    assert ops.Cast(x, to=DataType.DT_DOUBLE).data_type is DataType.DT_DOUBLE
    assert ops.Greater(x, 0).data_type is DataType.DT_BOOL
    assert ops.TopK(x, [1]).Indices.data_type is DataType.DT_INT64
    assert ops.Constant(builder, value_ints=[1]).data_type is DataType.DT_INT64
    assert ops.ConstantOfShape([2], owner_builder=builder).data_type is DataType.DT_FLOAT
    assert ops.RandomNormal(builder, shape=[2]).data_type is DataType.DT_FLOAT
    assert ops.CastLike(x, ops.Shape(x)).data_type is DataType.DT_INT64
    # a sequence has no element type to pass on
    assert ops.SequenceAt(ops.SequenceConstruct([x]), 0).data_type is DataType.DT_UNDEFINED


def test_an_operator_without_operands_takes_its_builder_first(builder):
    assert ops.RandomNormal(builder, shape=[1]).get_owner_builder() is builder
    assert ops.RandomNormal(owner_builder=builder, shape=[1], node_name="noise").node.name == "noise"
    assert ops.Add(1.0, 2.0, owner_builder=builder).get_owner_builder() is builder


def test_a_registered_operator_gets_a_function(x):
    from ge.es._ops_namespace import OpNamespace

    register_op("Mix", domain="test.functions", inputs=["a", "b?"], outputs=["y", "z?"], attributes={"name": "STRING!"})
    space = OpNamespace("test.functions", 1, __name__)
    made = space.Mix(x, name="n", output_count=2)
    assert (made.y.node.domain, made.y.node.get_attr("name"), made.z.index) == ("test.functions", "n", 1)
    assert newest_opset("test.functions") == 0
    assert find_schema("test.functions", "Mix", 1).outputs[1].kind is ParameterKind.OPTIONAL
