"""What a workload file declares, and the list of all workloads, those to come included."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Case:
    """One contestant at one size.

    ``prepare()`` makes a fresh input (not timed), ``work(state)`` is timed, and ``check(state, result)`` returns
    counts that prove the work was done (not timed) and raises if it was not.
    """

    prepare: Callable[[], Any]
    work: Callable[[Any], Any]
    check: Callable[[Any, Any], Dict[str, Any]]


@dataclass(frozen=True)
class Measured:
    """Returned by a ``work`` that measures by itself, for example a child process."""

    cpu_s: float
    wall_s: float
    rss_mb: float


Contestant = Callable[[int, str], Case]


@dataclass(frozen=True)
class Workload:
    """A workload: its variants (the first is the default), the contestants, and the peer to beat in each variant."""

    name: str
    title: str
    variants: Tuple[str, ...]
    default_n: int
    contestants: Mapping[str, Contestant]
    best: Mapping[str, str] = field(default_factory=dict)
    # False where the size plays no role.
    sized: bool = True


# Workload -> module below workloads/, or None where it is not implemented yet.
ALL: Dict[str, Optional[str]] = {
    "W1": "w1_build",
    "W2": "w2_traverse",
    "W3": "w3_rewrite",
    "W3d": None,
    "W4": None,
    "W5": "w5_partition",
    "W6": "w6_roundtrip",
    "W7": None,
    "W8": "w8_import",
    "W9": "w9_call",
    "W10": None,
    "W11": None,
    "W12": None,
    "optimize": None,
}


class NotOffered(Exception):
    """Raised by a contestant that is there, but cannot do this variant; the text says why."""


class UnknownWorkload(Exception):
    """No such workload, or none yet; the text lists those there are."""


def available() -> Tuple[str, ...]:
    """Names of the workloads that can be run."""
    return tuple(name for name, module in ALL.items() if module)


def load(name: str) -> Workload:
    """The workload of that name.

    Raises:
        UnknownWorkload: it does not exist, or is not implemented yet.
    """
    if name not in ALL:
        raise UnknownWorkload(f"unknown workload {name!r}; there are {', '.join(available())}")
    module = ALL[name]
    if module is None:
        raise UnknownWorkload(f"workload {name} is not implemented yet; there are {', '.join(available())}")
    workload: Workload = importlib.import_module(f"workloads.{module}").WORKLOAD
    return workload
