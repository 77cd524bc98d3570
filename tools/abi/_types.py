"""Type language of the definition files: what each declared type is in C and in ctypes.

A parameter may expand to several C parameters (a view is a pointer and a count). Only types that mean the same to
every compiler are in the language: fixed-width scalars, pointer-and-length views, handles and size-first structs.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SCALARS", "CParam", "TypeRef", "TypeSyntaxError", "parse_field_type", "parse_param_type"]


class TypeSyntaxError(ValueError):
    """A type text is not in the language; the message says what is."""


@dataclass(frozen=True)
class Scalar:
    """A fixed-width scalar: its C name, its ctypes name and its size in bytes."""

    c: str
    ctypes: str
    size: int


SCALARS: dict[str, Scalar] = {
    "i8": Scalar("int8_t", "c_int8", 1),
    "u8": Scalar("uint8_t", "c_uint8", 1),
    "i16": Scalar("int16_t", "c_int16", 2),
    "u16": Scalar("uint16_t", "c_uint16", 2),
    "i32": Scalar("int32_t", "c_int32", 4),
    "u32": Scalar("uint32_t", "c_uint32", 4),
    "i64": Scalar("int64_t", "c_int64", 8),
    "u64": Scalar("uint64_t", "c_uint64", 8),
    "f32": Scalar("float", "c_float", 4),
    "f64": Scalar("double", "c_double", 8),
    "handle": Scalar("uint64_t", "c_uint64", 8),
}

_LANGUAGE = (
    "i8..i64, u8..u64, f32, f64, handle[:TYPE], str, bytes, out str, out bytes, array:T, buffer:T, out T, "
    "struct:NAME, out struct:NAME, ptr, callback:NAME, getter"
)
_FIELD_LANGUAGE = "i8..i64, u8..u64, f32, f64, handle, ptr, cptr:T, callback:NAME"


@dataclass(frozen=True)
class CParam:
    """One C parameter that a declared parameter expands to."""

    type: str
    name: str


@dataclass(frozen=True)
class TypeRef:
    """A parsed type.

    Attributes:
        text: The type as declared.
        kind: scalar, str, bytes, out_str, out_bytes, array, buffer, out, struct, out_struct, ptr, callback, getter,
            cptr, text or chars (the last two only in the frozen structs).
        scalar: Element or value type where the kind has one.
        name: Struct or callback name, or the handle annotation.
        count: Number of bytes of a chars field.
    """

    text: str
    kind: str
    scalar: Scalar | None = None
    name: str = ""
    count: int = 0

    @property
    def element(self) -> Scalar:
        """The scalar of a kind that has one."""
        assert self.scalar is not None, self.text
        return self.scalar

    def c_params(self, name: str) -> list[CParam]:
        """Expands a parameter of this type to its C parameters."""
        if self.kind == "scalar":
            return [CParam(self.element.c, name)]
        if self.kind in _VIEWS:
            pointer, size = _VIEWS[self.kind]
            return [CParam(pointer, name), CParam(size, f"{name}_size")]
        if self.kind == "array":
            return [CParam(f"const {self.element.c}*", name), CParam("uint64_t", f"{name}_count")]
        if self.kind == "buffer":
            capacity = CParam("uint64_t", f"{name}_capacity")
            return [CParam(f"{self.element.c}*", name), capacity, CParam("uint64_t*", f"{name}_count")]
        return [CParam(self._single(), name)]

    def _single(self) -> str:
        simple = {"ptr": "void*", "getter": "ge_abi_getter", "callback": self.name}
        if self.kind in simple:
            return simple[self.kind]
        if self.kind == "out":
            return f"{self.element.c}*"
        return f"const {self.name}*" if self.kind == "struct" else f"{self.name}*"

    def c_field(self) -> str:
        """C type of a struct field (a chars field is declared by the emitter)."""
        if self.kind == "scalar":
            return self.element.c
        if self.kind == "cptr":
            return f"const {self.element.c}*"
        return {"ptr": "const void*", "callback": self.name, "text": "const char*", "chars": "char"}[self.kind]

    def field_size(self) -> int:
        """Size of a struct field in bytes; pointers are 64 bits wide."""
        if self.kind == "chars":
            return self.count
        return self.element.size if self.kind == "scalar" else 8

    def field_align(self) -> int:
        """Natural alignment of a struct field in bytes."""
        return 1 if self.kind == "chars" else self.field_size()


_VIEWS = {
    "str": ("const char*", "uint64_t"),
    "bytes": ("const void*", "uint64_t"),
    "out_str": ("const char**", "uint64_t*"),
    "out_bytes": ("const void**", "uint64_t*"),
}


def _scalar(text: str, whole: str) -> tuple[Scalar, str]:
    base, _, note = text.partition(":")
    if base not in SCALARS or (note and base != "handle"):
        raise TypeSyntaxError(f"type {whole!r}: {text!r} is no scalar or handle; the language has: {_LANGUAGE}")
    return SCALARS[base], note


def parse_param_type(text: str) -> TypeRef:
    """Parses the type of a slot or callback parameter.

    Raises:
        TypeSyntaxError: the text is not in the language.
    """
    if text in ("str", "bytes", "ptr", "getter"):
        return TypeRef(text, text)
    if text in ("out str", "out bytes"):
        return TypeRef(text, text.replace(" ", "_"))
    for prefix, kind in (("out struct:", "out_struct"), ("struct:", "struct"), ("callback:", "callback")):
        if text.startswith(prefix):
            return TypeRef(text, kind, name=text[len(prefix) :])
    for prefix, kind in (("array:", "array"), ("buffer:", "buffer"), ("out ", "out"), ("", "scalar")):
        if text.startswith(prefix):
            scalar, note = _scalar(text[len(prefix) :], text)
            return TypeRef(text, kind, scalar, note)
    raise AssertionError(text)


def parse_field_type(text: str, *, frozen: bool = False) -> TypeRef:
    """Parses the type of a struct field; ``text`` and ``chars:N`` exist only in the frozen structs.

    Raises:
        TypeSyntaxError: the text is not in the language.
    """
    if text == "ptr" or (frozen and text == "text"):
        return TypeRef(text, text)
    if frozen and text.startswith("chars:"):
        return TypeRef(text, "chars", count=int(text[6:]))
    if text.startswith("callback:"):
        return TypeRef(text, "callback", name=text[9:])
    kind, rest = ("cptr", text[5:]) if text.startswith("cptr:") else ("scalar", text)
    try:
        scalar, note = _scalar(rest, text)
    except TypeSyntaxError:
        message = f"type {text!r} cannot be a struct field; the language has: {_FIELD_LANGUAGE}"
        raise TypeSyntaxError(message) from None
    return TypeRef(text, kind, scalar, note)
