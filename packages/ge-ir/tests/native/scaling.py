"""Measures how the native operations scale. Run by hand: ``python scaling.py [SIZE ...]``; not a test.

Each size prints nanoseconds per item; near-linear operations show nearly the same number at every size.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ge.graph import _library

HERE = Path(__file__).resolve().parent


def main() -> None:
    sizes = sys.argv[1:] or ["100000", "1000000"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "scaling"
        include = HERE.parent.parent / "abi" / "include"
        source = HERE / "cpp" / "scaling.cc"
        command = ["g++", "-std=c++17", "-O2", "-DNDEBUG", f"-I{include}", str(source), "-o", str(program), "-ldl"]
        subprocess.run(command, check=True)
        for size in sizes:
            print(f"--- {size} nodes", flush=True)
            subprocess.run([str(program), _library.find_library(), size], check=True)


if __name__ == "__main__":
    main()
