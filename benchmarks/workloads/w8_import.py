"""W8: what an import costs in time and memory over the bare interpreter; the variant is the module of ours.

CPU seconds of a fresh process that imports it, less those of one that imports nothing, medians of nine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import Any, Dict, Tuple

from contract import Case, Measured, Workload

REPEATS = 9
# The process asks for its own peak: what wait4 tells includes the memory of the parent before the exec.
_PEAK = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"


def _once(statement: str) -> Tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MB of a fresh interpreter that runs the statement."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-I", "-c", f"{statement}\n{_PEAK}"], stdout=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f"'{statement}' ended with status {process.returncode}")
    passed = time.perf_counter() - started
    assert process.stdout is not None
    with process.stdout as stream:
        peak = int(stream.read().split()[-1]) / 1024
    return usage.ru_utime + usage.ru_stime, passed, peak


def _median(statement: str) -> Tuple[float, float, float]:
    runs = [_once(statement) for _ in range(REPEATS)]
    cpu, wall, rss = (statistics.median(column) for column in zip(*runs))
    return cpu, wall, rss


def _case(module: str) -> Case:
    subprocess.run([sys.executable, "-I", "-c", f"import {module}"], check=True, stdout=subprocess.DEVNULL)

    def work(_: Any) -> Measured:
        bare, full = _median("pass"), _median(f"import {module}")
        return Measured(*(max(a - b, 0.0) for a, b in zip(full, bare)))

    def check(_: Any, result: Measured) -> Dict[str, Any]:
        return {"module": module, "wall_ms": round(result.wall_s * 1e3, 1)}

    return Case(lambda: None, work, check)


def _peer(module: str) -> Any:
    def contestant(n: int, variant: str) -> Case:
        try:
            return _case(module)
        except subprocess.CalledProcessError:
            raise ImportError(f"{module} does not import") from None

    return contestant


def ours(n: int, variant: str) -> Case:
    """The module that the variant names."""
    return _case(variant)


MODULES = ("ge.graph", "ge.es", "ge.es.onnx", "ge.partition", "ge.passes", "ge.runtime")
WORKLOAD = Workload(
    name="W8",
    title="import over the bare interpreter",
    variants=MODULES,
    default_n=1_000,
    contestants={
        "ours": ours,
        **{name: _peer(name) for name in ("onnx", "onnxruntime", "numpy", "rustworkx", "onnx_ir")},
    },
    best=dict.fromkeys(MODULES, "onnx"),
    sized=False,
)
