"""ge_abi_support.hpp: a C++ driver under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

from _workspace import Workspace, run

DRIVER = Path(__file__).resolve().parent / "support_driver.cpp"


def test_support_header(fx: Workspace, tmp_path: Path) -> None:
    program = str(tmp_path / "driver")
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]
    run(
        "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", *sanitize, "-I", str(fx.include), str(DRIVER), "-o", program
    )
    # A preloaded allocator of the calling environment would come before the sanitizer's own.
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, env={"ASAN_OPTIONS": "detect_leaks=0"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
