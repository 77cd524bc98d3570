"""Turns the operands of an op function into tensor holders of one builder."""

from __future__ import annotations

from typing import Any, Sequence

from ge.es._schema import OpSchema, Parameter, ParameterKind
from ge.es.graph_builder import GraphBuilder, TensorHolder
from ge.es.tensor_like import convert_to_tensor_holder, resolve_builder

__all__ = ["to_operands"]

# numpy type by ONNX type text, for literals that have no partner to take a type from
_LITERAL_TYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(int64)": "int64",
    "tensor(int32)": "int32",
    "tensor(uint64)": "uint64",
    "tensor(uint8)": "uint8",
    "tensor(bool)": "bool",
}


def to_operands(
    schema: OpSchema, names: Sequence[str], operands: Sequence[Any], owner_builder: object
) -> tuple[GraphBuilder, list[TensorHolder | None]]:
    """The builder of a call and its inputs, one per slot, trailing absent ones cut off.

    A literal takes the element type of the first operand that must have the same type; without one it keeps int64 or
    float32 if the operator allows it there, else the first type that the operator allows.

    Args:
        schema: The operator.
        names: Names of the inputs, for error texts.
        operands: One argument per formal input; a list for the variadic one.
        owner_builder: What the caller gave as ``owner_builder``.

    Raises:
        TypeError: An operand is missing, or no tensor and no literal.
        ValueError: Operands of two builders, no builder at all, or too few or absent variadic operands.
    """
    slots = _flatten(schema, names, operands)
    builder = _builder_of(schema, slots, owner_builder)
    partners: dict[str, TensorHolder] = {}
    for parameter, value in slots:
        if isinstance(value, TensorHolder):
            _check_owner(schema, parameter, value, builder)
            if parameter.homogeneous:
                partners.setdefault(parameter.type, value)
    inputs = [_convert(schema, parameter, value, builder, partners) for parameter, value in slots]
    while inputs and inputs[-1] is None:
        inputs.pop()
    return builder, inputs


def _flatten(schema: OpSchema, names: Sequence[str], operands: Sequence[Any]) -> list[tuple[Parameter, Any]]:
    slots: list[tuple[Parameter, Any]] = []
    for parameter, name, value in zip(schema.inputs, names, operands):
        if parameter.kind is not ParameterKind.VARIADIC:
            if value is None and parameter.kind is ParameterKind.SINGLE:
                raise TypeError(f"{schema}: input {name!r} is required")
            slots.append((parameter, value))
            continue
        values = _variadic_values(schema, name, value)
        least = max(0, schema.min_input - len(slots))
        if len(values) < least:
            raise ValueError(f"{schema}: input {name!r}: expected at least {least} values, found {len(values)}")
        slots.extend((parameter, item) for item in values)
    return slots


def _variadic_values(schema: OpSchema, name: str, value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{schema}: input {name!r}: expected a list of tensors, found {value!r} of type {_type(value)}")
    for index, item in enumerate(value):
        if item is None:
            raise TypeError(f"{schema}: input {name}[{index}] is None; every value of this list is required")
    return list(value)


def _type(value: object) -> str:
    return type(value).__name__


def _builder_of(schema: OpSchema, slots: Sequence[tuple[Parameter, Any]], owner_builder: object) -> GraphBuilder:
    if owner_builder is not None:
        if not isinstance(owner_builder, GraphBuilder):
            raise TypeError(
                f"{schema}: owner_builder: expected a GraphBuilder, "
                f"found {owner_builder!r} of type {_type(owner_builder)}"
            )
        return owner_builder
    try:
        return resolve_builder(*(value for _, value in slots))
    except ValueError as error:
        raise ValueError(f"{schema}: {error}") from None


def _check_owner(schema: OpSchema, parameter: Parameter, value: TensorHolder, builder: GraphBuilder) -> None:
    owner = value.get_owner_builder()
    if owner is not builder:
        raise ValueError(
            f"{schema}: input {parameter.name!r} belongs to GraphBuilder {owner.name!r}, the others to {builder.name!r}"
        )


def _convert(
    schema: OpSchema, parameter: Parameter, value: Any, builder: GraphBuilder, partners: dict[str, TensorHolder]
) -> TensorHolder | None:
    if value is None or isinstance(value, TensorHolder):
        return value
    partner = partners.get(parameter.type) if parameter.homogeneous else None
    if partner is None:
        value = _typed_literal(schema, parameter, value)
    try:
        return convert_to_tensor_holder(value, builder, partner)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{schema}: input {parameter.name!r}: {error}") from None


def _typed_literal(schema: OpSchema, parameter: Parameter, value: Any) -> Any:
    """The literal as an array of a type the operator allows; as it is where its natural type is allowed."""
    leaf = value
    while isinstance(leaf, list) and leaf:
        leaf = leaf[0]
    if not isinstance(leaf, (int, float, list)) or hasattr(value, "dtype"):
        return value
    natural = "tensor(float)" if isinstance(leaf, float) else "tensor(int64)"
    allowed = schema.allowed_types(parameter)
    if not allowed or natural in allowed:
        return value
    for type_text, numpy_name in _LITERAL_TYPES.items():
        if type_text in allowed and not (isinstance(leaf, float) and "int" in numpy_name):
            import numpy as np

            return np.asarray(value, dtype=numpy_name)
    return value
