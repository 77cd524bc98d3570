"""Formatting of every hand-written C++ file (``clang-format``), or with ``--tidy`` its lint (``clang-tidy``)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List

REPOSITORY = Path(__file__).resolve().parents[1]
BUILDS = REPOSITORY / "build" / "cmake"


def sources() -> List[Path]:
    """Headers and sources below ``packages/*/cpp`` and ``tests``; what lies in an ``abi`` folder is generated."""
    found: List[Path] = []
    for pattern in ("packages/*/cpp/**/*", "packages/*/tests/**/*", "tests/**/*", "examples/**/*"):
        files = [path for path in REPOSITORY.glob(pattern) if path.suffix in (".cc", ".h")]
        found += [path for path in files if "abi" not in path.relative_to(REPOSITORY).parts]
    return sorted(found)


def tidy(files: List[Path]) -> int:
    """Run clang-tidy with each package's compile commands; the packages must have been built."""
    status = 0
    for package in sorted({path.relative_to(REPOSITORY).parts[1] for path in files if "packages" in path.parts}):
        build = BUILDS / package
        if (build / "compile_commands.json").is_file():
            own = [str(path) for path in files if path.suffix == ".cc" and f"/{package}/cpp/" in str(path)]
            status |= subprocess.run(["clang-tidy", "--quiet", "-p", str(build), *own]).returncode
    return 1 if status else 0


def main() -> int:
    """Command line; the exit status of the tool."""
    files = sources()
    if "--tidy" in sys.argv[1:]:
        return tidy(files)
    command = ["clang-format", "--dry-run", "--Werror", *map(str, files)]
    if "--fix" in sys.argv[1:]:
        command = ["clang-format", "-i", *map(str, files)]
    return subprocess.run(command).returncode if files else 0


if __name__ == "__main__":
    sys.exit(main())
