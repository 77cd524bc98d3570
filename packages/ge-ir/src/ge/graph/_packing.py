"""Python values to the bytes of a constant, and back. numpy is imported only where it is needed."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from ge.graph._dtypes import info, to_numpy_dtype
from ge.graph._enums import DataType

__all__ = ["element_count", "flatten", "is_array", "nest", "pack", "pack_strings", "to_packed", "unpack", "unpack_bits"]

_INT_BITS: dict[DataType, tuple[int, bool]] = {
    DataType.DT_INT4: (4, True),
    DataType.DT_UINT4: (4, False),
    DataType.DT_INT2: (2, True),
    DataType.DT_UINT2: (2, False),
    DataType.DT_UINT1: (1, False),
}
_INT_CODES = "bBhHiIqQ"


def is_array(value: Any) -> bool:
    """Whether the value is a numpy array or scalar (or acts as one), without importing numpy."""
    return hasattr(value, "dtype") and hasattr(value, "__array__") and hasattr(value, "tolist")


def element_count(dims: Sequence[int]) -> int:
    """Product of the sizes; 1 for a scalar."""
    count = 1
    for dim in dims:
        count *= dim
    return count


def flatten(value: Any) -> tuple[list[Any], list[int]]:
    """Elements and shape of nested lists or tuples; a plain value is a scalar, ``[]`` has shape ``[0]``.

    Raises:
        ValueError: The nesting is ragged.
        TypeError: An inner list is empty.
    """
    if not isinstance(value, (list, tuple)):
        return [value], []
    if not value:
        return [], [0]
    if not any(isinstance(item, (list, tuple)) for item in value):
        return list(value), [len(value)]
    flat: list[Any] = []
    inner: list[int] | None = None
    for position, item in enumerate(value):
        if isinstance(item, (list, tuple)) and not item:
            raise TypeError(f"inner list {position} is empty; give an array of the wanted shape instead")
        elements, dims = flatten(item)
        if inner is None:
            inner = dims
        elif dims != inner:
            raise ValueError(f"nested list is ragged: item 0 has shape {inner}, item {position} has shape {dims}")
        flat += elements
    return flat, [len(value), *(inner or [])]


def nest(flat: Sequence[Any], dims: Sequence[int]) -> Any:
    """Nested lists of that shape; the element itself for a scalar."""
    if not dims:
        return flat[0]
    if len(dims) == 1:
        return list(flat)
    step = element_count(dims[1:])
    return [nest(flat[start * step : (start + 1) * step], dims[1:]) for start in range(dims[0])]


def pack(flat: Sequence[Any], dtype: DataType) -> bytes:
    """Bytes of the elements in that type.

    Raises:
        ValueError: An element does not fit the type (range, a fraction for an integer type, no number).
        ImportError: The type needs ``ml_dtypes``.
    """
    if dtype in _INT_BITS:
        bits, signed = _INT_BITS[dtype]
        low = -(1 << bits - 1) if signed else 0
        return pack_bits([_checked_int(item, dtype, low, low + (1 << bits) - 1) for item in flat], bits)
    code = info(dtype).code
    if not code:
        return _pack_with_numpy(flat, dtype)
    if code == "?":
        flat = [_checked_bool(item, dtype) for item in flat]
    elif code in _INT_CODES:
        bits = info(dtype).bits
        low = -(1 << bits - 1) if code.islower() else 0
        flat = [_checked_int(item, dtype, low, low + (1 << bits) - 1) for item in flat]
    else:
        flat = [_checked_float(item, dtype) for item in flat]
    try:
        return struct.pack(f"={len(flat)}{code}", *flat)
    except (struct.error, OverflowError) as error:
        raise ValueError(f"a value does not fit {dtype.name}: {error}") from None


def _checked_int(item: Any, dtype: DataType, low: int, high: int) -> int:
    if type(item) is not int:
        if isinstance(item, float) and item.is_integer():
            item = int(item)
        elif hasattr(item, "__index__"):
            item = item.__index__()
        else:
            raise ValueError(f"{item!r} ({type(item).__name__}) is no integer and does not fit {dtype.name}")
    if not low <= item <= high:
        raise ValueError(f"{item} is outside the range of {dtype.name}: {low} to {high}")
    return int(item)


def _checked_bool(item: Any, dtype: DataType) -> bool:
    if item is True or item is False or (isinstance(item, (int, float)) and item in (0, 1)):
        return bool(item)
    raise ValueError(f"{item!r} does not fit {dtype.name}: expected True, False, 0 or 1")


def _checked_float(item: Any, dtype: DataType) -> float:
    if isinstance(item, float):
        return item
    if isinstance(item, int) or hasattr(item, "__float__"):
        return float(item)
    raise ValueError(f"{item!r} ({type(item).__name__}) is no number and does not fit {dtype.name}")


def _pack_with_numpy(flat: Sequence[Any], dtype: DataType) -> bytes:
    target = to_numpy_dtype(dtype)
    import numpy as np

    try:
        return to_packed(np.array(list(flat)).astype(target), dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"values do not fit {dtype.name}: {error}") from None


def to_packed(array: Any, dtype: DataType) -> bytes:
    """Bytes of a numpy array whose dtype is that of ``dtype``; sub-byte types are packed, low bits first."""
    bits = info(dtype).bits
    if bits >= 8:
        data: bytes = array.tobytes()
        return data
    import numpy as np

    return pack_bits((array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)).tolist(), bits)


def pack_bits(values: Sequence[int], bits: int) -> bytes:
    """Packs small integers, low bits first; the last byte is filled with zeros."""
    per_byte, mask = 8 // bits, (1 << bits) - 1
    packed = bytearray((len(values) + per_byte - 1) // per_byte)
    for position, value in enumerate(values):
        packed[position // per_byte] |= (value & mask) << bits * (position % per_byte)
    return bytes(packed)


def unpack_bits(data: bytes, count: int, bits: int, signed: bool) -> list[int]:
    """Inverse of `pack_bits`."""
    per_byte, mask, sign = 8 // bits, (1 << bits) - 1, 1 << bits - 1
    values = [data[position // per_byte] >> bits * (position % per_byte) & mask for position in range(count)]
    return [value - (1 << bits) if value & sign else value for value in values] if signed else values


def pack_strings(flat: Sequence[Any]) -> tuple[bytes, list[int]]:
    """Joined bytes and offsets (count + 1) of texts.

    Raises:
        ValueError: An element is neither str nor bytes.
    """
    parts, offsets, total = [], [0], 0
    for item in flat:
        if isinstance(item, str):
            item = item.encode("utf-8", "surrogateescape")
        elif not isinstance(item, bytes):
            raise ValueError(f"{item!r} ({type(item).__name__}) is no text and does not fit DT_STRING")
        parts.append(item)
        total += len(item)
        offsets.append(total)
    return b"".join(parts), offsets


def unpack(data: bytes, dtype: DataType, count: int) -> list[Any]:
    """Python values of packed bytes, for types with a struct code and small integers.

    Raises:
        ValueError: The type has no Python form without numpy.
    """
    if dtype in _INT_BITS:
        return unpack_bits(data, count, *_INT_BITS[dtype])
    code = info(dtype).code
    if not code:
        raise ValueError(f"{dtype.name} has no plain Python form")
    return list(struct.unpack(f"={count}{code}", data))
