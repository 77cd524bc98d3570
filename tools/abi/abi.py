#!/usr/bin/env python3
"""Generates and checks everything that follows from the ABI definitions.

python tools/abi/abi.py generate    write every generated file
python tools/abi/abi.py check       compare with the committed files; exit code 1 if anything differs
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from _load import AbiDefinitionError
from _outputs import load_all, outputs

__all__ = ["check", "generate", "main"]


def generate(root: Path) -> tuple[list[Path], list[str]]:
    """Writes the files whose text changed; returns their paths, and the findings of broken definitions."""
    common, tables, errors = load_all(root)
    changed: list[Path] = []
    for path, text in outputs(root, common, tables).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        changed.append(path)
    return changed, [f"error: {e}" for e in errors]


def check(root: Path) -> list[str]:
    """Findings, each a text; none if the committed files are what the definitions produce."""
    common, tables, errors = load_all(root)
    findings = [f"error: {e}" for e in errors]
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


def main(argv: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Generate and check what follows from the ABI definitions.")
    parser.add_argument("command", choices=("generate", "check"))
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help="repository root")
    args = parser.parse_args(argv)
    root = args.root.resolve()
    try:
        if args.command == "generate":
            changed, findings = generate(root)
            for path in changed:
                print(f"wrote {path.relative_to(root)}")
            print(f"{len(changed)} files changed")
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
