"""Which files a definition produces, and their text."""

from __future__ import annotations

from pathlib import Path

from _emit_ctypes import emit_ctypes
from _emit_header import emit_api_header, emit_common_header
from _emit_producer import emit_slots
from _emit_stubs import emit_stubs
from _load import AbiDefinitionError, load_common, load_table
from _model import Common, Table

__all__ = ["TOOL", "find_tables", "load_all", "outputs"]

TOOL = Path(__file__).resolve().parent


def find_tables(root: Path) -> list[Path]:
    """Every definition file of the repository, in a fixed order."""
    return sorted(root.glob("packages/*/abi/*.toml"))


def load_all(root: Path) -> tuple[Common, list[Table], list[AbiDefinitionError]]:
    """Loads common.toml and every table; a broken table is a finding and does not hide the others.

    Raises:
        AbiDefinitionError: common.toml itself breaks a rule.
    """
    common = load_common(TOOL / "common.toml")
    tables: list[Table] = []
    errors: list[AbiDefinitionError] = []
    for path in find_tables(root):
        try:
            tables.append(load_table(path, common))
        except AbiDefinitionError as exc:
            errors.append(exc)
    return common, tables, errors


def _template(name: str) -> str:
    return (TOOL / "templates" / name).read_text(encoding="utf-8")


def outputs(root: Path, common: Common, tables: list[Table]) -> dict[Path, str]:
    """Text of every generated file by its path."""
    files: dict[Path, str] = {}
    common_files = {
        "ge_abi.h": emit_common_header(common, _template("ge_abi.h.in")),
        "ge_abi_support.hpp": _template("ge_abi_support.hpp"),
    }
    for table in tables:
        source = table.path.relative_to(root).as_posix()
        shared = {
            **common_files,
            f"{table.name}_api.h": emit_api_header(table, source),
            f"{table.name}_stubs.h": emit_stubs(table, source),
        }
        own = {**shared, f"{table.name}_slots.h": emit_slots(table, source)}
        for package in (table.package, *table.consumers):
            include = root / "packages" / package / "abi" / "include"
            files.update({include / n: text for n, text in (own if package == table.package else shared).items()})
        if table.python:
            target = root / "packages" / table.package / "src" / table.python
            files[target] = emit_ctypes(table, common, source, _template("_abi.py.in"))
    return files
