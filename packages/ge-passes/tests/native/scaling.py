"""Measures how matching and rewriting scale. Run by hand: ``python scaling.py [SIZE ...]``; not a test.

Each size prints nanoseconds per node of the graph; near-linear work shows nearly the same number at every size.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ge.graph import _library as ir_library
from ge.passes import _library

HERE = Path(__file__).resolve().parent


def main() -> None:
    sizes = sys.argv[1:] or ["30000", "300000"]
    library = next(path for path in _library.candidates() if os.path.isfile(path))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "scaling"
        include = HERE.parent.parent / "abi" / "include"
        source = HERE / "cpp" / "scaling.cc"
        command = ["g++", "-std=c++17", "-O2", "-DNDEBUG", f"-I{include}", str(source), "-o", str(program), "-ldl"]
        subprocess.run(command, check=True)
        for size in sizes:
            print(f"--- {size} nodes", flush=True)
            subprocess.run([str(program), ir_library.find_library(), library, size], check=True)


if __name__ == "__main__":
    main()
