"""Reads and validates definition files.

Every finding is an ``AbiDefinitionError`` that names the file, the declaration and the rule. The rules: only types of
the type language (no bool, long, size_t, enum-typed parameter or C++ type can be written at all); structs are
size-first, naturally aligned, without implicit padding; nothing is declared twice; ``since`` never decreases from one
slot, field or value to the next, so that growth is only at the end.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

from _model import HEADER_BYTES, SLOT_BYTES, Callback, Common, Enum, Field, Param, Slot, Struct, Table, Value
from _toml import TomlError, read_toml
from _types import TypeRef, TypeSyntaxError, parse_field_type, parse_param_type

__all__ = ["AbiDefinitionError", "load_common", "load_table", "table_from_dict"]

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_THREADS = ("any", "graph", "main")
# Words that are fine in TOML but not as a name in one of the generated languages.
_WORDS = """
    alignas alignof and asm auto bool case catch char class const constexpr default delete do double
    enum explicit export extern float friend goto inline int long mutable namespace new noexcept not
    nullptr operator or private protected public register restrict short signed sizeof static struct
    switch template this throw typedef typeid typename union unsigned using virtual void volatile
    wchar_t xor error self
"""
_C_WORDS = frozenset(_WORDS.split())


class AbiDefinitionError(ValueError):
    """A definition file breaks a rule."""

    def __init__(self, path: Path, declaration: str, rule: str, message: str) -> None:
        super().__init__(f"{path}: {declaration}: [{rule}] {message}")
        self.path = path
        self.declaration = declaration
        self.rule = rule


class _Reader:
    """Turns the parsed TOML of one file into records, checking as it goes."""

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self.path = path
        self.data = data

    def fail(self, declaration: str, rule: str, message: str) -> AbiDefinitionError:
        return AbiDefinitionError(self.path, declaration, rule, message)

    def keys(self, item: Any, where: str, required: tuple[str, ...], optional: tuple[str, ...]) -> None:
        """Checks that an inline table has the required keys and no unknown one."""
        if not isinstance(item, dict):
            raise self.fail(where, "syntax", f"expected a table of {', '.join(required)}; found {item!r}")
        missing = [k for k in required if k not in item]
        unknown = [k for k in item if k not in required and k not in optional]
        if missing:
            raise self.fail(where, "syntax", f"missing key {missing[0]!r}")
        if unknown:
            allowed = ", ".join((*required, *optional))
            raise self.fail(where, "syntax", f"unknown key {unknown[0]!r}; allowed: {allowed}")

    def name(self, text: Any, where: str, pattern: re.Pattern[str] = _NAME, *, is_param: bool = False) -> str:
        if not isinstance(text, str) or not pattern.match(text):
            raise self.fail(where, "name", f"{text!r} does not match {pattern.pattern}")
        # A parameter may be a Python keyword: the binding renames it, since it is passed by position.
        if text in _C_WORDS or (keyword.iskeyword(text) and not is_param):
            raise self.fail(where, "name", f"{text!r} is a reserved word in C, C++ or Python, or used by the generator")
        return text

    def unique(self, names: list[str], where: str) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise self.fail(where, "unique", f"{name!r} is declared twice")
            seen.add(name)

    def since(self, item: dict[str, Any], where: str, minor: int, floor: int = 0) -> int:
        since = item.get("since", floor)
        if type(since) is not int or not floor <= since <= minor:
            text = f"since = {since!r}, but must be between {floor} (that of the declaration before it) and {minor}"
            raise self.fail(where, "append-only", text + " (the table's minor)")
        return since

    def enum(self, item: dict[str, Any], minor: int, flags: bool) -> Enum:
        where = f"{'flags' if flags else 'enum'} {item.get('name', '?')}"
        self.keys(item, where, ("name", "values"), ("doc", "since"))
        name, since = self.name(item["name"], where), self.since(item, where, minor)
        values: list[Value] = []
        for raw in item["values"]:
            self.keys(raw, where, ("name", "value"), ("doc", "since"))
            floor = values[-1].since if values else since
            label = self.name(raw["name"], where, _CONSTANT)
            number, low, high = raw["value"], 1 if flags else -(2**31), 2**64 - 1 if flags else 2**31 - 1
            if type(number) is not int or not low <= number <= high:
                raise self.fail(where, "T12", f"value {label} = {number!r} is outside {low}..{high}")
            values.append(Value(label, number, raw.get("doc", ""), self.since(raw, f"{where}.{label}", minor, floor)))
        if not values:
            raise self.fail(where, "syntax", "has no values")
        self.unique([v.name for v in values], where)
        numbers = [v.value for v in values]
        if len(set(numbers)) != len(numbers):
            raise self.fail(where, "unique", f"two names have one value: {sorted(numbers)}")
        return Enum(name, item.get("doc", ""), since, tuple(values), flags)

    def struct(self, item: dict[str, Any], minor: int, frozen: bool = False) -> Struct:
        where = f"struct {item.get('name', '?')}"
        self.keys(item, where, ("name", "fields"), ("doc", "since"))
        since = self.since(item, where, minor)
        fields: list[Field] = []
        for raw in item["fields"]:
            self.keys(raw, where, ("name", "type"), ("doc", "enum", "since"))
            fields.append(self._field(raw, where, minor, frozen, fields, since))
        if not fields:
            raise self.fail(where, "T13", "has no fields")
        if not frozen and (fields[0].name, fields[0].type.text) != ("struct_size", "u32"):
            found = f"{fields[0].name}: {fields[0].type.text}"
            raise self.fail(where, "T13", f"the first field must be struct_size: u32; found {found}")
        self.unique([f.name for f in fields], where)
        align = max(f.type.field_align() for f in fields)
        if fields[-1].end % align:
            missing = align - fields[-1].end % align
            text = f"ends at byte {fields[-1].end}, not a multiple of {align}: add {missing} reserved bytes at the end"
            raise self.fail(where, "T12", text)
        return Struct(self.name(item["name"], where), item.get("doc", ""), since, tuple(fields))

    def _field(
        self, raw: dict[str, Any], where: str, minor: int, frozen: bool, before: list[Field], since: int
    ) -> Field:
        where = f"{where}.{raw['name']}"
        try:
            type_ = parse_field_type(raw["type"], frozen=frozen)
        except TypeSyntaxError as exc:
            raise self.fail(where, "T12", str(exc)) from None
        offset = before[-1].end if before else 0
        align = type_.field_align()
        if offset % align:
            text = f"would start at byte {offset}, which {raw['type']} cannot (alignment {align}): put reserved fields"
            raise self.fail(where, "T12", f"{text} of {align - offset % align} bytes before it")
        floor = before[-1].since if before else since
        number = self.since(raw, where, minor, floor)
        self.enum_carrier(type_, raw.get("enum", ""), where)
        return Field(self.name(raw["name"], where), type_, raw.get("doc", ""), raw.get("enum", ""), number, offset)

    def enum_carrier(self, type_: TypeRef, enum: str, where: str) -> None:
        """An enum annotation may stand only on a 32- or 64-bit integer."""
        carrier = type_.text.replace("out ", "").replace("array:", "").replace("buffer:", "").replace("cptr:", "")
        if enum and carrier not in ("i32", "u32", "u64"):
            raise self.fail(where, "T12", f"enum = {enum!r} needs a type of i32, u32 or u64; found {type_.text!r}")

    def params(self, items: Any, where: str) -> tuple[Param, ...]:
        params: list[Param] = []
        for raw in items:
            self.keys(raw, where, ("name", "type"), ("doc", "nullable", "enum"))
            label = f"{where}({raw['name']})"
            try:
                type_ = parse_param_type(raw["type"])
            except TypeSyntaxError as exc:
                raise self.fail(label, "T12", str(exc)) from None
            nullable = raw.get("nullable", False)
            if type(nullable) is not bool:
                raise self.fail(label, "syntax", f"nullable must be true or false; found {nullable!r}")
            self.enum_carrier(type_, raw.get("enum", ""), label)
            name = self.name(raw["name"], label, is_param=True)
            params.append(Param(name, type_, raw.get("doc", ""), nullable, raw.get("enum", "")))
        self.unique([c.name for p in params for c in p.type.c_params(p.name)], where)
        return tuple(params)

    def callback(self, item: dict[str, Any], minor: int) -> Callback:
        where = f"callback {item.get('name', '?')}"
        self.keys(item, where, ("name", "params"), ("doc", "since", "returns"))
        if item.get("returns", "status") not in ("status", "void"):
            raise self.fail(where, "T20", f"returns = {item['returns']!r}; allowed: status, void")
        void = item.get("returns") == "void"
        since = self.since(item, where, minor)
        params = self.params(item["params"], where)
        if any(p.name == "user" for p in params):
            raise self.fail(where, "T20", "the first parameter 'user' is implicit; do not declare it")
        return Callback(self.name(item["name"], where), item.get("doc", ""), since, params, void)

    def slots(self, minor: int) -> tuple[Slot, ...]:
        slots: list[Slot] = []
        for item in self.data.get("slot", []):
            where = f"slot {item.get('name', '?')}"
            self.keys(item, where, ("name", "params", "thread"), ("doc", "since"))
            if item["thread"] not in _THREADS:
                raise self.fail(where, "T19", f"thread = {item['thread']!r}; allowed: {', '.join(_THREADS)}")
            since = self.since(item, where, minor, slots[-1].since if slots else 0)
            offset = HEADER_BYTES + SLOT_BYTES * len(slots)
            params = self.params(item["params"], where)
            slots.append(
                Slot(self.name(item["name"], where), item.get("doc", ""), since, item["thread"], params, offset)
            )
        self.unique([s.name for s in slots], "slots")
        return tuple(slots)

    def references(self, table: Table, common: Common) -> None:
        """Every struct, callback, enum and handle type that is used must be declared."""
        structs = {s.name for s in table.structs}
        callbacks = {c.name for c in table.callbacks}
        enums = {e.name for e in (*table.enums, *common.enums)}
        handles = {v.name for e in common.enums if e.name == "ge_handle_type" for v in e.values}
        uses: list[tuple[str, Param | Field]] = []
        uses += [(f"slot {s.name}({p.name})", p) for s in table.slots for p in s.params]
        uses += [(f"callback {c.name}({p.name})", p) for c in table.callbacks for p in c.params]
        uses += [(f"struct {s.name}.{f.name}", f) for s in table.structs for f in s.fields]
        for where, item in uses:
            known = {"struct": structs, "out_struct": structs, "callback": callbacks}.get(item.type.kind, handles)
            if item.type.name and item.type.name not in known:
                raise self.fail(where, "reference", f"{item.type.name!r} is not declared ({item.type.text})")
            if item.enum and item.enum not in enums:
                raise self.fail(where, "reference", f"enum {item.enum!r} is not declared")


def table_from_dict(data: dict[str, Any], path: Path, common: Common) -> Table:
    """Builds and validates a table from parsed TOML.

    Raises:
        AbiDefinitionError: the definition breaks a rule.
    """
    reader = _Reader(path, data)
    reader.keys(data, "file", ("table",), ("enum", "flags", "struct", "callback", "slot"))
    head = data["table"]
    reader.keys(head, "table", ("name", "magic", "major", "minor", "package"), ("python", "consumers", "doc"))
    name = reader.name(head["name"], "table")
    if len(head["magic"]) != 8 or not head["magic"].isascii():
        raise reader.fail("table", "T1", f"magic must be 8 ASCII characters; found {head['magic']!r}")
    minor = head["minor"]
    enums = [reader.enum(e, minor, False) for e in data.get("enum", [])]
    enums += [reader.enum(e, minor, True) for e in data.get("flags", [])]
    structs = [reader.struct(s, minor) for s in data.get("struct", [])]
    callbacks = [reader.callback(c, minor) for c in data.get("callback", [])]
    names = [e.name for e in enums] + [s.name for s in structs] + [c.name for c in callbacks]
    reader.unique([*names, *(e.name for e in common.enums), *(s.name for s in common.structs)], "declarations")
    for declared in names:
        if not declared.startswith("ge_"):
            raise reader.fail(declared, "name", "names of enums, structs and callbacks start with ge_")
    table = Table(
        name, head["magic"], head["major"], minor, head["package"], head.get("python", ""),
        tuple(head.get("consumers", ())), head.get("doc", "").strip(), path,
        tuple(enums), tuple(structs), tuple(callbacks), reader.slots(minor),
    )  # fmt: skip
    reader.references(table, common)
    return table


def _parse(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path)
    except TomlError as exc:
        raise AbiDefinitionError(path, "file", "syntax", str(exc)) from None


def load_common(path: Path) -> Common:
    """Reads what every table shares: the frozen structs and the common enumerations."""
    data = _parse(path)
    reader = _Reader(path, data)
    reader.keys(data, "file", ("common", "enum", "frozen_struct"), ())
    enums = tuple(reader.enum(e, 0, False) for e in data["enum"])
    structs = tuple(reader.struct(s, 0, frozen=True) for s in data["frozen_struct"])
    return Common(data["common"]["doc"], enums, structs)


def load_table(path: Path, common: Common) -> Table:
    """Reads and validates one definition file.

    Raises:
        AbiDefinitionError: the definition breaks a rule.
    """
    return table_from_dict(_parse(path), path, common)
