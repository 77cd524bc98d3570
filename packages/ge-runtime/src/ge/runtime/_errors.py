"""Errors of compilation and execution."""

from __future__ import annotations

from ge.error import GeError

__all__ = ["CompileError", "RunError"]


class CompileError(GeError):
    """A graph cannot be compiled; the text names part, node or value, what was expected and found."""


class RunError(GeError):
    """A compiled model cannot run on what it was given, or a part failed; the text names the input or part."""
