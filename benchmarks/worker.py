"""Child process of a benchmark: one contestant at one size. Reads ``run`` lines, answers each with a JSON line.

One process for each (contestant, size), so that peak memory and caches do not mix. Times are CPU seconds of this
process: on a shared machine they drift least, and only ratios of alternated runs are compared anyway.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from typing import Any, Dict, TextIO

from contract import Case, Measured, NotOffered, load


def cpu_seconds() -> float:
    """User and system time of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory_mb(field: str) -> float:
    """A field of /proc/self/status: VmRSS (now) or VmHWM (peak)."""
    with open("/proc/self/status", encoding="ascii") as stream:
        for line in stream:
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    raise KeyError(field)


def measure(case: Case) -> Dict[str, Any]:
    """One run."""
    state = case.prepare()
    gc.collect()
    cpu, wall = cpu_seconds(), time.perf_counter()
    result = case.work(state)
    used, passed = cpu_seconds() - cpu, time.perf_counter() - wall
    counts = case.check(state, result)
    if isinstance(result, Measured):
        return {"cpu_s": result.cpu_s, "wall_s": result.wall_s, "rss_mb": result.rss_mb, "counts": counts}
    return {"cpu_s": used, "wall_s": passed, "rss_mb": memory_mb("VmHWM"), "counts": counts}


def answer(stream: TextIO, content: Dict[str, Any]) -> None:
    """One JSON line to the driver."""
    stream.write(json.dumps(content) + "\n")
    stream.flush()


def main() -> int:
    """``worker.py WORKLOAD CONTESTANT N VARIANT``."""
    out, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints must not mix with the answers
    name, contestant, n, variant = sys.argv[1:]
    try:
        case = load(name).contestants[contestant](int(n), variant)
    except (ImportError, NotOffered) as error:
        answer(out, {"missing": str(error), "is_installable": isinstance(error, ImportError)})
        return 0
    answer(out, {"ready": True, "rss_import_mb": memory_mb("VmRSS")})
    for line in sys.stdin:
        if line.strip() != "run":
            break
        answer(out, measure(case))
    return 0


if __name__ == "__main__":
    sys.exit(main())
