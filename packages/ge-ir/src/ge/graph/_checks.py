"""Argument checks shared by the public classes."""

from __future__ import annotations

from typing import Any

from ge.error import GeError

__all__ = ["check_index", "check_instance", "check_int", "check_str"]


def check_str(value: Any, what: str) -> str:
    """The value if it is a ``str``.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, found {type(value).__name__}: {value!r}")
    return value


def check_int(value: Any, what: str) -> int:
    """The value as ``int``; numpy integers pass, ``bool`` does not.

    Raises:
        TypeError: It is no integer.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be int, found {type(value).__name__}: {value!r}")
    return int(value)


def check_index(value: Any, what: str) -> int:
    """The value as an index from 0 to 2**32 - 1.

    Raises:
        TypeError: It is no integer.
        RuntimeError: It is negative or too big, the same error as for an index that is not there.
    """
    number = check_int(value, what)
    if not 0 <= number < 2**32:
        raise GeError(f"{what} must be an index of 0 or more, found {number}", what, {"status": "OUT_OF_RANGE"})
    return number


def check_instance(value: Any, kind: type, what: str) -> Any:
    """The value if it is an instance of ``kind``.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{what} must be a {kind.__name__}, found {type(value).__name__}: {value!r}")
    return value
