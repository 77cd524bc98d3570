"""Reads the signature of a hook once, so that the executor can call every permitted form in the same way."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

__all__ = ["HookForm", "check_pattern_method", "hook_form", "replacement_form"]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class HookForm(NamedTuple):
    """What a hook wants to be called with, in the order inputs, subject, context.

    Attributes:
        inputs: Expression style: a `PatternInputs` comes first.
        subject: The match (or node) is passed.
        context: The pass context is passed.
    """

    inputs: bool
    subject: bool
    context: bool


def _where(cls: type, name: str) -> str:
    return f"{cls.__qualname__}.{name}"


def _positional(member: Any, where: str, has_self: bool = True) -> list[str]:
    """Names of the positional parameters without ``self``.

    Raises:
        TypeError: It is not callable, takes ``*args``, or has a keyword-only parameter without default.
    """
    if isinstance(member, staticmethod):
        member, has_self = member.__func__, False
    elif isinstance(member, classmethod):
        member = member.__func__
    if not callable(member):
        raise TypeError(f"{where} must be a method, found {type(member).__name__}")
    names: list[str] = []
    for parameter in inspect.signature(member).parameters.values():
        if parameter.kind in _POSITIONAL:
            names.append(parameter.name)
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise TypeError(f"{where} takes *{parameter.name}; name its parameters, so that it is known what it wants")
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.default is inspect.Parameter.empty:
            raise TypeError(
                f"{where} has the keyword-only parameter {parameter.name!r} without a default; it is never passed"
            )
    return names[1:] if has_self else names


def hook_form(cls: type, name: str, subject: str) -> HookForm:
    """Form of a hook ``(self, subject)`` or ``(self, subject, context)``.

    Raises:
        TypeError: Another signature.
    """
    where = _where(cls, name)
    names = _positional(inspect.getattr_static(cls, name), where)
    if len(names) not in (1, 2):
        found = ", ".join(["self", *names])
        raise TypeError(f"{where} must take (self, {subject}) or (self, {subject}, context), found ({found})")
    return HookForm(inputs=False, subject=True, context=len(names) == 2)


def replacement_form(cls: type) -> HookForm:
    """Form of the ``replacement`` of a pattern pass; expression style if its first parameter is named ``inputs``.

    Raises:
        TypeError: Another signature than ``(match_result[, context])``, ``(inputs)``, ``(inputs, context)``,
            ``(inputs, match_result)`` or ``(inputs, match_result, context)``.
    """
    where = _where(cls, "replacement")
    names = _positional(inspect.getattr_static(cls, "replacement"), where)
    if not names or names[0] != "inputs":
        return hook_form(cls, "replacement", "match_result")
    if len(names) == 3 and names[2] != "context":
        raise TypeError(
            f"{where} with four arguments must be (self, inputs, match_result, context), found {names[2]!r} last"
        )
    if len(names) > 3:
        found = ", ".join(["self", *names])
        raise TypeError(f"{where} must take at most (self, inputs, match_result, context), found ({found})")
    rest = names[1:]
    return HookForm(inputs=True, subject=bool(rest) and rest[0] != "context", context="context" in rest[-1:])


def check_pattern_method(method: Any) -> None:
    """Checks that a method marked as a pattern is ``(self, inputs)``.

    Raises:
        TypeError: It is not.
    """
    where = getattr(method, "__qualname__", repr(method))
    names = _positional(method, where)
    if isinstance(method, (staticmethod, classmethod)) or len(names) != 1:
        raise TypeError(f"@pattern method {where} must take (self, inputs), found ({', '.join(['self', *names])})")
