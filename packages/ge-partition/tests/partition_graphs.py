"""Graphs for the partition tests, and what every split must keep."""

from __future__ import annotations

import random
from typing import Any

from ge.graph import DataType, Graph, TensorDesc
from ge.partition import PartitionReport

STATIC, DYNAMIC = [4, 4], [-1, 4]


def chain(kinds: str, name: str = "g") -> Graph:
    """A chain of Relu nodes n0, n1, ...: ``S`` has a known shape, ``D`` is forced dynamic."""
    graph = Graph(name)
    value: Any = data(graph, "x", 0)
    for at, kind in enumerate(kinds):
        value = relu(graph, f"n{at}", [value], kind)
    graph.create_node("NetOutput", [value], name="out", output_count=0)
    return graph


def data(graph: Graph, name: str, index: int, dims: list[int] | None = None) -> Any:
    desc = TensorDesc(dims or STATIC, data_type=DataType.DT_FLOAT)
    return graph.create_node("Data", name=name, attrs={"index": index}, output_descs=[desc])


def relu(graph: Graph, name: str, inputs: list[Any], kind: str = "S") -> Any:
    """An operator with known shapes; ``D`` forces it to be dynamic."""
    op_type = "Relu" if len(inputs) == 1 else "Sum"
    attrs = {"_force_unknown_shape": True} if kind == "D" else {}
    desc = TensorDesc(STATIC, data_type=DataType.DT_FLOAT)
    return graph.create_node(op_type, inputs, name=name, attrs=attrs, output_descs=[desc])


def layered(count: int, width: int = 8, share: float = 0.3, seed: int = 7) -> Graph:
    """A random layered graph: each node reads one or two nodes of the layer before; a share of the nodes is dynamic."""
    rng = random.Random(seed)
    graph = Graph("layered")
    before: list[Any] = [data(graph, "x", 0)]
    row: list[Any] = []
    for at in range(count):
        inputs = rng.sample(before, min(len(before), rng.choice((1, 2))))
        row.append(relu(graph, f"n{at}", inputs, "D" if rng.random() < share else "S"))
        if len(row) == width:
            before, row = row, []
    ends = [node for node in graph.get_direct_nodes() if node.type in ("Relu", "Sum") and not node.use_count(0)]
    graph.create_node("NetOutput", ends, name="out", output_count=0)
    return graph


def operators(report: PartitionReport) -> list[list[str]]:
    """Names of the operators of each part."""
    skipped = ("Data", "Const", "NetOutput")
    return [[n.name for n in part.graph.get_direct_nodes() if n.type not in skipped] for part in report.parts]


def kinds(report: PartitionReport) -> str:
    """``S`` or ``D`` for each part in order."""
    return "".join("S" if part.kind == "static" else "D" for part in report.parts)
