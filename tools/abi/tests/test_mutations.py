"""Every edit that breaks a table is found twice: by its golden layout, and by the compiled assertions alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from _golden import compare, layout
from _load import table_from_dict
from _model import Common
from _mutate import CONTRACT, LAYOUT, appended, mutated
from _outputs import find_tables
from _toml import read_toml
from _workspace import COMPILERS, FX_TOML, Workspace, compiles, fixture_data

REPOSITORY = Path(__file__).resolve().parents[3]
TABLES = [FX_TOML, *find_tables(REPOSITORY)]
IR = next(p for p in TABLES if p.stem == "ge_ir")


def _data(path: Path) -> dict[str, Any]:
    return fixture_data() if path == FX_TOML else read_toml(path)


def _findings(data: dict[str, Any], changed: dict[str, Any], common: Common) -> list[str]:
    golden = layout(table_from_dict(data, Path("x.toml"), common), common)
    return compare(golden, layout(table_from_dict(changed, Path("x.toml"), common), common), "x-1.0.layout")


@pytest.mark.parametrize("edit", [*LAYOUT, *CONTRACT])
@pytest.mark.parametrize("path", [FX_TOML, IR], ids=lambda p: p.stem)
def test_golden_layout_finds_the_edit(path: Path, edit: str, common: Common) -> None:
    data = _data(path)
    findings = _findings(data, mutated(data, {**LAYOUT, **CONTRACT}[edit]), common)
    assert findings and "the layout of a released minor changed" in findings[0]


@pytest.mark.parametrize("path", TABLES, ids=lambda p: p.stem)
def test_growth_at_the_end_is_fine(path: Path, common: Common) -> None:
    data = _data(path)
    if not data.get("enum") or not data.get("struct"):
        data.setdefault("enum", []).append({"name": "ge_t_e", "values": [{"name": "A", "value": 0}]})
        fields = [{"name": "struct_size", "type": "u32"}, {"name": "reserved0", "type": "u32"}]
        data.setdefault("struct", []).append({"name": "ge_t_s", "fields": fields})
    assert _findings(data, appended(data), common) == []


def test_growth_of_a_frozen_struct_is_found(common: Common) -> None:
    data = fixture_data()
    golden = layout(table_from_dict(data, Path("x.toml"), common), common)
    line = next(text for text in golden.splitlines() if text.startswith("frozen ge_error message"))
    findings = compare(golden, golden.replace(line, f"{line}\nfrozen ge_error more offset 4096"), "x-1.0.layout")
    assert len(findings) == 1 and "frozen ge_error is frozen for all majors and has grown" in findings[0]


@pytest.fixture(scope="module", params=[FX_TOML, IR], ids=lambda p: p.stem)
def original(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], Workspace]:
    data = _data(request.param)
    return data, Workspace(tmp_path_factory.mktemp("original"), data)


def _compile_with_old_asserts(old: Workspace, new: Workspace, language: str, compiler: str) -> str:
    name = f"{old.table.name}_asserts.h"
    (new.include / name).write_text((old.include / name).read_text(encoding="utf-8"), encoding="utf-8")
    return compiles(new.include, f'#include "{name}"\n', language, compiler)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_assertions_hold_for_their_own_header(
    original: tuple[dict[str, Any], Workspace], language: str, compiler: str
) -> None:
    name = original[1].table.name
    assert (
        compiles(original[1].include, f'#include "{name}_asserts.h"\n#include "{name}_stubs.h"\n', language, compiler)
        == ""
    )


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("edit", LAYOUT)
def test_assertions_alone_find_the_edit(
    original: tuple[dict[str, Any], Workspace], edit: str, language: str, tmp_path: Path
) -> None:
    data, old = original
    new = Workspace(tmp_path, mutated(data, LAYOUT[edit]))
    messages = _compile_with_old_asserts(old, new, language, "gcc")
    assert "assert" in messages or "has no member" in messages or "is not a member" in messages, messages


@pytest.mark.parametrize("language", ["c", "c++"])
def test_assertions_accept_growth(original: tuple[dict[str, Any], Workspace], language: str, tmp_path: Path) -> None:
    data, old = original
    assert _compile_with_old_asserts(old, Workspace(tmp_path, appended(data)), language, "gcc") == ""


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize(
    ("before", "after"), [("int32_t (*open)", "int64_t (*open)"), ("const char* name", "char* name")]
)
def test_assertions_find_a_changed_return_type_or_const(
    before: str, after: str, language: str, fx: Workspace, tmp_path: Path
) -> None:
    for path in fx.include.iterdir():
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    header = tmp_path / "ge_fx_api.h"
    text = header.read_text(encoding="utf-8")
    assert before in text
    header.write_text(text.replace(before, after), encoding="utf-8")
    messages = compiles(tmp_path, '#include "ge_fx_asserts.h"\n', language)
    assert "ge_fx_api.open has another type" in messages
