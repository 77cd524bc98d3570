"""Errors of ONNX import and export."""

from __future__ import annotations

import difflib
from typing import Iterable

from ge.error import GeError

__all__ = ["OnnxExportError", "OnnxImportError", "near"]


class OnnxImportError(GeError):
    """A model cannot be read: not ONNX, damaged, or not a valid graph. Nothing is left behind."""


class OnnxExportError(GeError):
    """A graph cannot be written as ONNX. No file is changed."""


def near(name: str, candidates: Iterable[str]) -> str:
    """A hint such as ``; did you mean 'x'?`` for an error text, or an empty text."""
    close = difflib.get_close_matches(name, list(candidates), n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(repr(text) for text in close)}?" if close else ""
