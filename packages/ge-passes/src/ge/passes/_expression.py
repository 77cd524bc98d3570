"""Methods that are patterns: how they are marked and found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ge.passes._hooks import check_pattern_method

__all__ = ["is_pattern_method", "pattern", "pattern_methods"]

_MARK = "__ge_pattern__"
_Method = TypeVar("_Method", bound=Callable[..., Any])


def pattern(method: _Method) -> _Method:
    """Marks a method ``(self, inputs)`` of a `PatternFusionPass` as one pattern.

    The method draws what to find from ``inputs[0]``, ``inputs[1]``, ... and returns one tensor, or a list of tensors
    (one pattern with several outputs), or one `Pattern` or `Graph`. Captures of the pattern are its inputs by index,
    then its outputs in the order returned.

    Raises:
        TypeError: The method takes something else.
    """
    check_pattern_method(method)
    setattr(method, _MARK, True)
    return method


def is_pattern_method(member: Any) -> bool:
    """Whether a class member is marked with `pattern`."""
    return getattr(member, _MARK, False) is True


def pattern_methods(cls: type) -> list[str]:
    """Names of the `pattern` methods of a class, those of its bases first, each in order of definition.

    A method that a subclass overrides keeps its place; one overridden by something else is dropped.
    """
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        names.update(dict.fromkeys(name for name, member in vars(base).items() if is_pattern_method(member)))
    return [name for name in names if is_pattern_method(inspect.getattr_static(cls, name))]
