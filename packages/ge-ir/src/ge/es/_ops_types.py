"""Element types of results, as far as a schema alone tells them.

A known type lets a later literal operand take it, and gives a graph output the type that ONNX demands. Shapes are
left to shape inference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, Sequence

from ge.es._ops_attributes import AttrItem
from ge.es._schema import OpSchema, Parameter
from ge.graph import AttrValueType, DataType, Format
from ge.graph._dtypes import dtype_from_onnx
from ge.onnx._type_text import ELEMENTS

if TYPE_CHECKING:
    from ge.es.graph_builder import TensorHolder

__all__ = ["set_output_types"]

_OUTPUT = 1  # ge_ir_scope
_UNDEFINED = int(DataType.DT_UNDEFINED)
_ND = int(Format.FORMAT_ND)
_BY_TEXT = {f"tensor({name})": number for number, name in ELEMENTS.items() if number}
# Attributes that name the element type of the result, by ONNX number.
_TYPE_ATTRIBUTES = ("to", "dtype", "output_dtype", "output_datatype")
_CONSTANT_TYPES = {
    "value_int": DataType.DT_INT64,
    "value_ints": DataType.DT_INT64,
    "value_float": DataType.DT_FLOAT,
    "value_floats": DataType.DT_FLOAT,
    "value_string": DataType.DT_STRING,
    "value_strings": DataType.DT_STRING,
}


def set_output_types(
    schema: OpSchema,
    inputs: Sequence[TensorHolder | None],
    attributes: Mapping[str, AttrItem],
    outputs: Sequence[TensorHolder],
) -> None:
    """Sets the element type of each output whose type is sure; others stay undefined.

    An output has a sure type if it shares its constraint letter with an input of known type, if the operator allows
    just one type, or if an attribute names it.
    """
    known = _input_types(schema, inputs)
    named = _attribute_type(schema, attributes)
    for index, holder in enumerate(outputs):
        parameter = _formal(schema.outputs, index)
        if not parameter.type or not parameter.homogeneous:
            continue
        dtype = known.get(parameter.type)
        if dtype is None:
            dtype = _only_type(schema, parameter)
        if dtype is None and parameter.type in schema.type_constraints:
            dtype = named
        if dtype is not None:
            holder._node._desc_set(_OUTPUT, index, (dtype, _ND, _ND, 0, (), None, 0, (), None))


def _formal(parameters: Sequence[Parameter], index: int) -> Parameter:
    return parameters[min(index, len(parameters) - 1)]


def _input_types(schema: OpSchema, inputs: Sequence[TensorHolder | None]) -> dict[str, int]:
    known: dict[str, int] = {}
    for index, holder in enumerate(inputs):
        parameter = _formal(schema.inputs, index)
        if holder is None or not parameter.homogeneous or parameter.type in known:
            continue
        dtype = holder._known_type()
        if dtype != _UNDEFINED:
            known[parameter.type] = dtype
    return known


def _only_type(schema: OpSchema, parameter: Parameter) -> int | None:
    allowed = schema.allowed_types(parameter)
    if len(allowed) != 1 or allowed[0] not in _BY_TEXT:
        return None
    return int(dtype_from_onnx(_BY_TEXT[allowed[0]]))


def _attribute_type(schema: OpSchema, attributes: Mapping[str, AttrItem]) -> int | None:
    for name in _TYPE_ATTRIBUTES:
        if name in schema.attributes:
            default = schema.attributes[name].default
            number = attributes[name][1] if name in attributes else default
            return int(dtype_from_onnx(number)) if number in ELEMENTS and number else None
    value = attributes.get("value")
    if value is not None and value[0] == AttrValueType.VT_TENSOR:
        return int(value[1]._info()[0])
    if schema.name == "ConstantOfShape" and not schema.domain:
        return int(DataType.DT_FLOAT)
    return next((int(dtype) for name, dtype in _CONSTANT_TYPES.items() if name in attributes), None)
