"""Slots of ``libge_passes`` for the calls that hooks make: short, so the GIL is kept and buffers are reused.

Importing this module loads the library.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import PYFUNCTYPE, addressof, c_char_p, c_int32, c_uint32, c_uint64, c_void_p, cast
from typing import Any, NoReturn

from ge.passes import _abi
from ge.passes._errors import error_of
from ge.passes._library import api

__all__ = ["buffers", "call_text", "encode", "fail", "quick", "raw", "read_handles", "read_pairs", "text_at"]

_BUFFER_TOO_SMALL = 12

library = api()
raw = library.raw
text_at = _abi.str_at


class _Buffers(threading.local):
    """What one thread passes to slots for their results."""

    def __init__(self) -> None:
        self.error = _abi.new_error()
        self.p_error = addressof(self.error)
        self.out = (c_uint64 * 4)()
        self.p0 = addressof(self.out)
        self.p1 = self.p0 + 8
        self.p2 = self.p0 + 16
        self.small = (c_uint32 * 4)()
        self.s0 = addressof(self.small)
        self.grow(64)

    def grow(self, room: int) -> None:
        """Makes room for listings of that many entries."""
        self.room = room
        self.handles = (c_uint64 * room)()
        self.numbers = (c_uint32 * room)()
        self.p_handles = addressof(self.handles)
        self.p_numbers = addressof(self.numbers)


buffers = _Buffers()


def quick(slot: str) -> Callable[..., int]:
    """A slot bound for calls that are too short to give up the GIL for; pointers are plain integers."""
    slow: Any = getattr(raw, slot)
    types = getattr(slow, "argtypes", None)
    if types is None:  # a slot that the loaded library does not have
        return slow  # type: ignore[no-any-return]
    simple = (c_char_p, c_uint64, c_uint32, c_int32, c_void_p)
    plain = [kind if kind in simple else c_void_p for kind in types]
    return PYFUNCTYPE(c_int32, *plain)(cast(slow, c_void_p).value)  # type: ignore[arg-type]


def fail(status: int, slot: str) -> NoReturn:
    """Raises for a status, with the text of this thread's error block."""
    block = buffers.error
    text = _abi.error_text(block)
    block.length = 0
    raise error_of(status, text, slot)


def encode(text: str) -> bytes:
    """Bytes of a text for a slot."""
    return text.encode("utf-8", "surrogateescape")


def call_text(slot: Callable[..., int], name: str, *arguments: Any) -> str:
    """Result of a slot that gives one text."""
    b = buffers
    status = slot(*arguments, b.p0, b.p1, b.p_error)
    if status:
        fail(status, name)
    return text_at(b.out[0], b.out[1])


def read_handles(slot: Callable[..., int], name: str, *before: int) -> list[int]:
    """Result of a slot that lists handles."""
    b = buffers
    status = slot(*before, b.p_handles, b.room, b.p0, b.p_error)
    if status == _BUFFER_TOO_SMALL:
        b.grow(b.out[0])
        status = slot(*before, b.p_handles, b.room, b.p0, b.p_error)
    if status:
        fail(status, name)
    return b.handles[: b.out[0]]


def read_pairs(slot: Callable[..., int], name: str, *before: int) -> list[tuple[int, int]]:
    """Result of a slot that lists (node handle, index)."""
    b = buffers
    status = slot(*before, b.p_handles, b.room, b.p0, b.p_numbers, b.room, b.p1, b.p_error)
    if status == _BUFFER_TOO_SMALL:
        b.grow(max(b.out[0], b.out[1]))
        status = slot(*before, b.p_handles, b.room, b.p0, b.p_numbers, b.room, b.p1, b.p_error)
    if status:
        fail(status, name)
    count = b.out[0]
    return list(zip(b.handles[:count], b.numbers[:count]))
