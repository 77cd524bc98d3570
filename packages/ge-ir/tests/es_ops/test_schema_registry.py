"""Finding schemas and registering operators."""

from __future__ import annotations

import pytest
from ge.error import GeError
from ge.es._schema_framework import FRAMEWORK_SCHEMAS
from ge.es.schema import (
    AttributeKind,
    AttributeSchema,
    Parameter,
    ParameterKind,
    UnknownOperatorError,
    find_schema,
    get_schema,
    is_known_domain,
    op_names,
    register_op,
)


def test_framework_operators_lie_below_every_opset():
    assert find_schema("", "Data", 0) is FRAMEWORK_SCHEMAS["Data"]
    assert find_schema("", "PartitionedCall", 17).since_version == 0
    assert find_schema("", "If", 0).inputs[1].kind is ParameterKind.VARIADIC
    assert find_schema("", "If", 16).since_version == 16
    assert op_names("", 0) == sorted(FRAMEWORK_SCHEMAS)


def test_framework_forms():
    while_op = FRAMEWORK_SCHEMAS["While"]
    assert while_op.attributes["body"].kind is AttributeKind.GRAPH
    assert while_op.attributes["body"].required
    assert not while_op.attributes["parallel_iterations"].required
    assert while_op.max_input is None
    assert not while_op.deterministic
    assert FRAMEWORK_SCHEMAS["StatelessWhile"].deterministic
    assert FRAMEWORK_SCHEMAS["Const"].attributes["value"].required
    assert (FRAMEWORK_SCHEMAS["End"].min_input, FRAMEWORK_SCHEMAS["End"].max_input) == (1, 1)


@pytest.mark.parametrize(
    ("domain", "name", "opset", "text"),
    [
        ("", "Convv", 17, "operator 'Convv' is not in domain 'ai.onnx' at opset 17; did you mean 'Conv'?"),
        ("", "conv", 17, "operator 'conv' is not in domain 'ai.onnx' at opset 17; did you mean 'Conv'?"),
        ("", "Gelu", 13, "operator 'Gelu' of domain 'ai.onnx' exists from opset 20 on, expected at opset 13"),
        ("", "Qwertz", 13, "operator 'Qwertz' is not in domain 'ai.onnx' at opset 13"),
        (
            "com.example.none",
            "Foo",
            1,
            "operator 'Foo' is not in domain 'com.example.none' at opset 1: nothing is known of this domain (known: "
            "'ai.onnx', 'ai.onnx.ml', 'ai.onnx.preview', 'ai.onnx.preview.training'); register its operators with "
            "ge.es.schema.register_op",
        ),
    ],
)
def test_an_unknown_operator_is_named_with_a_hint(domain, name, opset, text):
    with pytest.raises(UnknownOperatorError) as caught:
        get_schema(domain, name, opset)
    assert str(caught.value) == text
    assert isinstance(caught.value, GeError)
    assert isinstance(caught.value, LookupError)


def test_a_registered_operator_is_found_by_version():
    first = register_op("Blend", domain="test.registry", inputs=["a", "b?"], attributes={"ratio": "FLOAT!"})
    second = register_op("Blend", domain="test.registry", inputs=["a", "b", "rest*"], since_version=3)
    assert find_schema("test.registry", "Blend", 2) is first
    assert find_schema("test.registry", "Blend", 3) is second
    assert find_schema("test.registry", "Blend", 0) is None
    assert is_known_domain("test.registry")
    assert first.attributes["ratio"] == AttributeSchema("ratio", AttributeKind.FLOAT, required=True)
    assert (first.min_input, first.max_input) == (1, 2)
    assert (second.min_input, second.max_input) == (2, None)
    assert op_names("test.registry", 3) == ["Blend"]


def test_registering_the_same_form_again_changes_nothing():
    forms = [register_op("Same", domain="test.registry.same", inputs=[Parameter("x")]) for _ in range(2)]
    assert forms[0] == forms[1]
    with pytest.raises(ValueError, match=r"test\.registry\.same::Same-1 is already registered with another form"):
        register_op("Same", domain="test.registry.same", inputs=["x", "y"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": "Add", "domain": ""}, "operator 'Add' of domain 'ai.onnx' is built in"),
        ({"name": "NetOutput", "domain": "ai.onnx"}, "operator 'NetOutput' of domain 'ai.onnx' is built in"),
        ({"name": "a b", "domain": "t"}, "operator type 'a b' is no identifier"),
        ({"name": "V", "domain": "t", "inputs": ["x*", "y"]}, "only the last input of 'V' may be variadic"),
        ({"name": "V", "domain": "t", "outputs": ["x", "x"]}, "output 'x' of 'V' is no identifier or stands twice"),
    ],
)
def test_a_bad_registration_is_refused(arguments, text):
    name = arguments.pop("name")
    with pytest.raises(ValueError) as caught:
        register_op(name, **arguments)
    assert text in str(caught.value)


def test_a_bad_attribute_kind_is_refused():
    with pytest.raises(ValueError, match="'NUMBER' is not a valid AttributeKind"):
        register_op("BadKind", domain="t", attributes={"a": "NUMBER"})
