"""Whether a node that was written for one opset means the same at another."""

from __future__ import annotations

from typing import Collection, Sequence

from ge.es._schema import OpSchema, Parameter

__all__ = ["incompatibility"]


def incompatibility(
    made: OpSchema, wanted: OpSchema, input_count: int, output_count: int, attributes: Collection[str]
) -> str:
    """Why a node of one form of an operator is no node of another form; empty if it is one.

    A form that only takes more types, or has further optional attributes and inputs that the node does not use, reads
    the same. One whose attributes lose, change or newly demand something, or whose inputs have another meaning (name),
    does not: Softmax of opset 11 and of 13 differ in the default of ``axis``, Resize of 10 and 11 in the second input.

    Args:
        made: The form the node was written for.
        wanted: The form it would be read as.
        input_count: Input slots of the node.
        output_count: Outputs of the node.
        attributes: Names of the attributes and bodies it has.
    """
    if made is wanted:
        return ""
    if wanted.deprecated:
        return "it is deprecated there"
    older, newer = sorted((made, wanted), key=lambda schema: schema.since_version)
    for name, attribute in older.attributes.items():
        if newer.attributes.get(name) != attribute:
            return f"attribute {name!r} is another one there"
    for name, attribute in wanted.attributes.items():
        if name not in made.attributes and attribute.required and name not in attributes:
            return f"attribute {name!r} is required there"
    for name in attributes:
        if name in made.attributes and name not in wanted.attributes:
            return f"it has no attribute {name!r} there"
    return _operands("input", made.inputs, wanted.inputs, input_count, wanted.min_input) or _operands(
        "output", made.outputs, wanted.outputs, output_count, wanted.min_output
    )


def _operands(what: str, made: Sequence[Parameter], wanted: Sequence[Parameter], count: int, minimum: int) -> str:
    if count < minimum:
        return f"it needs {minimum} {what}s there"
    for index in range(min(count, max(len(made), len(wanted)))):
        if index >= len(wanted) or index >= len(made) or made[index].name != wanted[index].name:
            return f"{what} {index} is another one there"
    return ""
