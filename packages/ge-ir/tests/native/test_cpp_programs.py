"""C++ programs against the table: allocation failures and threads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ge.graph import _library

HERE = Path(__file__).resolve().parent


def run(name: str, folder: Path) -> int:
    """Compiles and runs a program of ``cpp``; returns the number that it prints."""
    program = folder / name
    include = HERE.parent.parent / "abi" / "include"
    source = HERE / "cpp" / f"{name}.cc"
    command = ["c++", "-std=c++17", "-O1", "-DNDEBUG", f"-I{include}", str(source), "-o", str(program)]
    subprocess.run([*command, "-ldl", "-pthread"], check=True)
    done = subprocess.run([str(program), _library.find_library()], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
def test_every_failing_allocation_leaves_the_graph_as_it_was(tmp_path: Path) -> None:
    assert run("malloc_failure", tmp_path) > 500


@pytest.mark.slow
def test_threads_with_graphs_of_their_own(tmp_path: Path) -> None:
    assert run("threads", tmp_path) == 1600
