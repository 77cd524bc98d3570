"""Python signature and help text of an op function, from the schema."""

from __future__ import annotations

import inspect
import keyword
from typing import Any

from ge.es._schema import AttributeKind, AttributeSchema, OpSchema, Parameter, ParameterKind

__all__ = ["RESERVED", "input_names", "make_doc", "make_signature", "output_names", "variadic_count_name"]

#: Keywords of every op function; an operator with an attribute of such a name takes it as ``<name>_attr``.
RESERVED = ("owner_builder", "node_name", "output_count")

_INPUT_HINTS = {
    ParameterKind.SINGLE: "TensorLike",
    ParameterKind.OPTIONAL: "TensorLike | None",
    ParameterKind.VARIADIC: "Sequence[TensorLike]",
}
_ATTRIBUTE_HINTS = {
    AttributeKind.INT: "int",
    AttributeKind.FLOAT: "float",
    AttributeKind.STRING: "str",
    AttributeKind.TENSOR: "Tensor | ndarray",
    AttributeKind.GRAPH: "Graph",
    AttributeKind.TYPE_PROTO: "str",
    AttributeKind.SPARSE_TENSOR: "object",
    AttributeKind.BOOL: "bool",
    AttributeKind.DATA_TYPE: "DataType",
}


def _identifier(name: str) -> str:
    """A Python name for a formal name such as ``outputs...``."""
    text = "".join(letter if letter.isalnum() else "_" for letter in name).strip("_")
    return f"{text}_" if keyword.iskeyword(text) or not text.isidentifier() else text


def input_names(schema: OpSchema) -> list[str]:
    """Parameter names of the inputs; one that an attribute has too gets ``_input`` behind it."""
    taken = {*schema.attributes, *RESERVED}
    names = (_identifier(parameter.name) for parameter in schema.inputs)
    return [f"{name}_input" if name in taken else name for name in names]


def output_names(schema: OpSchema) -> list[str]:
    """Field names of the outputs."""
    return [_identifier(parameter.name) for parameter in schema.outputs]


def variadic_count_name(schema: OpSchema) -> str | None:
    """Keyword that says how many values the variadic output has, ``<output>_num``; None without such an output."""
    return f"{output_names(schema)[-1]}_num" if schema.variadic_output is not None else None


def _hint(attribute: AttributeSchema) -> str:
    hint = _ATTRIBUTE_HINTS.get(attribute.kind)
    if hint is None:
        single = AttributeKind(attribute.kind.value[:-1])
        hint = f"Sequence[{_ATTRIBUTE_HINTS[single]}]"
    return hint if attribute.required or attribute.default is not None else f"{hint} | None"


def _input_parameters(schema: OpSchema) -> list[inspect.Parameter]:
    """Inputs in order. One may be left out only if every later one may be too, as Python demands."""
    parameters: list[inspect.Parameter] = []
    may_omit = True
    for parameter, name in zip(reversed(schema.inputs), reversed(input_names(schema))):
        default: Any = inspect.Parameter.empty
        if parameter.kind is ParameterKind.VARIADIC and _variadic_minimum(schema) == 0:
            default = ()
        elif parameter.kind is ParameterKind.OPTIONAL and may_omit:
            default = None
        may_omit = default is not inspect.Parameter.empty
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=_INPUT_HINTS[parameter.kind]))
    return parameters[::-1]


def _variadic_minimum(schema: OpSchema) -> int:
    return max(0, schema.min_input - (len(schema.inputs) - 1))


def make_signature(schema: OpSchema) -> inspect.Signature:
    """The signature: inputs, then keywords: attributes, output counts, ``node_name``, ``owner_builder``.

    An operator without inputs has ``owner_builder`` first, and it may be given by position.
    """
    only = inspect.Parameter.KEYWORD_ONLY
    builder = inspect.Parameter(
        "owner_builder",
        only if schema.inputs else inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None if schema.inputs else inspect.Parameter.empty,
        annotation="GraphBuilder | None" if schema.inputs else "GraphBuilder",
    )
    parameters = _input_parameters(schema) or [builder]
    for attribute in sorted(schema.attributes.values(), key=lambda item: not item.required):
        default = inspect.Parameter.empty if attribute.required else attribute.default
        name = attribute_keyword(attribute.name)
        parameters.append(inspect.Parameter(name, only, default=default, annotation=_hint(attribute)))
    count_name = variadic_count_name(schema)
    if count_name is not None:
        parameters.append(inspect.Parameter(count_name, only, default=None, annotation="int | None"))
    elif any(output.kind is ParameterKind.OPTIONAL for output in schema.outputs):
        parameters.append(inspect.Parameter("output_count", only, default=None, annotation="int | None"))
    parameters.append(inspect.Parameter("node_name", only, default=None, annotation="str | None"))
    if schema.inputs:
        parameters.append(builder)
    return inspect.Signature(parameters, return_annotation=_return_hint(schema))


def attribute_keyword(name: str) -> str:
    """Keyword of an attribute."""
    return f"{name}_attr" if name in RESERVED else name


def _return_hint(schema: OpSchema) -> str:
    if len(schema.outputs) == 1:
        return "list[TensorHolder]" if schema.variadic_output is not None else "TensorHolder"
    if not schema.outputs:
        return "list[TensorHolder]"
    required = sum(output.kind is ParameterKind.SINGLE for output in schema.outputs)
    return f"TensorHolder | {schema.name}Output" if required == 1 else f"{schema.name}Output"


def _parameter_line(schema: OpSchema, parameter: Parameter, name: str) -> str:
    kinds = {ParameterKind.SINGLE: "", ParameterKind.OPTIONAL: ", optional", ParameterKind.VARIADIC: ", any number"}
    types = " ".join(schema.allowed_types(parameter)) or "any type"
    letter = f"{parameter.type}: " if parameter.type in schema.type_constraints else ""
    return f"    {name}{kinds[parameter.kind]}: {letter}{types}"


def make_doc(schema: OpSchema) -> str:
    """Help text: the operator, its inputs and outputs with their types, its attributes with their defaults."""
    where = schema.domain or ("ai.onnx" if schema.since_version else "the graph engine")
    since = f", form of opset {schema.since_version}" if schema.since_version else ""
    lines = [f"Adds a node of operator {schema.name} of {where}{since}."]
    if schema.inputs:
        lines += ["", "Inputs:"]
        lines += [_parameter_line(schema, p, name) for p, name in zip(schema.inputs, input_names(schema))]
    if schema.attributes:
        lines += ["", "Attributes:"]
        for attribute in schema.attributes.values():
            state = "required" if attribute.required else f"default {attribute.default!r}"
            lines.append(f"    {attribute_keyword(attribute.name)}: {attribute.kind.value}, {state}")
    if schema.outputs:
        lines += ["", "Outputs:"]
        lines += [_parameter_line(schema, p, name) for p, name in zip(schema.outputs, output_names(schema))]
    return "\n".join(lines)
