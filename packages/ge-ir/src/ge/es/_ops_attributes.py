"""Checks attribute arguments of op functions and turns them into stored values.

A stored value is what the primitive layer of ``ge.graph`` takes: a kind of ``ge_ir_attr_kind`` and a plain value.
"""

from __future__ import annotations

import ctypes
import operator
from typing import Any, Callable, Tuple

from ge.es._schema import AttributeKind, AttributeSchema, OpSchema
from ge.graph import AttrValueType, DataType
from ge.graph._dtypes import info

__all__ = ["AttrItem", "encode_attribute"]

AttrItem = Tuple[AttrValueType, Any]

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


def encode_attribute(schema: OpSchema, attribute: AttributeSchema, value: object) -> AttrItem:
    """The stored form of an attribute argument.

    Rules: a bool or a numpy integer is an int; an int is a float where a float is wanted; a tuple or a one-dimensional
    array is a list; a numpy array is a tensor; a ``DataType`` given to an ONNX int attribute (``to``, ``dtype``)
    becomes ONNX's number of that type. Floats are rounded to float32, which is what ONNX stores.

    Args:
        schema: The operator, for error texts.
        attribute: The attribute.
        value: What the caller gave; not None.

    Raises:
        TypeError: The value is of another kind; names operator, attribute, expected and found.
        ValueError: An int needs more than 64 bits, or a float is too large for float32.
    """
    entry = _ENCODERS.get(attribute.kind)
    if entry is None:
        raise TypeError(
            f"{schema}: attribute {attribute.name!r} is a {attribute.kind.value}, which an op function cannot take "
            f"yet: set it on the node"
        )
    kind, item, what, is_list = entry
    where = f"{schema}: attribute {attribute.name!r}"
    if not is_list:
        return kind, _one(item, where, what, value)
    values = _sequence(value)
    if values is None:
        raise TypeError(f"{where}: expected a list of {what}, found {_shown(value)}")
    return kind, [_one(item, f"{where}[{index}]", what, element) for index, element in enumerate(values)]


def _one(item: Callable[[Any], Any], where: str, what: str, value: object) -> Any:
    try:
        return item(value)
    except TypeError:
        raise TypeError(f"{where}: expected {what}, found {_shown(value)}") from None
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{where}: {error}") from None


def _shown(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type {type(value).__name__}"


def _sequence(value: object) -> list[Any] | None:
    if isinstance(value, (list, tuple)):
        return list(value)
    # A numpy array, without importing numpy: strings and bytes have no ndim.
    if getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"):
        return list(value.tolist())
    return None


def _int(value: Any) -> int:
    # ONNX numbers element types in its own way; an int attribute that gets a DataType can only mean that number.
    number = _onnx_number(value) if isinstance(value, DataType) else operator.index(value)
    if not _INT64_MIN <= number <= _INT64_MAX:
        raise ValueError(f"{number} does not fit 64 bits")
    return number


def _onnx_number(value: DataType) -> int:
    number = info(value).onnx
    if not number:
        raise ValueError(f"{value.name} is no ONNX type")
    return number


def _float(value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__") or getattr(value, "ndim", 0) != 0:
        raise TypeError
    number = float(value)
    rounded = ctypes.c_float(number).value
    if abs(rounded) == float("inf") and abs(number) != float("inf"):
        raise ValueError(f"{number!r} is too large for float32")
    return rounded


def _string(value: Any) -> str | bytes:
    if not isinstance(value, (str, bytes)):
        raise TypeError
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise TypeError
    return bool(value)


def _data_type(value: Any) -> int:
    if not isinstance(value, DataType):
        raise TypeError
    return int(value)


def _tensor(value: Any) -> Any:
    from ge.graph import Tensor

    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__array_interface__") and hasattr(value, "flags"):
        # The graph must not change when the caller writes to the array later.
        return Tensor.from_numpy(value, copy=bool(value.flags.writeable))
    raise TypeError


def _type_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    from ge.onnx._type_text import parse_type

    parse_type(value)  # ValueError names the place of a mistake
    return value


_Entry = Tuple[AttrValueType, Callable[[Any], Any], str, bool]
_ENCODERS: dict[AttributeKind, _Entry] = {
    AttributeKind.INT: (AttrValueType.VT_INT, _int, "int", False),
    AttributeKind.FLOAT: (AttrValueType.VT_FLOAT32, _float, "float", False),
    AttributeKind.STRING: (AttrValueType.VT_STRING, _string, "str", False),
    AttributeKind.TENSOR: (AttrValueType.VT_TENSOR, _tensor, "Tensor or numpy array", False),
    AttributeKind.TYPE_PROTO: (AttrValueType.VT_TYPE, _type_text, "type text such as 'seq(tensor(float))'", False),
    AttributeKind.BOOL: (AttrValueType.VT_BOOL, _bool, "bool", False),
    AttributeKind.DATA_TYPE: (AttrValueType.VT_DATA_TYPE, _data_type, "DataType", False),
    AttributeKind.INTS: (AttrValueType.VT_LIST_INT, _int, "int", True),
    AttributeKind.FLOATS: (AttrValueType.VT_LIST_FLOAT32, _float, "float", True),
    AttributeKind.STRINGS: (AttrValueType.VT_LIST_STRING, _string, "str", True),
    AttributeKind.TENSORS: (AttrValueType.VT_LIST_TENSOR, _tensor, "Tensor or numpy array", True),
    AttributeKind.TYPE_PROTOS: (AttrValueType.VT_LIST_TYPE, _type_text, "type text such as 'seq(tensor(float))'", True),
    AttributeKind.BOOLS: (AttrValueType.VT_LIST_BOOL, _bool, "bool", True),
    AttributeKind.DATA_TYPES: (AttrValueType.VT_LIST_DATA_TYPE, _data_type, "DataType", True),
}
