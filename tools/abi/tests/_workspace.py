"""A temporary repository with one table, and the compilers to build against it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from _load import load_common, table_from_dict
from _model import Common
from _outputs import TOOL, outputs
from _toml import read_toml

FX_TOML = Path(__file__).resolve().parent / "ge_fx.toml"
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
CXX = {"gcc": "g++", "clang": "clang++"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def common_record() -> Common:
    """common.toml, loaded."""
    return load_common(TOOL / "common.toml")


def _until(items: list[dict[str, Any]], minor: int) -> list[dict[str, Any]]:
    return [i for i in items if i.get("since", 0) <= minor]


def fixture_data(minor: int = 1) -> dict[str, Any]:
    """The fixture table as parsed TOML, as it was in a minor."""
    data: dict[str, Any] = read_toml(FX_TOML)
    data["table"]["minor"] = minor
    data["slot"] = _until(data["slot"], minor)
    for item in data["enum"]:
        item["values"] = _until(item["values"], minor)
    for item in data["struct"]:
        item["fields"] = _until(item["fields"], minor)
    return data


class Workspace:
    """Generated files of one table below a temporary root.

    Attributes:
        root: The temporary repository root.
        table: The loaded table.
        include: Folder of the producer's headers.
        frozen: Folder with the frozen producer and consumer.
    """

    def __init__(self, root: Path, data: dict[str, Any]) -> None:
        self.root = root
        package = data["table"]["package"]
        definition = root / "packages" / package / "abi" / f"{data['table']['name']}.toml"
        self.common = common_record()
        self.table = table_from_dict(data, definition, self.common)
        record = root / "tools" / "abi" / "released.toml"
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text("[released]\n", encoding="utf-8")
        for path, text in outputs(root, self.common, [self.table]).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.include = definition.parent / "include"
        self.frozen = root / "packages" / package / "tests" / "abi" / f"{self.table.major}.{self.table.minor}"

    def producer(self, *flags: str, name: str = "libproducer.so") -> Path:
        """Builds the frozen producer."""
        return build_producer(self.frozen, self.root / name, *flags)


def build_producer(folder: Path, target: Path, *flags: str) -> Path:
    """Builds the producer of a frozen folder as a shared library of build kind 'release'."""
    if not target.exists():
        run("g++", "-std=c++17", *WARNINGS, "-shared", "-fPIC", "-fvisibility=hidden", "-DNDEBUG", *flags,
            str(folder / "producer.cpp"), "-o", str(target))  # fmt: skip
    return target


def build_consumer(folder: Path, target: Path, *flags: str) -> Path:
    """Builds the consumer of a frozen folder."""
    if not target.exists():
        source = str(folder / "consumer.c")
        run(
            "gcc",
            "-std=c11",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-DNDEBUG",
            *flags,
            source,
            "-o",
            str(target),
            "-ldl",
        )
    return target


def run(*command: str) -> str:
    """Runs a command that must succeed and returns its output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiles(include: Path, text: str, language: str, compiler: str = "gcc", flags: tuple[str, ...] = ()) -> str:
    """Compiler messages for a translation unit; empty if it compiles."""
    standard = "-std=c11" if language == "c" else "-std=c++17"
    command = [compiler if language == "c" else CXX[compiler], standard, "-fsyntax-only", *WARNINGS, *flags]
    done = subprocess.run(
        [*command, "-I", str(include), "-x", language, "-"], input=text, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (not done.stderr), done.stderr
    return done.stderr
