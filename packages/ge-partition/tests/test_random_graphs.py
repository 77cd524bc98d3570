"""Every split of a random graph: sound, of the same meaning, in the same order, and put back exactly."""

from __future__ import annotations

import os

import pytest
from ge.graph import Graph, Node
from ge.partition import DynamicShapePartitioner, PartitionError, PartitionReport, PartitionRules, flatten
from graph_meaning import Meaning
from random_graphs import random_graph

ROUNDS = int(os.environ.get("GE_PARTITION_FUZZ_ROUNDS", "300"))
LEAVES = ("Data", "Const", "Constant", "ConstantOP", "NetOutput")


def split(graph: Graph, limit: int) -> PartitionReport:
    return DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=limit)).partition(graph)


def orders(graph: Graph) -> list[tuple[str, str]]:
    """Control edges between operators, and edges of data, by names."""
    found = []
    for node in graph.get_direct_nodes():
        sources: list[Node] = list(node.control_inputs) + [value[0] for value in node.inputs if value is not None]
        found += [(source.name, node.name) for source in sources]
    return found


def check(seed: int) -> str:
    graph = random_graph(seed, seed % 40)
    text, pairs, before = graph.to_text(), orders(graph), Meaning(graph)
    version = graph.version
    report = split(graph, seed % 5)
    graph.verify()
    graph.topological_order()
    after = Meaning(graph)
    assert after.results == before.results
    assert after.effects == before.effects
    place = {name: at for at, name in enumerate(after.trace)}
    assert len(place) == len(after.trace), "a node runs twice"
    assert all(place[a] < place[b] for a, b in pairs if a in place and b in place)
    changed = report.decision == "SPLIT"
    assert (graph.version != version) == changed
    if changed:
        with pytest.raises(PartitionError, match="split already"):
            split(graph, 1)
    again = Graph.parse(graph.to_text())
    assert (flatten(graph), flatten(again)) == ((len(report.parts),) * 2 if changed else (0, 0))
    graph.verify()
    assert graph.to_text() == text
    assert again.to_text() == Graph.parse(text).to_text()
    return report.decision


def test_random_graphs() -> None:
    decisions = [check(seed) for seed in range(ROUNDS)]
    assert set(decisions) == {"SPLIT", "ALL_STATIC"}
    assert decisions.count("SPLIT") > ROUNDS // 2


def test_names_that_the_split_makes_are_kept() -> None:
    kept = 0
    for seed in range(40):
        graph = random_graph(seed, 30)
        names = {node.name for node in graph.get_direct_nodes() if node.type not in LEAVES}
        report = split(graph, 1)
        inside = {node.name for part in report.parts for node in part.graph.get_direct_nodes()}
        assert names <= inside | {node.name for node in graph.get_direct_nodes()}
        kept += sum(name.startswith("fz_sub") for name in names)
    assert kept > 50
