"""The loaded library for the ctypes binding: slots, per-thread buffers, errors, input structs.

Importing this module loads ``libge_ir.so``.

Reading a name or a type takes well under a microsecond only if a call creates nothing but its result. Hence:
slots that return at once are bound without giving up the GIL, results go to buffers that a thread keeps, and pointers
to them are passed as plain integers made once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import (
    PYFUNCTYPE,
    Structure,
    addressof,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_ssize_t,
    c_uint32,
    c_uint64,
    c_void_p,
    cast,
    py_object,
    pythonapi,
    sizeof,
)
from typing import Any, NoReturn

from ge.graph import _abi
from ge.graph._errors import error_of
from ge.graph._library import find_library, load_error

__all__ = [
    "Buffers",
    "api",
    "buffers",
    "bytes_at",
    "expired",
    "fail",
    "out_of_range",
    "quick",
    "raw",
    "set_error_factory",
    "text_at",
    "text_or_bytes_at",
]

# ge_status values that are more than failures here
NOT_FOUND = 5
OUT_OF_RANGE = 7
BUFFER_TOO_SMALL = 12
VERIFY_FAILED = 14
EXPIRED = 21


def _load() -> _abi.Api:
    path = find_library()
    try:
        return _abi.load(path)
    except (OSError, _abi.AbiError) as error:
        raise load_error(error) from error


api = _load()
raw = api.raw
bytes_at = _abi.bytes_at
_valid_text_at = PYFUNCTYPE(py_object, c_void_p, c_ssize_t)(("PyUnicode_FromStringAndSize", pythonapi))
_make_error: Callable[[int, str, str], BaseException] = error_of


def set_error_factory(factory: Callable[[int, str, str], BaseException]) -> None:
    """Sets what makes exceptions."""
    global _make_error
    _make_error = factory


def text_at(address: int | None, size: int) -> str:
    """Text of a borrowed view; bytes that are not UTF-8 come back as surrogate escapes."""
    try:
        text: str = _valid_text_at(address, size)
    except UnicodeDecodeError:
        return _abi.str_at(address, size)
    return text


def text_or_bytes_at(address: int | None, size: int) -> str | bytes:
    """As `text_at`, but bytes that are not UTF-8 come back as ``bytes``."""
    try:
        text: str = _valid_text_at(address, size)
    except UnicodeDecodeError:
        return bytes_at(address, size)
    return text


def quick(slot: str) -> Callable[..., int]:
    """A slot bound for calls that are too short to give up the GIL for; pointers are plain integers."""
    slow: Any = getattr(raw, slot)
    types = getattr(slow, "argtypes", None)
    if types is None:  # a slot that the loaded library does not have
        return slow  # type: ignore[no-any-return]
    simple = (c_char_p, c_uint64, c_uint32, c_int32, c_void_p)
    plain = [kind if kind in simple else c_void_p for kind in types]
    return PYFUNCTYPE(c_int32, *plain)(cast(slow, c_void_p).value)  # type: ignore[arg-type]


class Buffers:
    """What one thread passes to slots for their results."""

    __slots__ = (
        "attr",
        "attr_in",
        "desc",
        "error",
        "handles",
        "numbers",
        "out",
        "p",
        "p0",
        "p1",
        "p2",
        "p_attr",
        "p_attr_in",
        "p_desc",
        "p_error",
        "p_spec",
        "room",
        "s0",
        "s1",
        "s2",
        "small",
        "spec",
    )

    def __init__(self) -> None:
        self.error = _abi.new_error()
        self.p_error = addressof(self.error)
        self.out = (c_uint64 * 4)()
        self.p0 = addressof(self.out)
        self.p1, self.p2 = self.p0 + 8, self.p0 + 16
        self.small = (c_uint32 * 4)()
        self.s0 = addressof(self.small)
        self.s1, self.s2 = self.s0 + 4, self.s0 + 8
        self.attr = _abi.ge_ir_attr()
        self.p_attr = addressof(self.attr)
        self.attr_in = AttrIn(struct_size=sizeof(AttrIn))
        self.p_attr_in = addressof(self.attr_in)
        self.desc = _abi.ge_ir_desc()
        self.p_desc = addressof(self.desc)
        self.spec = NodeSpecIn(struct_size=sizeof(NodeSpecIn))
        self.p_spec = addressof(self.spec)
        self.grow(64)

    def grow(self, room: int) -> None:
        """Makes room for listings of that many entries."""
        self.room = room
        self.handles = (c_uint64 * room)()
        self.numbers = (c_uint32 * room)()


class _Local(threading.local):
    def __init__(self) -> None:
        self.b = Buffers()


# Overlays of input structs with `bytes` for the pointers: the field keeps them alive, and no cast is needed.
# A test compares sizes and offsets with the generated structs.


class AttrIn(Structure):
    """``ge_ir_attr`` for setting."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("kind", c_uint32),
        ("i", c_int64),
        ("f", c_double),
        ("data", c_char_p),
        ("offsets", c_char_p),
        ("count", c_uint64),
    ]


class NodeSpecIn(Structure):
    """``ge_ir_node_spec``."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("type_symbol", c_uint32),
        ("domain_symbol", c_uint32),
        ("op_version", c_int32),
        ("name", c_char_p),
        ("name_size", c_uint64),
        ("input_nodes", c_char_p),
        ("input_indices", c_char_p),
        ("input_count", c_uint64),
        ("output_count", c_uint64),
        ("before", c_uint64),
    ]


class DescIn(Structure):
    """``ge_ir_desc`` for setting."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("dtype", c_int32),
        ("format", c_int32),
        ("origin_format", c_int32),
        ("rank_kind", c_uint32),
        ("origin_rank_kind", c_uint32),
        ("dims", c_char_p),
        ("dim_symbols", c_char_p),
        ("dim_count", c_uint64),
        ("origin_dims", c_char_p),
        ("origin_dim_count", c_uint64),
        ("type_text", c_char_p),
        ("type_text_size", c_uint64),
    ]


class TensorSpecIn(Structure):
    """``ge_ir_tensor_spec``; ``data`` is an address."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("dtype", c_int32),
        ("format", c_int32),
        ("flags", c_uint32),
        ("dims", c_char_p),
        ("dim_count", c_uint64),
        ("data", c_void_p),
        ("size", c_uint64),
        ("offsets", c_char_p),
        ("drop", c_void_p),
        ("user", c_void_p),
    ]


buffers = _Local()


def fail(status: int, slot: str, item: Any = None) -> NoReturn:
    """Raises for a status, with the text of this thread's error block; ``item`` is the object the call was for."""
    if item is not None and not item._handle:
        raise expired(item, slot)
    block = buffers.b.error
    text = _abi.error_text(block)
    block.length = 0
    raise _make_error(status, text, slot)


def out_of_range(index: int, slot: str = "") -> BaseException:
    """The exception for an index that does not fit a slot's parameter; ctypes would cut it in silence."""
    return _make_error(OUT_OF_RANGE, f"index must be 0 to {2**32 - 1}, found {index}", slot)


def expired(item: Any, slot: str = "") -> BaseException:
    """The exception for an object without a handle, or of a graph without one."""
    return _make_error(EXPIRED, f"{type(item).__name__} has expired", slot)
