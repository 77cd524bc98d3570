"""Which files a definition produces, and their text."""

from __future__ import annotations

from pathlib import Path

from _docs import emit_common_page, emit_page
from _emit_asserts import emit_asserts, emit_common_asserts
from _emit_ctypes import emit_ctypes
from _emit_header import emit_api_header, emit_common_header
from _emit_producer import emit_slots
from _emit_stubs import emit_stubs
from _freeze import emit_consumer, emit_producer
from _golden import Released, compare, digest, golden_path, layout, read_released, released_minors
from _load import AbiDefinitionError, load_common, load_table
from _model import Common, Table

__all__ = ["TOOL", "find_tables", "frozen", "frozen_dir", "golden_findings", "load_all", "outputs", "released_path"]

TOOL = Path(__file__).resolve().parent


def released_path(root: Path) -> Path:
    """The file that lists the released minors."""
    return root / "tools" / "abi" / "released.toml"


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
        "ge_abi_asserts.h": emit_common_asserts(common, _template("ge_abi_asserts.h.in")),
        "ge_abi_support.hpp": _template("ge_abi_support.hpp"),
    }
    files[root / "docs" / "abi" / "ge_abi.md"] = emit_common_page(common)
    released = read_released(released_path(root))
    for table in tables:
        source = table.path.relative_to(root).as_posix()
        shared = {
            **common_files,
            f"{table.name}_api.h": emit_api_header(table, source),
            f"{table.name}_stubs.h": emit_stubs(table, source),
            f"{table.name}_asserts.h": emit_asserts(table, source),
        }
        own = {**shared, f"{table.name}_slots.h": emit_slots(table, source)}
        for package in (table.package, *table.consumers):
            include = root / "packages" / package / "abi" / "include"
            files.update({include / n: text for n, text in (own if package == table.package else shared).items()})
        if table.python:
            target = root / "packages" / table.package / "src" / table.python
            files[target] = emit_ctypes(table, common, source, _template("_abi.py.in"))
        files[root / "docs" / "abi" / f"{table.name}.md"] = emit_page(table)
        # What belongs to a released minor is frozen: it is not generated any more.
        if table.minor not in released_minors(table, released):
            files[golden_path(table)] = layout(table, common)
            files.update({frozen_dir(table) / n: text for n, text in frozen(table, source, own).items()})
    return files


def frozen_dir(table: Table) -> Path:
    """Where the frozen copy of the current minor stands: headers, producer and consumer."""
    return table.path.parent.parent / "tests" / "abi" / f"{table.major}.{table.minor}"


def frozen(table: Table, source: str, headers: dict[str, str]) -> dict[str, str]:
    """The frozen copy: everything needed to build this minor's producer and consumer years from now."""
    return {**headers, "producer.cpp": emit_producer(table, source), "consumer.c": emit_consumer(table, source)}


def golden_findings(table: Table, common: Common, released: Released) -> list[str]:
    """What the current definition breaks of the released minors."""
    findings: list[str] = []
    current = layout(table, common)
    minors = released_minors(table, released)
    for minor in minors:
        path = golden_path(table, minor)
        if not path.exists():
            findings.append(f"{path}: missing, but {table.name} {table.major}.{minor} is released")
            continue
        golden = path.read_text(encoding="utf-8")
        recorded = released[table.name][f"{table.major}.{minor}"]
        if digest(golden) != recorded:
            findings.append(f"{path.name}: sha256 is {digest(golden)}, but {recorded} was released: restore the file")
        broken = compare(golden, current, path.name)
        if not broken and minor == table.minor and golden != current:
            text = f"{path.name}: {table.name} {table.major}.{minor} is released and the definition adds to it"
            broken = [f"{text}: raise minor to {minor + 1} and mark the additions since = {minor + 1}"]
        findings += broken
    if minors and table.minor < minors[-1]:
        findings.append(f"{table.name}: minor is {table.minor}, but {table.major}.{minors[-1]} is released")
    return findings
