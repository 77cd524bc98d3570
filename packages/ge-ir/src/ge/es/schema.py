"""What is known of operators, and how to make more known: schemas of ONNX, of the graph engine, and of users.

Example::

    from ge.es.schema import get_schema, register_op

    get_schema("", "Conv", 17).inputs[2].kind          # ParameterKind.OPTIONAL
    register_op("Blend", domain="com.example", inputs=["a", "b", "mask?"], attributes={"ratio": "FLOAT!"})
"""

from __future__ import annotations

from ge.es._schema import AttributeKind, AttributeSchema, OpSchema, Parameter, ParameterKind, normalize_domain
from ge.es._schema_register import register_op
from ge.es._schema_registry import (
    UnknownOperatorError,
    find_schema,
    get_schema,
    is_known_domain,
    newest_opset,
    op_names,
)

__all__ = [
    "AttributeKind",
    "AttributeSchema",
    "OpSchema",
    "Parameter",
    "ParameterKind",
    "UnknownOperatorError",
    "find_schema",
    "get_schema",
    "is_known_domain",
    "newest_opset",
    "normalize_domain",
    "op_names",
    "register_op",
]
