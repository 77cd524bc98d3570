"""Which nodes of one opset may stand in a model of another."""

from __future__ import annotations

import pytest
from ge.es._schema_compat import incompatibility
from ge.es.schema import get_schema


def _reason(name, made, wanted, inputs=1, outputs=1, attributes=()):
    return incompatibility(get_schema("", name, made), get_schema("", name, wanted), inputs, outputs, attributes)


@pytest.mark.parametrize(
    ("name", "made", "wanted", "inputs", "attributes"),
    [
        ("Reshape", 21, 17, 2, ["allowzero"]),  # more types
        ("Reshape", 14, 13, 2, []),  # allowzero is new, but not used
        ("Cast", 21, 13, 1, ["to"]),
        ("Pad", 21, 13, 3, ["mode"]),  # the input axes is new, but not used
        ("Split", 18, 13, 2, ["axis"]),
        ("Relu", 6, 21, 1, []),
        ("If", 21, 11, 1, ["then_branch", "else_branch"]),
        ("MaxPool", 8, 22, 1, ["kernel_shape"]),
    ],
)
def test_the_same_node(name, made, wanted, inputs, attributes):
    assert _reason(name, made, wanted, inputs, 1, attributes) == ""


@pytest.mark.parametrize(
    ("name", "made", "wanted", "inputs", "attributes", "reason"),
    [
        ("Softmax", 11, 13, 1, ["axis"], "attribute 'axis' is another one there"),
        ("Softmax", 21, 11, 1, [], "attribute 'axis' is another one there"),
        ("Reshape", 14, 13, 2, ["allowzero"], "it has no attribute 'allowzero' there"),
        ("Split", 18, 13, 1, ["num_outputs"], "it has no attribute 'num_outputs' there"),
        ("Clip", 6, 11, 1, ["max"], "attribute 'max' is another one there"),
        ("ReduceMax", 18, 13, 2, [], "attribute 'axes' is another one there"),
        ("Resize", 11, 10, 3, [], "input 1 is another one there"),
        ("Pad", 21, 13, 4, [], "input 3 is another one there"),
        ("BatchNormalization", 14, 9, 5, [], "input 3 is another one there"),
        ("Upsample", 9, 10, 2, [], "it is deprecated there"),
        ("GroupNormalization", 21, 18, 3, [], "it is deprecated there"),
    ],
)
def test_another_node(name, made, wanted, inputs, attributes, reason):
    assert _reason(name, made, wanted, inputs, 1, attributes) == reason


def test_counts_of_outputs_matter():
    assert _reason("MaxPool", 8, 1, 1, 1, ["kernel_shape"]) == ""
    assert _reason("MaxPool", 8, 1, 1, 2, ["kernel_shape"]) == "output 1 is another one there"
