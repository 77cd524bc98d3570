"""Second opinion on a table: compares two builds of a library with abidiff, which reads types from debug information.

The exit status of abidiff does not tell growth at the end from a break, so its report is read. It says nothing at all
of stripped files, so those are refused. Of a renamed member and of a changed ``const`` it says nothing either: those
are for the golden layout and the compiled assertions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

__all__ = ["AbidiffError", "BUILD_FLAGS", "breaks", "report"]

# How a library must be built for this comparison: its types are reachable from no exported function.
BUILD_FLAGS = ("-g", "-fno-eliminate-unused-debug-types")

_USAGE_ERROR = 1  # bits of the exit status
_TOOL_ERROR = 2
_SIZE = re.compile(r"type size changed from (\d+) to \d+ \(in bits\)")
_INSERTION = re.compile(r"'.*', at offset (\d+) \(in bits\)")
_RENUMBERED = re.compile(r"'.*' from value '-?\d+' to '-?\d+'")
_BREAK = (
    (re.compile(r"data member deletion"), "a member was removed"),
    (re.compile(r"'(.*)' offset changed from"), "a member moved"),
    (re.compile(r"parameter \d+ of type '.*' (?!has sub-type)"), "a parameter has another type"),
    (re.compile(r"parameter \d+ of type '.*' was (?:removed|added)"), "the number of parameters changed"),
    (re.compile(r"return type changed"), "the return type changed"),
)


class AbidiffError(Exception):
    """The comparison cannot be made; the text says why."""


def _require_debug_information(path: Path) -> None:
    sections = subprocess.run(["readelf", "-SW", str(path)], capture_output=True, text=True, check=False)
    if ".debug_info" not in sections.stdout:
        raise AbidiffError(
            f"{path} has no debug information; build it with {' '.join(BUILD_FLAGS)} and do not strip it"
        )


def report(old: Path, new: Path) -> str:
    """What abidiff says of two shared libraries.

    Raises:
        AbidiffError: abidiff is missing (Debian package abigail-tools) or fails, or a file has no debug information.
    """
    if shutil.which("abidiff") is None:
        raise AbidiffError("abidiff is missing; it comes with the Debian package abigail-tools")
    for path in (old, new):
        _require_debug_information(path)
    command = ["abidiff", "--non-reachable-types", "--no-show-locs", str(old), str(new)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode & (_USAGE_ERROR | _TOOL_ERROR):
        raise AbidiffError(f"abidiff failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def _section(text: str, struct: str) -> list[str]:
    """Lines of the report about one changed struct."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith(f"  [C] 'struct {struct}' changed")), None)
    if start is None:
        return []
    end = next((at for at in range(start + 1, len(lines)) if not lines[at].startswith("    ")), len(lines))
    return lines[start + 1 : end]


def breaks(text: str, struct: str) -> list[str]:
    """Lines of a report that say that a struct changed other than by growth at its end, or that a constant changed.

    Args:
        text: What `report` gave.
        struct: Name of the struct, for example ``ge_ir_api``.
    """
    lines = _section(text, struct)
    size = next((int(found.group(1)) for line in lines[:1] if (found := _SIZE.search(line))), None)
    bad = []
    for line in lines:
        why = next((reason for pattern, reason in _BREAK if pattern.search(line)), None)
        insertion = _INSERTION.search(line) if line.startswith("      '") else None
        if insertion and size is not None and int(insertion.group(1)) < size:
            why = "a member was inserted"
        if why is not None:
            bad.append(f"{struct}: {why}: {line.strip()}")
    bad += [
        f"an enumerator has another value: {line.strip()}" for line in text.splitlines() if _RENUMBERED.search(line)
    ]
    if f"  [D] 'struct {struct}'" in text:
        bad.append(f"{struct}: the struct is gone")
    return bad
