"""All slots with live, dead and wild arguments: a status always, never a crash, never a broken graph."""

from __future__ import annotations

import ctypes
import os
import random
from collections import Counter
from typing import Any, Callable

import pytest
from ge.graph import Graph
from ge.partition import _abi
from ge.partition._abi import GeStatus
from partition_harness import DEAD, Failed, graph_handle, options, raw
from random_graphs import random_graph

STEPS = int(os.environ.get("GE_PARTITION_FUZZ_STEPS", "6000"))
SLOTS = [name for name in _abi.Raw.__slots__ if name not in ("library_shutdown", "bind_ir")]


class Fuzzer:
    """A few live graphs and partitions, and calls with arguments that mostly fit."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.graphs: list[Graph] = []
        self.partitions: list[int] = []
        self.counts: Counter[str] = Counter()
        self.keep: list[Any] = []

    def handle(self, wanted: list[int]) -> int:
        kind = self.chance.random()
        if kind < 0.8 and wanted:
            return self.chance.choice(wanted[-8:])
        if kind < 0.9 and wanted:
            return self.chance.choice(wanted) ^ 1 << self.chance.randrange(64)
        return self.chance.choice([*DEAD, self.chance.getrandbits(64)])

    def struct(self, kind: Any) -> Any:
        made = kind()
        if self.chance.random() < 0.1:
            # A real size, or one that is refused before anything is written.
            made.struct_size = self.chance.choice([0, 3, ctypes.sizeof(kind) - 1, 1 << 20, (1 << 32) - 1])
        return None if self.chance.random() < 0.05 else ctypes.byref(made)

    def options(self) -> Any:
        made = options(limit=self.chance.choice([None, "0", "1", "4", "-1", "x", b"\xff", "9" * 30]))
        for name in ("preset", "absorption", "reference_variables", "constants", "reserved0"):
            if self.chance.random() < 0.04:
                setattr(made, name, self.chance.choice([1, 2, self.chance.getrandbits(32)]))
        self.keep.append(made)
        return None if self.chance.random() < 0.02 else ctypes.byref(made)

    def memory(self, kind: Any, count: int = 1) -> Any:
        made = (kind * count)()
        self.keep.append(made)
        return None if self.chance.random() < 0.05 else ctypes.addressof(made)

    def arguments(self, slot: str) -> list[Any]:
        graph = self.handle([graph_handle(graph) for graph in self.graphs])
        partition = self.handle(self.partitions)
        index = self.chance.choice([0, 1, 2, 30, 1 << 32, (1 << 64) - 1])
        u64, room = ctypes.c_uint64, self.chance.choice([0, 1, 100])
        name = self.chance.choice([b"", b"A", b"If_1", b"no\0de", b"\xff"])
        makers: dict[str, Callable[[], list[Any]]] = {
            "library_version": lambda: [self.memory(u64), self.memory(u64)],
            "partition_dynamic": lambda: [graph, self.options(), self.memory(u64)],
            "partition_flatten": lambda: [graph, self.memory(u64)],
            "partition_info": lambda: [partition, self.struct(_abi.ge_partition_info)],
            "partition_part": lambda: [partition, index, self.struct(_abi.ge_partition_part)],
            "partition_find": lambda: [partition, name, self.chance.randrange(len(name) + 1), self.memory(u64)],
            "partition_reason": lambda: [partition, index, self.struct(_abi.ge_partition_reason)],
            "partition_columns": lambda: [
                partition, self.memory(ctypes.c_uint32, 100), room, self.memory(u64),
                self.memory(ctypes.c_int64, 100), room, self.memory(u64),
            ],
            "partition_release": lambda: [partition],
        }  # fmt: skip
        return makers[slot]()

    def step(self) -> None:
        if len(self.graphs) < 4:
            self.graphs.append(random_graph(self.chance.randrange(1 << 30), self.chance.randrange(12)))
        if self.chance.random() < 0.02:
            self.graphs.pop(0)
        slot = self.chance.choice(SLOTS)
        if slot == "partition_release" and self.chance.random() < 0.8:
            return
        values = self.arguments(slot)
        try:
            raw(slot, *values)
            self.counts[slot] += 1
            if slot == "partition_dynamic":
                self.partitions.append(ctypes.c_uint64.from_address(values[2]).value)
        except Failed as failure:
            assert failure.status != GeStatus.INTERNAL, failure
            self.counts[failure.status.name] += 1
        self.keep.clear()


@pytest.mark.parametrize("seed", range(3))
def test_wild_calls(seed: int) -> None:
    fuzzer = Fuzzer(seed)
    for _ in range(STEPS):
        fuzzer.step()
    for graph in fuzzer.graphs:
        graph.verify()
    for handle in fuzzer.partitions:
        try:
            raw("partition_release", handle)
        except Failed as failure:
            assert failure.status == GeStatus.STALE_HANDLE
    assert all(fuzzer.counts[slot] > STEPS // 300 for slot in SLOTS), fuzzer.counts
    for status in ("WRONG_TYPE", "STALE_HANDLE", "INVALID_ARGUMENT", "INVALID_STATE", "UNIMPLEMENTED", "OUT_OF_RANGE"):
        assert fuzzer.counts[status], (status, fuzzer.counts)
