"""Build the artifact-set wheel of ge-bridge-native for several interpreters, from one source tree.

    python tools/wheel_matrix/wheel_matrix.py find [--json]
    python tools/wheel_matrix/wheel_matrix.py build [--python PATH ...] [--all] --out DIR [--json]

Each interpreter gets an environment with the pinned build tools once (below ``--work``); a set whose sources, tools
and interpreter are unchanged is not built again. Every wheel is checked against its manifest and imported in its own
interpreter. The result is a table of built, skipped and failed sets with reasons; ``--json`` prints the same as one
object on the last line. Exit status 1 if any set failed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from artifact_check import ArtifactError, check
from interpreters import Interpreter, ask, find

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "packages" / "ge-bridge-native"
BUILD_REQUIREMENTS = REPOSITORY / "tools" / "requirements" / "build.txt"
_SOURCES = ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "cmake/*", "cpp/**/*.cc", "cpp/**/*.h")
_ABI_SOURCES = ("abi/*.toml", "abi/include/*.h")


class BuildError(Exception):
    """One set could not be built; the text is the reason for the table."""


@dataclass
class Outcome:
    """One row of the table; ``state`` is built, skipped (up to date) or failed."""

    tag: str
    python: str
    state: str
    reason: str = ""
    wheel: str = ""
    build_id: str = ""
    seconds: float = 0.0


def source_key(interpreter: Interpreter) -> str:
    """Hash of everything that decides the contents of the wheel."""
    digest = hashlib.sha256()
    # Not the executable's path: an environment and its base interpreter give the same set.
    facts = {key: value for key, value in interpreter.to_json().items() if key != "executable"}
    digest.update(json.dumps([facts, BUILD_REQUIREMENTS.read_text()], sort_keys=True).encode())
    compiler = os.environ.get("CXX", "c++")
    digest.update((_output([compiler, "--version"]) or "no compiler").encode())
    for key in ("CXXFLAGS", "LDFLAGS", "CMAKE_ARGS"):
        digest.update(f"{key}={os.environ.get(key, '')}".encode())
    for pattern in _SOURCES + _ABI_SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            if path.is_file():
                digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _output(command: Sequence[str]) -> Optional[str]:
    try:
        done = subprocess.run(list(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _run(command: Sequence[str], env: Dict[str, str], log: Path) -> None:
    with log.open("a", encoding="utf-8") as stream:
        stream.write(f"$ {' '.join(command)}\n")
        stream.flush()
        done = subprocess.run(list(command), env=env, stdout=stream, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        telling = [line.strip() for line in lines if "error" in line.lower()]
        first = telling[0] if telling else (lines or ["no output"])[-1]
        raise BuildError(f"{first[:200]} (log: {log})")


def _has_build_tools() -> bool:
    return all(importlib.util.find_spec(name) for name in ("pip", "scikit_build_core", "nanobind"))


def _build_environment(interpreter: Interpreter, work: Path, log: Path) -> Path:
    """Python of an environment that has the pinned build tools; made once for each interpreter and pin.

    The running environment serves its own interpreter if it has the tools.
    """
    if Path(interpreter.executable) == Path(sys.executable) and _has_build_tools():
        return Path(sys.executable)
    pins = hashlib.sha256(BUILD_REQUIREMENTS.read_bytes()).hexdigest()[:12]
    folder = work / "env" / interpreter.tag
    python, stamp = folder / "bin" / "python", folder / f"ready-{pins}-{interpreter.version}"
    if not stamp.exists():
        if folder.exists():
            shutil.rmtree(folder)
        env = dict(os.environ)
        _run([sys.executable, "-m", "virtualenv", "-q", "-p", interpreter.executable, str(folder)], env, log)
        _run([str(python), "-m", "pip", "install", "-q", "-r", str(BUILD_REQUIREMENTS)], env, log)
        stamp.touch()
    return python


def build_variables(root: Path) -> Dict[str, str]:
    """Environment of a build: ccache where there is one, told to look through changing paths."""
    env = dict(os.environ)
    env.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    if shutil.which("ccache") and "CMAKE_CXX_COMPILER_LAUNCHER" not in env:
        env.update(
            CMAKE_CXX_COMPILER_LAUNCHER="ccache",
            CCACHE_BASEDIR=str(root),
            CCACHE_NOHASHDIR="1",
            CCACHE_SLOPPINESS="include_file_mtime,include_file_ctime",
        )
    return env


def _build_wheel(interpreter: Interpreter, work: Path, out: Path) -> Path:
    log = work / "logs" / f"{interpreter.tag}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    python = _build_environment(interpreter, work, log)
    fresh = work / "wheel" / interpreter.tag
    if fresh.exists():
        shutil.rmtree(fresh)
    env = build_variables(REPOSITORY)
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", "")])
    _run(
        [str(python), "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(fresh)]
        + ["-C", f"build-dir={work / 'cmake' / interpreter.tag}", str(PACKAGE)],
        env,
        log,
    )
    wheels = list(fresh.glob("*.whl"))
    if len(wheels) != 1 or f"-{interpreter.tag}-" not in wheels[0].name:
        raise BuildError(f"expected one wheel for {interpreter.tag}, found {[wheel.name for wheel in wheels]}")
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob(f"ge_bridge_native-*-{interpreter.tag}-*.whl"):
        old.unlink()
    return Path(shutil.move(str(wheels[0]), str(out / wheels[0].name)))


def _read_stamp(path: Path) -> Dict[str, str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def build_one(interpreter: Interpreter, work: Path, out: Path) -> Outcome:
    """Build, check and stamp one set; a failure becomes a row, not an exception."""
    started = time.monotonic()
    row = Outcome(tag=interpreter.tag, python=interpreter.executable, state="failed")
    stamp, key = work / "stamps" / f"{interpreter.tag}.json", source_key(interpreter)
    known = _read_stamp(stamp)
    try:
        if known.get("key") == key and (out / known.get("wheel", "-")).is_file():
            row.state, row.wheel, row.build_id = "skipped", known["wheel"], known.get("build_id", "")
            row.reason = "up to date"
            return row
        wheel = _build_wheel(interpreter, work, out)
        row.build_id = check(wheel, interpreter.executable)["build_id"]
        row.state, row.wheel = "built", wheel.name
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(json.dumps({"key": key, "wheel": wheel.name, "build_id": row.build_id}))
    except (BuildError, ArtifactError, OSError) as error:
        row.reason = str(error)
    finally:
        row.seconds = round(time.monotonic() - started, 2)
    return row


def _chosen(args: argparse.Namespace) -> tuple[List[Interpreter], List[Outcome]]:
    """Interpreters to build for, and a failed row for each given path that is none."""
    if args.all:
        return find(tuple(args.python)), []
    chosen, rows = [], []
    for path in args.python or [sys.executable]:
        interpreter = ask(path)
        if interpreter is None:
            rows.append(Outcome(tag="?", python=path, state="failed", reason="does not run, or is no Python 3"))
        elif interpreter.implementation != "cpython":
            reason = f"is {interpreter.implementation}; artifact sets exist for CPython alone"
            rows.append(Outcome(tag="?", python=path, state="failed", reason=reason))
        elif not interpreter.headers:
            reason = f"Python.h is missing (Debian package python{interpreter.minor}-dev)"
            rows.append(Outcome(tag=interpreter.tag, python=path, state="failed", reason=reason))
        else:
            chosen.append(interpreter)
    return chosen, rows


def print_table(rows: Sequence[Outcome]) -> None:
    """One line for each set."""
    print(f"{'set':8} {'state':8} {'seconds':>7}  wheel, or the reason")
    for row in rows:
        print(f"{row.tag:8} {row.state:8} {row.seconds:7.1f}  {row.wheel or row.reason}")


def run_build(args: argparse.Namespace) -> int:
    """``build``: the table, and status 1 if a set failed."""
    chosen, rows = _chosen(args)
    work, out = args.work.absolute(), args.out.absolute()
    for number, interpreter in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {interpreter.tag} {interpreter.executable}", file=sys.stderr, flush=True)
        rows.append(build_one(interpreter, work, out))
    print_table(rows)
    counts = {state: sum(row.state == state for row in rows) for state in ("built", "skipped", "failed")}
    if args.json:
        print(json.dumps({"sets": [asdict(row) for row in rows], **counts}))
    return 1 if counts["failed"] or not rows else 0


def run_find(args: argparse.Namespace) -> int:
    """``find``: the interpreters of this machine."""
    found = find()
    for item in found:
        print(f"{item.tag:8} {item.version:10} {item.executable}")
    if args.json:
        print(json.dumps({"interpreters": [item.to_json() for item in found]}))
    return 0


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("find", help="list the interpreters of this machine")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=run_find)
    build = commands.add_parser("build", help="build and check artifact sets")
    build.add_argument("--python", action="append", default=[], help="interpreter, repeatable (default: this one)")
    build.add_argument("--all", action="store_true", help="every interpreter found on this machine")
    build.add_argument("--out", type=Path, required=True, help="folder for the wheels")
    build.add_argument("--work", type=Path, default=REPOSITORY / "build" / "matrix", help="environments, objects, logs")
    build.add_argument("--json", action="store_true", help="one JSON object as the last line")
    build.set_defaults(run=run_build)
    args = parser.parse_args(arguments)
    return int(args.run(args))


if __name__ == "__main__":
    sys.exit(main())
