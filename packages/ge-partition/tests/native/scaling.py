"""Measures how splitting and flattening scale. Run by hand: ``python scaling.py [SIZE ...]``; not a test.

Prints nanoseconds per node for each shape of graph and each size, and the exponent of the growth between sizes;
near-linear work shows nearly the same number at every size, an exponent of at most 1.1.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from ctypes import POINTER, byref, c_uint32, c_uint64, cast
from typing import Any, Callable

from ge.graph import Graph, _library
from ge.graph import _abi as graph_abi
from partition_harness import graph_handle, raw, split

__all__ = ["main"]

CALL = graph_abi.load(_library.find_library()).call


class Maker:
    """Creates nodes through the table, which is what keeps a million of them affordable."""

    def __init__(self) -> None:
        self.graph = Graph("g")
        self.handle = graph_handle(self.graph)
        self.symbols = {name: CALL.symbol_intern(name) for name in ("Data", "Relu", "NetOutput", "Const")}
        self.desc = graph_abi.ge_ir_desc(rank_kind=2)
        self.forced = graph_abi.ge_ir_attr(kind=4, i=1)

    def node(self, kind: str, inputs: list[int], outputs: int = 1, *, dynamic: bool = False) -> int:
        """A node that reads output 0 of others."""
        spec = graph_abi.ge_ir_node_spec(type_symbol=self.symbols[kind], input_count=len(inputs), output_count=outputs)
        producers = (c_uint64 * max(1, len(inputs)))(*inputs)
        zeros = (c_uint32 * max(1, len(inputs)))()
        spec.input_nodes, spec.input_indices = cast(producers, POINTER(c_uint64)), cast(zeros, POINTER(c_uint32))
        made: int = CALL.node_create(self.handle, spec)
        if outputs:
            CALL.desc_set(made, 1, 0, self.desc)
        if dynamic:
            CALL.attr_set(made, 0, 0, "_force_unknown_shape", self.forced)
        return made


def chain(count: int, dynamic: Callable[[int], bool]) -> Graph:
    make = Maker()
    value = make.node("Data", [])
    for at in range(count):
        value = make.node("Relu", [value], dynamic=dynamic(at))
    make.node("NetOutput", [value], 0)
    return make.graph


def layered(count: int, width: int = 64) -> Graph:
    make = Maker()
    before = [make.node("Data", []) for _ in range(width)]
    for at in range(count // width):
        before = [
            make.node("Relu", [before[k], before[(k * 7 + at) % width]], dynamic=at % 16 == 0) for k in range(width)
        ]
    make.node("NetOutput", before, 0)
    return make.graph


def star(count: int) -> Graph:
    """One value and one constant that all read; every other reader is dynamic, all results leave."""
    make = Maker()
    centre = make.node("Relu", [make.node("Data", [])])
    weight = make.node("Const", [])
    make.node("NetOutput", [make.node("Relu", [centre, weight], dynamic=at % 2 == 0) for at in range(count)], 0)
    return make.graph


def controls(count: int) -> Graph:
    """As the star, but by control edges: all readers wait for one node, and the last waits for all."""
    make = Maker()
    first = make.node("Relu", [make.node("Data", [])])
    rest = [make.node("Relu", [], dynamic=at % 2 == 0) for at in range(count)]
    last = make.node("Relu", [])
    for node in rest:
        CALL.control_add(first, node)
        CALL.control_add(node, last)
    make.node("NetOutput", [last], 0)
    return make.graph


SHAPES: dict[str, Callable[[int], Graph]] = {
    "chain, one dynamic": lambda count: chain(count, lambda at: at == count // 2),
    "chain, alternating": lambda count: chain(count, lambda at: at % 2 == 1),
    "layered, 64 wide": layered,
    "star": star,
    "star of control edges": controls,
}


def measure(make: Callable[[int], Graph], count: int) -> dict[str, float]:
    """Seconds of a split, of finding every node, of reading every reason, and of flattening."""
    graph = make(count)
    gc.collect()
    times: dict[str, float] = {}

    def timed(name: str, action: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = action()
        times[name] = time.perf_counter() - start
        return result

    handle = timed("split", lambda: split(graph))
    found, missing = c_uint64(), b"Relu_1"

    def find() -> None:
        for _ in range(1000):
            raw("partition_find", handle, missing, len(missing), byref(found))

    timed("find", find)
    timed("flatten", lambda: raw("partition_flatten", graph_handle(graph), byref(found)))
    raw("partition_release", handle)
    return times


def main() -> None:
    """Prints the table."""
    sizes = [int(text) for text in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    for name, make in SHAPES.items():
        rows = [(size, measure(make, size)) for size in sizes]
        for part in ("split", "find", "flatten"):
            line = "  ".join(f"{times[part] / size * 1e9:9.0f}" for size, times in rows)
            (small, first), (large, last) = rows[0], rows[-1]
            power = math.log(last[part] / first[part]) / math.log(large / small) if large > small else math.nan
            print(f"{name:24} {part:8} ns a node: {line}   exponent {power:.2f}", flush=True)


if __name__ == "__main__":
    main()
