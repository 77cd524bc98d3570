"""The validator: every broken definition is refused with file, declaration and rule."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Callable

import pytest
from _load import AbiDefinitionError, load_table, table_from_dict
from _model import Common
from _workspace import fixture_data

Data = dict[str, Any]


def _param(data: Data, **changes: Any) -> None:
    data["slot"][1]["params"][0].update(changes)


def _field(data: Data, index: int, **changes: Any) -> None:
    data["struct"][0]["fields"][index].update(changes)


CASES: dict[str, tuple[Callable[[Data], Any], str, str, str]] = {
    "bool": (lambda d: _param(d, type="bool"), "slot add(a)", "T12", "'bool' is no scalar or handle"),
    "size_t": (lambda d: _param(d, type="size_t"), "slot add(a)", "T12", "the language has: i8..i64"),
    "long": (lambda d: _param(d, type="out long"), "slot add(a)", "T12", "'long' is no scalar"),
    "note on a number": (lambda d: _param(d, type="u32:NODE"), "slot add(a)", "T12", "'u32:NODE' is no scalar"),
    "array of texts": (lambda d: _param(d, type="array:str"), "slot add(a)", "T12", "'str' is no scalar"),
    "unknown struct": (lambda d: _param(d, type="struct:ge_no"), "slot add(a)", "reference", "'ge_no' is not declared"),
    "unknown callback": (
        lambda d: _param(d, type="callback:ge_no"),
        "slot add(a)",
        "reference",
        "'ge_no' is not declared",
    ),
    "unknown handle": (lambda d: _param(d, type="handle:CAT"), "slot add(a)", "reference", "'CAT' is not declared"),
    "unknown enum": (lambda d: _param(d, type="u32", enum="ge_no"), "slot add(a)", "reference", "enum 'ge_no'"),
    "enum on a byte": (
        lambda d: _param(d, enum="ge_fx_color"),
        "slot add(a)",
        "T12",
        "needs a type of i32, u32 or u64",
    ),
    "C keyword": (lambda d: _param(d, name="register"), "slot add(register)", "name", "reserved word"),
    "error": (lambda d: _param(d, name="error"), "slot add(error)", "name", "used by the generator"),
    "upper case": (lambda d: _param(d, name="Abc"), "slot add(Abc)", "name", "does not match"),
    "clash of expansions": (
        lambda d: d["slot"][2]["params"][2].update(name="name_size"),
        "slot open",
        "unique",
        "'name_size'",
    ),
    "two slots": (lambda d: d["slot"][2].update(name="add"), "slots", "unique", "'add' is declared twice"),
    "thread": (lambda d: d["slot"][0].update(thread="all"), "slot version", "T19", "allowed: any, graph, main"),
    "no thread": (lambda d: d["slot"][0].pop("thread"), "slot version", "syntax", "missing key 'thread'"),
    "unknown key": (lambda d: d["slot"][0].update(returns="i64"), "slot version", "syntax", "unknown key 'returns'"),
    "nullable": (lambda d: _param(d, nullable=1), "slot add(a)", "syntax", "must be true or false"),
    "since shrinks": (lambda d: d["slot"][-1].update(since=0), "slot raw_bytes", "append-only", "between 1"),
    "since ahead": (
        lambda d: d["slot"][-1].update(since=2),
        "slot raw_bytes",
        "append-only",
        "and 1 (the table's minor)",
    ),
    "no size first": (lambda d: _field(d, 0, name="size"), "struct ge_fx_point", "T13", "must be struct_size: u32"),
    "size too wide": (lambda d: _field(d, 0, type="u64"), "struct ge_fx_point.x", "T12", "would start at byte 12"),
    "padding inside": (
        lambda d: d["struct"][0]["fields"].__setitem__(1, {"name": "c", "type": "u8"}),
        "struct ge_fx_point.x",
        "T12",
        "of 3 bytes before it",
    ),
    "padding at the end": (
        lambda d: _field(d, 7, type="u32"),
        "struct ge_fx_point",
        "T12",
        "add 4 reserved bytes at the end",
    ),
    "text field": (lambda d: _field(d, 4, type="str"), "struct ge_fx_point.label", "T12", "cannot be a struct field"),
    "frozen type": (
        lambda d: _field(d, 4, type="chars:8"),
        "struct ge_fx_point.label",
        "T12",
        "cannot be a struct field",
    ),
    "one value twice": (lambda d: d["enum"][0]["values"][1].update(value=0), "enum ge_fx_color", "unique", "two names"),
    "value too big": (lambda d: d["enum"][0]["values"][1].update(value=2**31), "enum ge_fx_color", "T12", "is outside"),
    "flag of no bits": (lambda d: d["flags"][0]["values"][1].update(value=0), "flags ge_fx_mode", "T12", "is outside"),
    "user": (lambda d: d["callback"][0]["params"][0].update(name="user"), "callback ge_fx_visit_fn", "T20", "implicit"),
    "callback result": (
        lambda d: d["callback"][0].update(returns="i64"),
        "callback ge_fx_visit_fn",
        "T20",
        "status, void",
    ),
    "magic": (lambda d: d["table"].update(magic="SHORT"), "table", "T1", "8 ASCII characters; found 'SHORT'"),
    "prefix": (lambda d: d["struct"][0].update(name="point"), "", "name", "start with ge_"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_definition_is_refused(case: str, common: Common) -> None:
    edit, declaration, rule, text = CASES[case]
    data = copy.deepcopy(fixture_data())
    if case == "prefix":
        data["slot"] = data["slot"][:2]
    edit(data)
    with pytest.raises(AbiDefinitionError) as caught:
        table_from_dict(data, Path("dir/x.toml"), common)
    message = str(caught.value)
    assert message.startswith("dir/x.toml: ") and text in message, message
    assert caught.value.rule == rule
    assert not declaration or caught.value.declaration == declaration


def test_malformed_toml_is_named(tmp_path: Path, common: Common) -> None:
    path = tmp_path / "x.toml"
    path.write_text("[table\n", encoding="utf-8")
    with pytest.raises(AbiDefinitionError, match=r"x.toml: file: \[syntax\] .*line 1"):
        load_table(path, common)
