"""Check one package in an environment that has nothing but it and its dependencies: ``check_alone.py ge-ir``.

1. What it offers imports, and what it must not offer is absent.
2. The import pulls in none of the heavy libraries.
3. The import costs at most the budget, in CPU time over a bare interpreter.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Dict, List, Tuple

HEAVY = ("numpy", "ml_dtypes", "onnx", "onnxruntime")
# CPU milliseconds over bare Python; the bound for ge.graph, applied to every package.
BUDGET_MS = 60.0
REPEATS = 7


@dataclass(frozen=True)
class Expectation:
    """What one distribution gives when installed alone."""

    imports: Tuple[str, ...]
    absent: Tuple[str, ...]
    # Whether every public name must come too: a module that loads lazily is cheap to import and says little.
    names: bool = True


EXPECTED: Dict[str, Expectation] = {
    "ge-ir": Expectation(
        ("ge.graph", "ge.es", "ge.error"), ("onnx", "onnxruntime", "ge.passes", "ge.partition", "ge.runtime")
    ),
    "ge-partition": Expectation(("ge.partition",), ("onnx", "onnxruntime", "ge.passes", "ge.runtime")),
    "ge-passes": Expectation(("ge.passes",), ("onnx", "onnxruntime", "ge.partition", "ge.runtime"), names=False),
    "ge-runtime": Expectation(("ge.runtime",), ("numpy", "onnx", "onnxruntime", "ge.graph", "ge.passes"), names=False),
    "ge-bridge-native": Expectation((), ("numpy", "ge.graph", "ge.passes.bootstrap", "ge.runtime")),
}

_MEASURE = """
import resource, sys, json
before = resource.getrusage(resource.RUSAGE_SELF)
for name in {modules!r}:
    __import__(name)
    if {names!r}:
        for public in getattr(sys.modules[name], "__all__", ()):
            getattr(sys.modules[name], public)
after = resource.getrusage(resource.RUSAGE_SELF)
used = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000
print(json.dumps({{"ms": used, "heavy": [name for name in {heavy!r} if name in sys.modules]}}))
"""
_ABSENT = """
import importlib.util, sys
found = []
for name in {names!r}:
    try:
        if importlib.util.find_spec(name) is not None:
            found.append(name)
    except ImportError:
        pass
print(",".join(found))
"""


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-I", "-c", code], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"check_alone: the import failed with status {done.returncode}")
    return done.stdout.strip()


def check(distribution: str) -> List[str]:
    """Everything wrong with the package as installed here."""
    expected = EXPECTED[distribution]
    wrong = []
    found = _python(_ABSENT.format(names=expected.absent))
    if found:
        wrong.append(f"this environment should not have {found}")
    if expected.imports:
        code = _MEASURE.format(modules=expected.imports, names=expected.names, heavy=HEAVY)
        runs = [json.loads(_python(code)) for _ in range(REPEATS)]
        best = min(run["ms"] for run in runs)
        print(f"{distribution}: import {', '.join(expected.imports)}: {best:.1f} ms CPU over bare Python")
        if best > BUDGET_MS:
            wrong.append(f"import took {best:.1f} ms of CPU over bare Python, allowed are {BUDGET_MS:.0f}")
        if runs[0]["heavy"]:
            wrong.append(f"the import pulled in {', '.join(runs[0]['heavy'])}")
    return wrong


def main() -> int:
    """Command line; the name may be an environment's, ``alone-ge-ir``."""
    name = sys.argv[1][len("alone-") :] if sys.argv[1].startswith("alone-") else sys.argv[1]
    if name not in EXPECTED:
        print(f"check_alone: {name} is none of {', '.join(EXPECTED)}", file=sys.stderr)
        return 2
    wrong = check(name)
    for line in wrong:
        print(f"check_alone: {name}: {line}", file=sys.stderr)
    print(f"{name}: {'wrong' if wrong else 'fine'} alone")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
