"""Every mistake in a call of an op function is one error that names operator, argument, expected and found."""

from __future__ import annotations

import numpy as np
import pytest
from ge.es import GraphBuilder
from ge.es import framework as fw
from ge.es import onnx as ops
from ge.graph import DataType, Graph


@pytest.fixture
def x():
    return GraphBuilder("g").create_input(0, shape=[2, 4])


def _node_count(holder):
    return holder.node.graph.node_count


CASES = {
    "misspelt attribute": (
        lambda x: ops.Conv(x, x, kernel_shap=[3]),
        TypeError,
        "Conv-11: unknown attribute 'kernel_shap'; did you mean 'kernel_shape'?",
    ),
    "strange attribute": (
        lambda x: ops.Relu(x, qwertz=1),
        TypeError,
        "Relu-14: unknown attribute 'qwertz'; its attributes are: none",
    ),
    "attribute of another opset": (
        lambda x: ops.opset(13).Split(x, num_outputs=2),
        TypeError,
        "Split-13: unknown attribute 'num_outputs'; the forms of opset 18 have it, not that of 13",
    ),
    "int from text": (
        lambda x: ops.Conv(x, x, group="2"),
        TypeError,
        "Conv-11: attribute 'group': expected int, found '2' of type str",
    ),
    "int from float": (
        lambda x: ops.Concat([x], axis=1.0),
        TypeError,
        "Concat-13: attribute 'axis': expected int, found 1.0 of type float",
    ),
    "int too large": (
        lambda x: ops.Concat([x], axis=2**63),
        ValueError,
        "Concat-13: attribute 'axis': 9223372036854775808 does not fit 64 bits",
    ),
    "float from text": (
        lambda x: ops.Elu(x, alpha="1"),
        TypeError,
        "Elu-6: attribute 'alpha': expected float, found '1' of type str",
    ),
    "float too large": (
        lambda x: ops.Elu(x, alpha=1e39),
        ValueError,
        "Elu-6: attribute 'alpha': 1e+39 is too large for float32",
    ),
    "text from int": (
        lambda x: ops.Conv(x, x, auto_pad=1),
        TypeError,
        "Conv-11: attribute 'auto_pad': expected str, found 1 of type int",
    ),
    "list from int": (
        lambda x: ops.Conv(x, x, pads=1),
        TypeError,
        "Conv-11: attribute 'pads': expected a list of int, found 1 of type int",
    ),
    "list from text": (
        lambda x: ops.RNN(x, x, x, activations="Tanh"),
        TypeError,
        "RNN-14: attribute 'activations': expected a list of str, found 'Tanh' of type str",
    ),
    "element of a list": (
        lambda x: ops.Conv(x, x, pads=[0, None]),
        TypeError,
        "Conv-11: attribute 'pads'[1]: expected int, found None of type NoneType",
    ),
    "tensor from list": (
        lambda x: ops.ConstantOfShape(x, value=[1.0]),
        TypeError,
        "ConstantOfShape-21: attribute 'value': expected Tensor or numpy array, found [1.0] of type list",
    ),
    "graph from text": (
        lambda x: ops.If(x, then_branch="a", else_branch=Graph("e")),
        TypeError,
        "If-21: attribute 'then_branch': expected a Graph, found 'a' of type str",
    ),
    "graphs from one graph": (
        lambda x: fw.Case(x, [], branches=Graph("b"), output_num=1),
        TypeError,
        "Case-0: attribute 'branches': expected a list of Graph, at least one, found Graph('b', 0 nodes) of type Graph",
    ),
    "type text": (
        lambda x: ops.Optional(x, type="seq(float)"),
        ValueError,
        "Optional-15: attribute 'type': type text 'seq(float)': column 5: expected tensor, sparse_tensor, "
        "seq, optional, "
        "map or opaque, found 'float)'",
    ),
    "a type that ONNX lacks": (
        lambda x: ops.Cast(x, to=DataType.DT_HIFLOAT8),
        ValueError,
        "Cast-21: attribute 'to': DT_HIFLOAT8 is no ONNX type",
    ),
    "sparse attribute": (
        lambda x: ops.Constant(x.get_owner_builder(), sparse_value=np.ones(1)),
        TypeError,
        "Constant-21: attribute 'sparse_value' is a SPARSE_TENSOR, which an op function cannot take yet: set "
        "it on the node",
    ),
    "required attribute": (
        lambda x: ops.Concat([x]),
        TypeError,
        "Concat-13: attribute 'axis' (INT) is required",
    ),
    "required input": (lambda x: ops.Conv(x), TypeError, "Conv-11: input 'W' is required"),
    "too many positions": (
        lambda x: ops.Relu(x, x),
        TypeError,
        "Relu-14: takes 1 positional arguments (X), found 2; attributes are given by keyword",
    ),
    "variadic by positions": (
        lambda x: ops.Sum(x, x),
        TypeError,
        "Sum-13: takes 1 positional arguments (data_0), found 2; attributes are given by keyword, and input "
        "'data_0' is "
        "one list",
    ),
    "variadic as one tensor": (
        lambda x: ops.Sum(x),
        TypeError,
        "Sum-13: input 'data_0': expected a list of tensors, found TensorHolder('input_0') of type TensorHolder",
    ),
    "empty variadic": (
        lambda x: ops.Sum([], owner_builder=x.get_owner_builder()),
        ValueError,
        "Sum-13: input 'data_0': expected at least 1 values, found 0",
    ),
    "absent in a list": (
        lambda x: ops.Sum([x, None]),
        TypeError,
        "Sum-13: input data_0[1] is None; every value of this list is required",
    ),
    "given twice": (
        lambda x: ops.Relu(x, X=x),
        TypeError,
        "Relu-14: argument 'X' is given twice, by position and by keyword",
    ),
    "no builder": (
        lambda x: ops.Add(1, 2),
        ValueError,
        "Add-14: no operand belongs to a GraphBuilder: pass a tensor, or name one with owner_builder=",
    ),
    "wrong builder": (
        lambda x: ops.Add(1, 2, owner_builder="g"),
        TypeError,
        "Add-14: owner_builder: expected a GraphBuilder, found 'g' of type str",
    ),
    "two builders": (
        lambda x: ops.Add(x, GraphBuilder("h").create_input(0)),
        ValueError,
        "Add-14: tensors from different GraphBuilders cannot be combined: 'g' and 'h'",
    ),
    "builder and tensor of another": (
        lambda x: ops.Relu(x, owner_builder=GraphBuilder("h")),
        ValueError,
        "Relu-14: input 'X' belongs to GraphBuilder 'g', the others to 'h'",
    ),
    "operand of no kind": (
        lambda x: ops.Add(x, {}),
        TypeError,
        "Add-14: input 'B': operand must be a TensorHolder, a number, a nested list, a numpy array or None, "
        "found dict: {}",
    ),
    "number of outputs missing": (
        lambda x: ops.Split(x),
        TypeError,
        "Split-18: say how many outputs there are: outputs_num=...",
    ),
    "number of outputs of no kind": (
        lambda x: ops.Split(x, outputs_num="2"),
        TypeError,
        "Split-18: outputs_num: expected int, found '2' of type str",
    ),
    "too many outputs": (
        lambda x: ops.Dropout(x, output_count=3),
        ValueError,
        "Dropout-13: output_count: expected 1 to 2, found 3",
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_error(x, case):
    call, kind, text = CASES[case]
    before = _node_count(x)
    with pytest.raises(kind) as caught:
        call(x)
    assert str(caught.value) == text
    assert type(caught.value) is kind
    assert _node_count(x) == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Convv", "operator 'Convv' is not in domain 'ai.onnx' at opset 21; did you mean 'Conv'?"),
        ("Upsample", "operator 'Upsample' is deprecated since opset 10 of <ops of 'ai.onnx' at opset 21>"),
        ("Data", "'Data' is an operator of the graph engine, not of ONNX: use ge.es.framework.Data"),
    ],
)
def test_no_such_operator(name, text):
    with pytest.raises(AttributeError) as caught:
        getattr(ops, name)
    assert str(caught.value) == text


def test_no_such_opset():
    with pytest.raises(ValueError, match=r"opset 99 of domain 'ai\.onnx' is not known: expected 1 to \d+"):
        ops.opset(99)
    with pytest.raises(TypeError, match="opset must be an int, found '13' of type str"):
        ops.opset("13")
    with pytest.raises(ValueError, match=r"opset 0 of domain 'ai\.onnx\.ml' is not known"):
        ops.ml.opset(0)
