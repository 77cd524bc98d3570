"""What a native status becomes in Python, in one place for both bindings."""

from __future__ import annotations

from ge.error import GeError

__all__ = ["STATUS_NAMES", "error_of"]

STATUS_NAMES: dict[int, str] = {
    1: "INVALID_ARGUMENT",
    2: "STALE_HANDLE",
    3: "WRONG_TYPE",
    4: "FOREIGN",
    5: "NOT_FOUND",
    6: "ALREADY_EXISTS",
    7: "OUT_OF_RANGE",
    8: "INVALID_STATE",
    9: "NO_MEMORY",
    10: "UNIMPLEMENTED",
    11: "ABI_MISMATCH",
    12: "BUFFER_TOO_SMALL",
    13: "PARSE_ERROR",
    14: "VERIFY_FAILED",
    15: "IO_ERROR",
    16: "INTERNAL",
    17: "CALLBACK_FAILED",
    18: "SHUTDOWN",
    19: "CYCLE",
    20: "REFUSED",
    21: "EXPIRED",
}
_STALE, _NO_MEMORY, _UNIMPLEMENTED, _ABI_MISMATCH, _EXPIRED = 2, 9, 10, 11, 21


def error_of(status: int, message: str, slot: str) -> BaseException:
    """The exception for a status.

    All are `GeError` (a ``RuntimeError``) but NO_MEMORY (``MemoryError``), UNIMPLEMENTED
    (``NotImplementedError``, also a ``RuntimeError``) and ABI_MISMATCH (``ImportError``).
    """
    if status == _NO_MEMORY:
        return MemoryError(f"{slot}: {message}")
    if status == _UNIMPLEMENTED:
        return NotImplementedError(f"{slot}: {message}; upgrade with: pip install --upgrade ge-ir")
    if status == _ABI_MISMATCH:
        return ImportError(message)
    name = STATUS_NAMES.get(status, f"status {status}")
    context = {"status": name}
    if status == _STALE:
        return GeError(f"the object has expired ({message})", slot, context)
    if status == _EXPIRED:
        return GeError(
            f"{message}: it was given away, or was valid only during a callback that has ended", slot, context
        )
    return GeError(message or name, slot, context)
