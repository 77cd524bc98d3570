"""Run one workload, ours and its peers side by side: ``run.py W1 [--n N] [--variant V] [--peers ...] [--json]``.

Ours and each peer run in turns (ours, peer, ours, peer, ...), each in a process of its own. ``median_s`` is CPU time;
``ratio_to_best`` is the median of the pairwise ratios to the best peer: below 1 we are faster. Peers live in
``.venv-peers`` (``./dev peers``); without it ours is measured alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from contract import ALL, UnknownWorkload, Workload, available, load

HERE = Path(__file__).resolve().parent
PEERS_PYTHON = HERE.parent / ".venv-peers" / "bin" / "python"
OURS = "ours"


class BenchError(Exception):
    """A contestant failed; the text has its last lines."""


class Worker:
    """A running contestant."""

    def __init__(self, name: str, workload: Workload, n: int, variant: str, python: str) -> None:
        command = [python, str(HERE / "worker.py"), workload.name, name, str(n), variant]
        self.name = name
        # Idle threads of a numeric library spin for a while, and CPU time would count that.
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        self._process = subprocess.Popen(
            command, cwd=HERE, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.greeting = self._read()

    def _read(self) -> Dict[str, Any]:
        assert self._process.stdout is not None and self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            tail = " / ".join(self._process.stderr.read().strip().splitlines()[-3:])
            raise BenchError(f"{self.name} ended with status {self._process.returncode}: {tail}")
        answer: Dict[str, Any] = json.loads(line)
        return answer

    def run(self) -> Dict[str, Any]:
        """One measured run."""
        assert self._process.stdin is not None
        self._process.stdin.write("run\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


@dataclass
class Runs:
    """All runs of one contestant."""

    cpu: List[float] = field(default_factory=list)
    rss: float = 0.0
    counts: Dict[str, Any] = field(default_factory=dict)
    missing: str = ""

    def add(self, measured: Dict[str, Any]) -> None:
        """Take in one run."""
        self.cpu.append(measured["cpu_s"])
        self.rss = max(self.rss, measured["rss_mb"])
        self.counts = measured["counts"]

    def to_json(self) -> Dict[str, Any]:
        """The form of the report; a peer that is not there says why."""
        if self.missing:
            return {"missing": self.missing}
        return {
            "median_s": round(statistics.median(self.cpu), 9),
            "min_s": round(min(self.cpu), 9),
            "rss_peak_mb": round(self.rss, 1),
            "counts": self.counts,
        }


def choose_peers(workload: Workload, variant: str, wanted: str) -> List[str]:
    """Names of the peers to run.

    Raises:
        UnknownWorkload: a name that the workload does not have.
    """
    peers = [name for name in workload.contestants if name != OURS]
    if wanted == "none":
        return []
    if wanted == "all":
        return peers
    if wanted == "best":
        return [workload.best[variant]] if variant in workload.best else []
    names = [name for name in wanted.split(",") if name]
    unknown = [name for name in names if name not in peers]
    if unknown:
        known = ", ".join(peers) or "none"
        raise UnknownWorkload(f"{workload.name} has no peer {', '.join(unknown)}; it has {known}")
    return names


def warm_up(worker: Worker) -> None:
    """Two runs that do not count: they fill caches and pay for what is imported late."""
    for _ in range(2):
        worker.run()


def compare(workload: Workload, n: int, variant: str, peers: Sequence[str], pairs: int) -> Dict[str, Any]:
    """Measure ours and each peer in alternated pairs."""
    ours, others, ratios = Runs(), {}, {}
    own = Worker(OURS, workload, n, variant, sys.executable)
    if "missing" in own.greeting:
        raise BenchError(f"ours cannot run: {own.greeting['missing']}; way out: ./dev build")
    warm_up(own)
    for name in peers:
        others[name] = Runs()
        if not PEERS_PYTHON.exists():
            others[name].missing = "the peers' environment is not there; way out: ./dev peers"
            continue
        other = Worker(name, workload, n, variant, str(PEERS_PYTHON))
        if "missing" in other.greeting:
            others[name].missing = other.greeting["missing"]
            if other.greeting["is_installable"]:
                others[name].missing += "; way out: add it to benchmarks/requirements-peers.txt"
            continue
        warm_up(other)
        for _ in range(pairs):
            mine, theirs = own.run(), other.run()
            ours.add(mine)
            others[name].add(theirs)
            ratios.setdefault(name, []).append(mine["cpu_s"] / max(theirs["cpu_s"], 1e-9))
        other.close()
    while len(ours.cpu) < pairs:
        ours.add(own.run())
    own.close()
    return report(workload, n, variant, ours, others, {name: statistics.median(r) for name, r in ratios.items()})


def report(
    workload: Workload, n: int, variant: str, ours: Runs, others: Dict[str, Runs], ratios: Dict[str, float]
) -> Dict[str, Any]:
    """The JSON object; the best peer is the one we do worst against."""
    best = max(ratios, key=lambda name: ratios[name]) if ratios else None
    return {
        "workload": workload.name,
        "variant": variant,
        "n": n,
        "ours": ours.to_json(),
        "peers": {name: runs.to_json() for name, runs in others.items()},
        "best_peer": best,
        "ratio_to_best": round(ratios[best], 4) if best else None,
        "ratios": {name: round(ratio, 4) for name, ratio in ratios.items()},
    }


def print_table(workload: Workload, result: Dict[str, Any]) -> None:
    """The same for people."""
    print(f"{workload.name} {result['variant']}, n = {result['n']}: {workload.title}")
    print(f"{'':22} {'CPU median':>12} {'per node':>11} {'peak RSS':>10} {'ours / it':>10}  counts")
    for name, row in {OURS: result["ours"], **result["peers"]}.items():
        if "missing" in row:
            print(f"{name:22} missing: {row['missing']}")
            continue
        per_node = f"{row['median_s'] / result['n'] * 1e9:8.0f} ns" if workload.sized else ""
        ratio = result["ratios"].get(name)
        counts = ", ".join(f"{key}={value}" for key, value in row["counts"].items())
        print(
            f"{name:22} {row['median_s'] * 1e3:9.2f} ms {per_node:>11} {row['rss_peak_mb']:7.1f} MB "
            f"{'' if ratio is None else f'{ratio:.3f}':>10}  {counts}"
        )


def print_list() -> None:
    """Workloads, their variants and peers."""
    for name in ALL:
        if name not in available():
            print(f"{name:9} not implemented yet")
            continue
        workload = load(name)
        peers = ", ".join(peer for peer in workload.contestants if peer != OURS) or "-"
        print(f"{name:9} {workload.title}\n{'':9} variants {', '.join(workload.variants)}; peers {peers}")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(prog="dev bench", description=__doc__.splitlines()[0] if __doc__ else "")
    result.add_argument("workload", nargs="?", help="for example W1; see --list")
    result.add_argument("--n", type=int, help="number of nodes")
    result.add_argument("--variant", help="variant of the workload (default: its first)")
    result.add_argument("--peers", default="best", help="best (default), all, none, or names with commas")
    result.add_argument("--pairs", type=int, default=5, help="alternated pairs of runs (default 5)")
    result.add_argument("--json", action="store_true", help="one JSON object as the last line")
    result.add_argument("--list", action="store_true", help="show the workloads and stop")
    return result


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Command line; status 2 for a request that makes no sense, 1 for a contestant that failed."""
    args = parser().parse_args(arguments)
    if args.list:
        print_list()
        return 0
    try:
        if not args.workload:
            raise UnknownWorkload(f"name a workload; there are {', '.join(available())}")
        workload = load(args.workload)
        variant = args.variant or workload.variants[0]
        if variant not in workload.variants:
            known = ", ".join(workload.variants)
            raise UnknownWorkload(f"{workload.name} has no variant {variant!r}; it has {known}")
        if (args.n is not None and args.n < 3) or args.pairs < 1:
            raise UnknownWorkload("--n must be at least 3 and --pairs at least 1")
        n = args.n or workload.default_n
        result = compare(workload, n, variant, choose_peers(workload, variant, args.peers), args.pairs)
    except UnknownWorkload as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 2
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    print_table(workload, result)
    if args.json:
        print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
