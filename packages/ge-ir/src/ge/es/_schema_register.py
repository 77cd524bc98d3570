"""Registers operators of a user."""

from __future__ import annotations

from dataclasses import replace
from typing import Mapping, Sequence, Union

from ge.es._schema import AttributeKind, AttributeSchema, OpSchema, Parameter, ParameterKind, normalize_domain
from ge.es._schema_commutative import COMMUTATIVE
from ge.es._schema_framework import make_attribute, make_parameter
from ge.es._schema_registry import add_schema

__all__ = ["register_op"]

_AnyAttribute = Union[str, AttributeKind, AttributeSchema]
_AnyParameter = Union[str, Parameter]


def register_op(
    name: str,
    *,
    domain: str,
    inputs: Sequence[_AnyParameter] = (),
    outputs: Sequence[_AnyParameter] = ("output",),
    attributes: Mapping[str, _AnyAttribute] | None = None,
    since_version: int = 1,
    commutative: bool = False,
    deterministic: bool = True,
) -> OpSchema:
    """Makes an operator known, so that it gets an op function, checks and pattern properties.

    Args:
        name: Operator type.
        domain: Its domain. The default domain takes new names only.
        inputs: Formal inputs in order: ``"x"`` single, ``"x?"`` optional, ``"x*"`` variadic (last one only).
        outputs: Formal outputs, written the same way.
        attributes: Kind by attribute name, for example ``{"epsilon": "FLOAT", "axis": "INT!"}``; ``!`` is required. An
            :class:`AttributeSchema` says a default as well.
        since_version: First version of the domain with this form.
        commutative: The order of the inputs does not matter.
        deterministic: Equal inputs give equal outputs.

    Returns:
        The schema. Registering the same one again changes nothing.

    Raises:
        ValueError: The name belongs to a shipped operator, or to another registered form of the same version, or the
            parameters are not in a possible order.
    """
    if not name.isidentifier():
        raise ValueError(f"register_op: operator type {name!r} is no identifier")
    domain = normalize_domain(domain)
    ins = _checked(name, "input", tuple(make_parameter(item) for item in inputs))
    outs = _checked(name, "output", tuple(make_parameter(item) for item in outputs))
    kinds = {key: make_attribute(key, value) for key, value in sorted((attributes or {}).items())}
    schema = replace(
        _bare(name, domain, ins, outs, since_version),
        attributes=kinds,
        deterministic=deterministic,
        commutative=commutative or (domain, name) in COMMUTATIVE,
    )
    add_schema(schema)
    return schema


def _bare(
    name: str, domain: str, ins: tuple[Parameter, ...], outs: tuple[Parameter, ...], since_version: int
) -> OpSchema:
    """A schema with its operands alone."""
    return OpSchema(
        domain=domain,
        name=name,
        since_version=since_version,
        inputs=ins,
        outputs=outs,
        min_input=_minimum(ins),
        max_input=_maximum(ins),
        min_output=_minimum(outs),
        max_output=_maximum(outs),
    )


def _minimum(parameters: tuple[Parameter, ...]) -> int:
    """Values up to the last single parameter: those before it have a slot even when absent."""
    singles = [index for index, parameter in enumerate(parameters) if parameter.kind is ParameterKind.SINGLE]
    return singles[-1] + 1 if singles else 0


def _maximum(parameters: tuple[Parameter, ...]) -> int | None:
    return None if any(p.kind is ParameterKind.VARIADIC for p in parameters) else len(parameters)


def _checked(name: str, what: str, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    names = [parameter.name for parameter in parameters]
    for parameter in parameters:
        if not parameter.name.isidentifier() or names.count(parameter.name) > 1:
            raise ValueError(f"register_op: {what} {parameter.name!r} of {name!r} is no identifier or stands twice")
    if any(parameter.kind is ParameterKind.VARIADIC for parameter in parameters[:-1]):
        raise ValueError(f"register_op: only the last {what} of {name!r} may be variadic, found {names}")
    return parameters
