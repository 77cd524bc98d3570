"""Text form of ONNX types, without loss: ``seq(tensor(float,["N",3]))``.

Grammar::

    type  = base [ "@" text ]                        the text is ONNX's denotation
    base  = "tensor(" element ["," shape] ")"        no shape: unknown rank
          | "sparse_tensor(" element ["," shape] ")"
          | "seq(" type ")" | "optional(" type ")" | "map(" element "," type ")"
          | "opaque(" text "," text ")"              domain and name
          | "unset"                                  a type that says nothing
    shape = "[" [dim ("," dim)*] "]"
    dim   = (int | text | "?") [ "@" text ]          a text is a symbol
    text  = JSON string

This module does not need the onnx package.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Optional, Tuple, Union

__all__ = ["ELEMENTS", "Dim", "TypeInfo", "format_type", "parse_type"]

#: ONNX names of element types by number.
ELEMENTS = {
    0: "undefined",
    1: "float",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    8: "string",
    9: "bool",
    10: "float16",
    11: "double",
    12: "uint32",
    13: "uint64",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8e4m3fn",
    18: "float8e4m3fnuz",
    19: "float8e5m2",
    20: "float8e5m2fnuz",
    21: "uint4",
    22: "int4",
    23: "float4e2m1",
    24: "float8e8m0",
    25: "uint2",
    26: "int2",
    27: "float6e2m3",
    28: "float6e3m2",
}
_NUMBERS = {name: number for number, name in ELEMENTS.items()}
_TOKEN = re.compile(r'\s*(?:(-?\d+)|([A-Za-z_][A-Za-z0-9_]*)|("(?:[^"\\]|\\.)*")|([(),\[\]@?]))')
_MAX_DEPTH = 64


@dataclass(frozen=True)
class Dim:
    """One dimension: size, symbol or None, and denotation."""

    value: Union[int, str, None]
    denotation: str = ""


@dataclass(frozen=True)
class TypeInfo:
    """A type. ``kind`` is the word of the grammar; the other fields are those that the kind has."""

    kind: str
    element: int = 0
    dims: Optional[Tuple[Dim, ...]] = None
    inner: Optional[TypeInfo] = None
    names: Tuple[str, str] = ("", "")
    denotation: str = ""


def format_type(info: TypeInfo) -> str:
    """The text of a type."""
    return _base_text(info) + _mark(info.denotation)


def _base_text(info: TypeInfo) -> str:
    if info.kind in ("tensor", "sparse_tensor"):
        shape = "" if info.dims is None else f",[{','.join(_dim_text(dim) for dim in info.dims)}]"
        return f"{info.kind}({ELEMENTS[info.element]}{shape})"
    if info.kind == "opaque":
        return f"opaque({_quote(info.names[0])},{_quote(info.names[1])})"
    if info.inner is None:
        return info.kind
    key = f"{ELEMENTS[info.element]}," if info.kind == "map" else ""
    return f"{info.kind}({key}{format_type(info.inner)})"


def _mark(denotation: str) -> str:
    return f"@{_quote(denotation)}" if denotation else ""


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _dim_text(dim: Dim) -> str:
    value = "?" if dim.value is None else _quote(dim.value) if isinstance(dim.value, str) else str(dim.value)
    return value + _mark(dim.denotation)


def parse_type(text: str) -> TypeInfo:
    """The type that a text says.

    Raises:
        ValueError: The text is malformed; the message has the column and what was expected there.
    """
    parser = _Parser(text)
    info = parser.type(0)
    parser.expect_end()
    return info


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _fail(self, expected: str) -> ValueError:
        found = repr(self._text[self._at : self._at + 12].strip()) if self._at < len(self._text) else "the end"
        return ValueError(f"type text {self._text!r}: column {self._at + 1}: expected {expected}, found {found}")

    def _peek(self) -> str:
        match = _TOKEN.match(self._text, self._at)
        return match.group().strip() if match else ""

    def _take(self, expected: str, group: int) -> str:
        match = _TOKEN.match(self._text, self._at)
        if match is None or match.group(group) is None:
            raise self._fail(expected)
        self._at = match.end()
        return match.group(group)

    def _mark_of(self, mark: str) -> None:
        if self._peek() != mark:
            raise self._fail(repr(mark))
        self._take(mark, 4)

    def expect_end(self) -> None:
        """Fails on anything behind the type."""
        if self._text[self._at :].strip():
            raise self._fail("the end")

    def type(self, depth: int) -> TypeInfo:
        """One type with its denotation."""
        if depth > _MAX_DEPTH:
            raise self._fail(f"at most {_MAX_DEPTH} nested types")
        start = self._at
        kind = self._take("a type", 2)
        if kind == "unset":
            return TypeInfo(kind, denotation=self._denotation())
        if kind not in ("tensor", "sparse_tensor", "seq", "optional", "map", "opaque"):
            self._at = start
            raise self._fail("tensor, sparse_tensor, seq, optional, map or opaque")
        self._mark_of("(")
        parts = self._parts(kind, depth)
        self._mark_of(")")
        return TypeInfo(kind, denotation=self._denotation(), **parts)  # type: ignore[arg-type]

    def _parts(self, kind: str, depth: int) -> dict[str, object]:
        if kind in ("seq", "optional"):
            return {"inner": self.type(depth + 1)}
        if kind == "opaque":
            domain = self._string()
            self._mark_of(",")
            return {"names": (domain, self._string())}
        element = self._element()
        if kind == "map":
            self._mark_of(",")
            return {"element": element, "inner": self.type(depth + 1)}
        if self._peek() != ",":
            return {"element": element}
        self._mark_of(",")
        return {"element": element, "dims": self._shape()}

    def _element(self) -> int:
        start = self._at
        name = self._take("an element type", 2)
        if name not in _NUMBERS:
            self._at = start
            raise self._fail("an element type such as float or int64")
        return _NUMBERS[name]

    def _string(self) -> str:
        text = self._take("a string in double quotes", 3)
        try:
            return str(json.loads(text))
        except ValueError:
            raise self._fail("a JSON string before") from None

    def _denotation(self) -> str:
        if self._peek() != "@":
            return ""
        self._mark_of("@")
        return self._string()

    def _shape(self) -> tuple[Dim, ...]:
        dims: list[Dim] = []
        self._mark_of("[")
        while self._peek() != "]":
            if dims:
                self._mark_of(",")
            dims.append(self._dim())
        self._mark_of("]")
        return tuple(dims)

    def _dim(self) -> Dim:
        token = self._peek()
        value: int | str | None
        if token == "?":
            self._mark_of("?")
            value = None
        elif token.startswith('"'):
            value = self._string()
        else:
            value = int(self._take("a size, a symbol in double quotes or ?", 1))
        return Dim(value, self._denotation())
