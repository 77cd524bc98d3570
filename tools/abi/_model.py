"""What a definition file declares, as plain immutable records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from _types import CParam, TypeRef

__all__ = ["Callback", "Common", "Enum", "Field", "Param", "Slot", "Struct", "Table", "Value"]

HEADER_BYTES = 48
SLOT_BYTES = 8


@dataclass(frozen=True)
class Value:
    """One value of an enumeration or one flag bit."""

    name: str
    value: int
    doc: str
    since: int


@dataclass(frozen=True)
class Enum:
    """An enumeration, or a set of flags."""

    name: str
    doc: str
    since: int
    values: tuple[Value, ...]
    is_flags: bool = False

    def constant(self, value: Value) -> str:
        """Name of the C constant of a value."""
        return f"{self.name.upper()}_{value.name}"

    @property
    def is_wide(self) -> bool:
        """True if a flag needs 64 bits."""
        return any(v.value > 0xFFFFFFFF for v in self.values)


@dataclass(frozen=True)
class Field:
    """One field of a struct, with its place."""

    name: str
    type: TypeRef
    doc: str
    enum: str
    since: int
    offset: int

    @property
    def end(self) -> int:
        """Offset of the first byte behind the field."""
        return self.offset + self.type.field_size()


@dataclass(frozen=True)
class Struct:
    """A struct without implicit padding."""

    name: str
    doc: str
    since: int
    fields: tuple[Field, ...]

    @property
    def size(self) -> int:
        """Size in bytes in the newest minor."""
        return self.fields[-1].end

    @property
    def first_size(self) -> int:
        """Size in bytes in the minor that introduced the struct: the least a caller may state."""
        return max(f.end for f in self.fields if f.since <= self.since)


@dataclass(frozen=True)
class Param:
    """One declared parameter of a slot or callback."""

    name: str
    type: TypeRef
    doc: str
    nullable: bool
    enum: str


def _c_list(params: tuple[Param, ...]) -> list[CParam]:
    return [c for p in params for c in p.type.c_params(p.name)]


@dataclass(frozen=True)
class Callback:
    """A function type that the caller implements."""

    name: str
    doc: str
    since: int
    params: tuple[Param, ...]
    returns_void: bool

    def c_params(self) -> list[CParam]:
        """All C parameters: user pointer first, error block last unless the callback returns nothing."""
        tail = [] if self.returns_void else [CParam("ge_error*", "error")]
        return [CParam("void*", "user"), *_c_list(self.params), *tail]


@dataclass(frozen=True)
class Slot:
    """One function of a table."""

    name: str
    doc: str
    since: int
    thread: str
    params: tuple[Param, ...]
    offset: int

    def c_params(self) -> list[CParam]:
        """All C parameters, the error block last."""
        return [*_c_list(self.params), CParam("ge_error*", "error")]


@dataclass(frozen=True)
class Common:
    """What every table shares."""

    doc: str
    enums: tuple[Enum, ...]
    structs: tuple[Struct, ...]


@dataclass(frozen=True)
class Table:
    """One definition file."""

    name: str
    magic: str
    major: int
    minor: int
    package: str
    python: str
    consumers: tuple[str, ...]
    doc: str
    path: Path
    enums: tuple[Enum, ...] = field(default=())
    structs: tuple[Struct, ...] = field(default=())
    callbacks: tuple[Callback, ...] = field(default=())
    slots: tuple[Slot, ...] = field(default=())

    @property
    def magic_number(self) -> int:
        """The magic as the 64-bit number whose little-endian bytes are the text."""
        return int.from_bytes(self.magic.encode("ascii"), "little")

    @property
    def size(self) -> int:
        """Size of the table in bytes."""
        return HEADER_BYTES + SLOT_BYTES * len(self.slots)
