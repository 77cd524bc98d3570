"""Golden layout files: what a minor looked like, one line per fact, and the rules that compare them.

Lines come in groups (the table's header, each enum, each struct, the callbacks, the slots). A later minor may add
groups, and lines at the end of a group; a line that a released minor has is never changed, moved or dropped.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Dict

from _emit_header import c_args
from _model import Callback, Common, Enum, Param, Struct, Table
from _toml import read_toml
from _types import CParam

__all__ = ["Released", "compare", "digest", "golden_path", "layout", "read_released", "released_minors"]

# table name -> "major.minor" -> SHA-256 of its golden file
Released = Dict[str, Dict[str, str]]

_KEY = re.compile(r"(table|frozen|enum|flags|struct|callback|slot)\b(?: (\w+))?")


def _version(table: Table, since: int) -> str:
    return f"{table.major}.{since}"


def _declared(params: tuple[Param, ...]) -> str:
    notes = []
    for p in params:
        extra = f" enum {p.enum}" if p.enum else ""
        notes.append(f"{p.name}: {p.type.text}{extra}{' nullable' if p.nullable else ''}")
    return "(" + "; ".join(notes) + ")"


def _c(result: str, params: list[CParam]) -> str:
    return f"{result} ({c_args(params)})"


def _enum_lines(table: Table, enum: Enum) -> list[str]:
    kind = "flags" if enum.is_flags else "enum"
    return [f"{kind} {enum.name} {v.name} = {v.value} since {_version(table, v.since)}" for v in enum.values]


def _struct_lines(table: Table, struct: Struct, kind: str = "struct") -> list[str]:
    lines = []
    for f in struct.fields:
        place = f"offset {f.offset} size {f.type.field_size()}"
        note = f" enum {f.enum}" if f.enum else ""
        c = f.type.c_field() + (f"[{f.type.count}]" if f.type.kind == "chars" else "")
        lines.append(
            f"{kind} {struct.name} {f.name} {place} type {c} ({f.type.text}{note}) since {_version(table, f.since)}"
        )
    return lines


def _callback_line(table: Table, callback: Callback) -> str:
    signature = _c("void" if callback.returns_void else "int32_t", callback.c_params())
    declared = _declared(callback.params)
    return f"callback {callback.name} since {_version(table, callback.since)} signature {signature} declared {declared}"


def layout(table: Table, common: Common) -> str:
    """The layout of a table in its current minor."""
    head = f"table {table.name} magic 0x{table.magic_number:016x} major {table.major} package {table.package}"
    lines = [
        f"# Layout of {table.name} {table.major}.{table.minor}. Written by tools/abi; never edit a released one.",
        head,
    ]
    for struct in common.structs:
        lines += _struct_lines(table, struct, "frozen")
    for enum in (*common.enums, *table.enums):
        lines += _enum_lines(table, enum)
    for struct in table.structs:
        lines += _struct_lines(table, struct)
    lines += [_callback_line(table, c) for c in table.callbacks]
    for s in table.slots:
        place = f"offset {s.offset} size 8 since {_version(table, s.since)} thread {s.thread}"
        lines.append(f"slot {s.name} {place} signature {_c('int32_t', s.c_params())} declared {_declared(s.params)}")
    return "\n".join(lines) + "\n"


def golden_path(table: Table, minor: int | None = None) -> Path:
    """Where the golden layout of a minor stands."""
    number = table.minor if minor is None else minor
    return table.path.parent / "golden" / f"{table.name}-{table.major}.{number}.layout"


def _groups(text: str) -> dict[str, list[str]]:
    """Lines by group. The slots are one group; so are the callbacks; each enum and struct is its own."""
    groups: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = _KEY.match(line)
        if match is None:
            continue
        kind, name = match.group(1), match.group(2) or ""
        groups.setdefault(kind if kind in ("table", "slot", "callback") else f"{kind} {name}", []).append(line)
    return groups


def compare(golden: str, current: str, name: str) -> list[str]:
    """Findings of a released golden layout against the current one; none if all of it still stands.

    Args:
        golden: Text of the golden file.
        current: Text of ``layout`` now.
        name: Name of the golden file, for the findings.
    """
    findings: list[str] = []
    now = _groups(current)
    for group, lines in _groups(golden).items():
        present = now.get(group, [])
        for index, line in enumerate(lines):
            found = present[index] if index < len(present) else "(nothing)"
            if line != found:
                text = f"{name}: {group}, line {index + 1}: the layout of a released minor changed"
                findings.append(f"{text}\n  released: {line}\n  now:      {found}")
                break
        if group.startswith("frozen") and len(present) > len(lines):
            findings.append(f"{name}: {group} is frozen for all majors and has grown: {present[len(lines)]}")
    return findings


def digest(text: str) -> str:
    """SHA-256 of a golden file, as released.toml records it."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def read_released(path: Path) -> Released:
    """The released minors of each table and the digests of their golden files, from released.toml."""
    data = read_toml(path)
    return {table: dict(versions) for table, versions in data["released"].items()}


def released_minors(table: Table, released: Released) -> list[int]:
    """Released minors of the table's major, ascending."""
    pairs = [version.split(".") for version in released.get(table.name, {})]
    return sorted(int(minor) for major, minor in pairs if int(major) == table.major)
