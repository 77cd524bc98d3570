#!/usr/bin/env python3
"""Generates and checks everything that follows from the ABI definitions.

python tools/abi/abi.py generate    write every generated file
python tools/abi/abi.py check       compare with the committed files; exit code 1 if anything differs
python tools/abi/abi.py release T   freeze the current minor of table T, for good
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from _golden import digest, golden_path, read_released
from _load import AbiDefinitionError
from _model import Common, Table
from _outputs import golden_findings, load_all, outputs, released_path

__all__ = ["check", "generate", "main", "release"]


def _broken(root: Path, common: Common, tables: list[Table], errors: list[AbiDefinitionError]) -> list[str]:
    released = read_released(released_path(root))
    findings = [f"error: {e}" for e in errors]
    return findings + [f for t in tables for f in golden_findings(t, common, released)]


def generate(root: Path) -> tuple[list[Path], list[str]]:
    """Writes the files whose text changed; returns their paths, and the findings of broken definitions.

    The golden layout of a released minor is never written: a definition that breaks one is a finding.
    """
    common, tables, errors = load_all(root)
    changed: list[Path] = []
    for path, text in outputs(root, common, tables).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        changed.append(path)
    return changed, _broken(root, common, tables, errors)


def check(root: Path) -> list[str]:
    """Findings, each a text; none if the committed files are what the definitions produce."""
    common, tables, errors = load_all(root)
    findings = _broken(root, common, tables, errors)
    for path, text in outputs(root, common, tables).items():
        name = path.relative_to(root).as_posix()
        if not path.exists():
            findings.append(f"{name}: missing; run: python tools/abi/abi.py generate")
            continue
        found = path.read_text(encoding="utf-8")
        if found != text:
            diff = difflib.unified_diff(found.splitlines(True), text.splitlines(True), f"a/{name}", f"generated/{name}")
            findings.append("".join(diff))
    return findings


def release(root: Path, name: str) -> list[str]:
    """Records the current minor of a table as released; findings if it cannot be."""
    findings = check(root)
    _, tables, _ = load_all(root)
    table = next((t for t in tables if t.name == name), None)
    if table is None:
        known = ", ".join(t.name for t in tables)
        return [*findings, f"error: there is no table {name!r}; known: {known}"]
    record = released_path(root)
    released = read_released(record)
    version = f"{table.major}.{table.minor}"
    if version in released.get(name, {}):
        findings.append(f"error: {name} {version} is already released")
    if findings:
        return findings
    released.setdefault(name, {})[version] = digest(golden_path(table).read_text(encoding="utf-8"))
    comments = [line for line in record.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = [*comments, "", "[released]"]
    for each in sorted(released):
        lines += ["", f"[released.{each}]", *(f'"{v}" = "{d}"' for v, d in released[each].items())]
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return []


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Generate and check what follows from the ABI definitions.")
    parser.add_argument("command", choices=("generate", "check", "release"))
    parser.add_argument("table", nargs="?", help="table to release")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help="repository root")
    args = parser.parse_args(argv)
    root = args.root.resolve()
    try:
        if args.command == "generate":
            changed, findings = generate(root)
            for path in changed:
                print(f"wrote {path.relative_to(root)}")
            print(f"{len(changed)} files changed")
        elif args.command == "release":
            findings = release(root, args.table or "")
        else:
            findings = check(root)
    except AbiDefinitionError as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 1
    for finding in findings:
        print(finding)
    if args.command == "check":
        print(f"{len(findings)} findings" if findings else "generated files are up to date")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
