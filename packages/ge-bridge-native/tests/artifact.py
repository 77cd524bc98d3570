"""The artifact set under test, and Python processes that use it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from ge.runtime import select_artifacts

SELECTION = select_artifacts()
NATIVE, BRIDGE = SELECTION.native_path, SELECTION.bridge_path

LOAD_NATIVE = f"""
import importlib.machinery, importlib.util, sys
def load(name="_ge_pass_native", path={NATIVE!r}):
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
    loader.exec_module(module)
    return module
"""


def run_python(code, *, env=None, prelude=LOAD_NATIVE, status=0):
    """Output of a Python process that runs ``code``; fails unless it ends with ``status`` (so also if it crashes)."""
    paths = [str(Path(__file__).parent), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path), **(env or {})}
    program = prelude + textwrap.dedent(code)
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    assert found.returncode == status, f"status {found.returncode}\n{found.stdout}\n{found.stderr}"
    return found.stdout


def preload_version(folder, version):
    """A library that makes CPython say another version when it is preloaded."""
    source, library = folder / "version.c", folder / "libversion.so"
    source.write_text(f'const char* Py_GetVersion(void) {{ return "{version}"; }}\n')
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return {"LD_PRELOAD": str(library)}
