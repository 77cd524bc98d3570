"""Run the test suite of each package in a process of its own, and every suite even if one fails.

    python tools/run_suites.py NAME [--suites packages|models|tools] [pytest arguments]

NAME is the environment's name: JUnit reports go to ``$GE_REPORTS/NAME/``. Exit status 1 if a suite failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, Sequence

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = ("ge-ir", "ge-partition", "ge-passes", "ge-bridge-native", "ge-runtime")
# A hang in native code must end as a failure of this suite, not of the whole run.
TIME_LIMIT_S = 1200


def suites(kind: str) -> Dict[str, List[Path]]:
    """Test folders by the name of their report.

    Raises:
        SystemExit: a package has no tests; a suite that is not found would count as green.
    """
    if kind == "packages":
        found = {name: [REPOSITORY / "packages" / name / "tests"] for name in PACKAGES}
    elif kind == "models":
        found = {"models": [REPOSITORY / "packages" / "ge-runtime" / "tests" / "test_real_models.py"]}
    else:
        folders = sorted(REPOSITORY.glob("tools/**/tests")) + [REPOSITORY / "benchmarks" / "tests"]
        found = {"-".join(path.relative_to(REPOSITORY).parts[:-1]): [path] for path in folders}
        found["examples"] = [REPOSITORY / "examples" / "passes"]  # tests stand beside the passes
    empty = [name for name, paths in found.items() if not any(_has_tests(path) for path in paths)]
    if empty:
        raise SystemExit(f"run_suites: no test files for {', '.join(empty)}")
    return found


def _has_tests(path: Path) -> bool:
    return path.is_file() or any(path.glob("**/test_*.py"))


def _config(folder: Path) -> List[str]:
    """The package's own pytest settings; the repository's for everything else."""
    package = next((parent for parent in folder.parents if (parent / "pyproject.toml").is_file()), REPOSITORY)
    return ["-c", str(package / "pyproject.toml")]


def run(name: str, folders: Sequence[Path], report: Path, options: Sequence[str]) -> bool:
    """One suite; whether it passed."""
    print(f"\n=== {name} (CPython {sys.version.split()[0]})", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", *_config(folders[0]), f"--junitxml={report}", *options]
    started = time.monotonic()
    try:
        status = subprocess.run([*command, *map(str, folders)], cwd=REPOSITORY, timeout=TIME_LIMIT_S).returncode
    except subprocess.TimeoutExpired:
        status = -1
        print(f"run_suites: {name} did not end within {TIME_LIMIT_S} s", flush=True)
    print(f"=== {name}: {'ok' if status == 0 else f'status {status}'}, {time.monotonic() - started:.1f} s", flush=True)
    return status == 0


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--suites", choices=("packages", "models", "tools"), default="packages")
    args, options = parser.parse_known_args()
    reports = Path(os.environ.get("GE_REPORTS") or REPOSITORY / "build" / "reports") / args.name
    reports.mkdir(parents=True, exist_ok=True)
    bad = [
        name
        for name, folders in suites(args.suites).items()
        if not run(name, folders, reports / f"{name}.xml", options)
    ]
    if bad:
        print(f"\nrun_suites: failed: {', '.join(bad)}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
