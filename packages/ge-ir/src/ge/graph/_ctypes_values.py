"""Attributes and descriptors for the ctypes binding: native structs to the plain forms of `_contract`, and back."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from ctypes import addressof, sizeof
from typing import Any, Callable

from ge.graph._ctypes_native import (
    BUFFER_TOO_SMALL,
    NOT_FOUND,
    Buffers,
    DescIn,
    buffers,
    bytes_at,
    fail,
    quick,
    raw,
    text_at,
    text_or_bytes_at,
)
from ge.graph._ctypes_symbols import symbol, symbol_text

__all__ = ["attr_find", "attr_keys", "attr_set", "desc_find", "desc_set"]

(NONE, INT, FLOAT, STRING, BOOL, DTYPE, TENSOR, BYTES, TYPE, REFERENCE, FLOAT32) = range(11)
(LIST_INT, LIST_FLOAT, LIST_STRING, LIST_BOOL, LIST_DTYPE, LIST_TENSOR, LIST_TYPE, LIST_LIST_INT, LIST_FLOAT32) = range(
    16, 25
)

_IN_I = frozenset((INT, BOOL, DTYPE))
_IN_F = frozenset((FLOAT, FLOAT32))

_attr_get = quick("attr_get")
_attr_set = quick("attr_set")
_desc_get = quick("desc_get")
_desc_set = quick("desc_set")


def attr_find(item: Any, scope: int, index: int, key: str, wrap_tensor: Callable[[int], Any]) -> Any:
    """(kind, value) of an attribute, or the status if the call failed."""
    b = buffers.b
    data = key.encode("utf-8", "surrogateescape")
    status = _attr_get(item._handle, scope, index, data, len(data), b.p_attr, b.p_error)
    if status:
        return status
    attr = b.attr
    kind = attr.kind
    if kind == INT:
        return kind, attr.i
    if kind == STRING:
        return kind, text_or_bytes_at(attr.data, attr.count)
    if kind in _IN_F:
        return kind, attr.f
    return kind, _other_value(attr, kind, wrap_tensor)


def _other_value(attr: Any, kind: int, wrap_tensor: Callable[[int], Any]) -> Any:
    if kind == BOOL:
        return bool(attr.i)
    if kind == DTYPE:
        return attr.i
    if kind == TENSOR:
        return wrap_tensor(attr.i & 0xFFFFFFFFFFFFFFFF)
    if kind == BYTES:
        return bytes_at(attr.data, attr.count)
    if kind == TYPE:
        return text_at(attr.data, attr.count)
    if kind == REFERENCE:
        return text_at(attr.data, attr.count), attr.i
    return None if kind == NONE else _list_value(attr, kind, wrap_tensor)


_LIST_CODES = {LIST_INT: "q", LIST_FLOAT: "d", LIST_FLOAT32: "d", LIST_DTYPE: "i", LIST_TENSOR: "Q"}


def _numbers(address: int | None, code: str, count: int) -> list[Any]:
    values: array[Any] = array(code)
    if count:
        values.frombytes(bytes_at(address, count * values.itemsize))
    return values.tolist()


def _list_value(attr: Any, kind: int, wrap_tensor: Callable[[int], Any]) -> list[Any]:
    count = attr.count
    code = _LIST_CODES.get(kind)
    if code is not None:
        values = _numbers(attr.data, code, count)
        return [wrap_tensor(value) for value in values] if kind == LIST_TENSOR else values
    if kind == LIST_BOOL:
        return [bool(value) for value in bytes_at(attr.data, count)]
    pointer = attr.offsets
    offsets = pointer[: count + 1] if count else [0]
    if kind == LIST_LIST_INT:
        flat = _numbers(attr.data, "q", offsets[-1])
        return [flat[first:last] for first, last in zip(offsets, offsets[1:])]
    joined = bytes_at(attr.data, offsets[-1])
    return [_decoded(joined[first:last]) for first, last in zip(offsets, offsets[1:])]


def _decoded(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def attr_set(item: Any, scope: int, index: int, key: str, kind: int, value: Any) -> None:
    """Sets an attribute from its plain form."""
    b = buffers.b
    attr = b.attr_in
    attr.kind = kind
    if kind in _IN_I:
        attr.i = value
        attr.count = 0
    elif kind in _IN_F:
        attr.f = value
        attr.count = 0
    else:
        _fill(attr, kind, value)
    data = key.encode("utf-8", "surrogateescape")
    status = _attr_set(item._handle, scope, index, data, len(data), b.p_attr_in, b.p_error)
    attr.data = attr.offsets = None
    attr.i, attr.f = 0, 0.0
    if status:
        fail(status, "attr_set", item)


def _encoded(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _fill(attr: Any, kind: int, value: Any) -> None:
    if kind == TENSOR:
        # The field is signed; handles use the top bits.
        attr.i = value._handle - (1 << 64) if value._handle >> 63 else value._handle
        attr.count = 0
    elif kind == REFERENCE:
        data = _encoded(value[0])
        attr.data, attr.count, attr.i = data, len(data), value[1]
    elif kind < LIST_INT:
        data = _encoded(value)
        attr.data, attr.count = data, len(data)
    else:
        attr.data, offsets = _packed_list(kind, value)
        attr.offsets = None if offsets is None else offsets
        attr.count = len(value)


def _packed_list(kind: int, value: Sequence[Any]) -> tuple[bytes, bytes | None]:
    if kind == LIST_TENSOR:
        return array("Q", [item._handle for item in value]).tobytes(), None
    code = _LIST_CODES.get(kind)
    if code is not None:
        return array(code, value).tobytes(), None
    if kind == LIST_BOOL:
        return bytes(bytearray(bool(item) for item in value)), None
    if kind == LIST_LIST_INT:
        flat = array("q", [number for row in value for number in row]).tobytes()
        return flat, _offsets([len(row) for row in value])
    parts = [_encoded(item) for item in value]
    return b"".join(parts), _offsets([len(part) for part in parts])


def _offsets(lengths: Sequence[int]) -> bytes:
    total, ends = 0, [0]
    for length in lengths:
        total += length
        ends.append(total)
    return array("Q", ends).tobytes()


def attr_keys(item: Any, scope: int, index: int) -> list[str]:
    """Keys of the attributes."""
    b = buffers.b
    status = raw.attr_keys(item._handle, scope, index, b.numbers, b.room, b.p0, b.p_error)
    if status == BUFFER_TOO_SMALL:
        b.grow(b.out[0])
        status = raw.attr_keys(item._handle, scope, index, b.numbers, b.room, b.p0, b.p_error)
    if status:
        fail(status, "attr_keys", item)
    return [symbol_text(number) for number in b.numbers[: b.out[0]]]


# ------------------------------------------------------------------ descriptors


def desc_find(item: Any, scope: int, index: int) -> Any:
    """Plain descriptor, or ``None`` if there is none."""
    b = buffers.b
    status = _desc_get(item._handle, scope, index, b.p_desc, b.p_error)
    if status == NOT_FOUND:
        return None
    if status:
        fail(status, "desc_get", item)
    desc = b.desc
    count, origin_count = desc.dim_count, desc.origin_dim_count
    symbols = None
    if count and desc.dim_symbols:
        numbers = desc.dim_symbols[:count]
        if any(numbers):
            symbols = tuple(symbol_text(number) if number else None for number in numbers)
    return (
        desc.dtype,
        desc.format,
        desc.origin_format,
        desc.rank_kind,
        tuple(desc.dims[:count]) if count else (),
        symbols,
        desc.origin_rank_kind,
        tuple(desc.origin_dims[:origin_count]) if origin_count else (),
        _type_text(b),
    )


def _type_text(b: Buffers) -> str | None:
    desc = b.desc
    if not desc.type_text:
        return None
    return text_at(addressof(desc.type_text.contents), desc.type_text_size)


def desc_set(item: Any, scope: int, index: int, desc: Sequence[Any]) -> None:
    """Sets a descriptor from its plain form."""
    dtype, layout, origin_layout, kind, dims, symbols, origin_kind, origin_dims, text = desc
    native = DescIn(sizeof(DescIn), dtype, layout, origin_layout, kind, origin_kind)
    native.dims, native.dim_count = array("q", dims).tobytes(), len(dims)
    native.origin_dims, native.origin_dim_count = array("q", origin_dims).tobytes(), len(origin_dims)
    if symbols is not None:
        native.dim_symbols = array("I", [symbol(name) if name else 0 for name in symbols]).tobytes()
    if text is not None:
        data = text.encode()
        native.type_text, native.type_text_size = data, len(data)
    b = buffers.b
    status = _desc_set(item._handle, scope, index, addressof(native), b.p_error)
    if status:
        fail(status, "desc_set", item)
