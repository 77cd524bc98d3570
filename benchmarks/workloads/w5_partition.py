"""W5: split a graph of N operators into static and dynamic parts.

``labels``: a random layered DAG, about 1.5 edges a node, 30 % of the nodes dynamic. ``chain``, ``alternating``,
``wide`` and ``star`` are shapes on which a split grows badly if each merge searches anew.

The counts of ours and of a partitioner by labels differ by intent. The documented preset absorbs, that is, a static
node on a path between dynamic ones becomes dynamic, and each of its parts is connected; a partitioner by labels keeps
every label and may put nodes without a connection into one part.

Ours moves the nodes into subgraphs and leaves a graph that runs; ``drain`` only says which node goes where. The
partitioners of torch.fx would be the next peers; torch is too large for the peers' environment.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import builders
import specs
from contract import Case, Workload

FORCED = "_force_unknown_shape"


def make_spec(n: int, variant: str) -> specs.Spec:
    """The graph; label 1 is dynamic."""
    if variant == "labels":
        return specs.layered(n, 2)
    if variant == "wide":
        return specs.wide(n)
    if variant == "star":
        return specs.star(n)
    return specs.chain(n, every=2 if variant == "alternating" else 0)


def ours(n: int, variant: str) -> Case:
    """``ge.partition``; no static part is too small to stay."""
    from ge.partition import DynamicShapePartitioner, PartitionRules

    spec = make_spec(n, variant)
    partitioner = DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=1))

    def prepare() -> Any:
        graph = builders.ge_graph(spec, shapes=True)
        for number, (_, _, label) in enumerate(spec):
            if label:
                graph.find_node_by_name(f"n{number}").set_attr(FORCED, True)
        return graph

    def check(graph: Any, report: Any) -> Dict[str, Any]:
        assert report.decision == "SPLIT", report.decision
        static, dynamic = ([part for part in report.parts if part.kind == kind] for kind in ("static", "dynamic"))
        assert sum(part.nodes for part in report.parts) == len(spec)
        # The order is one in which the parts can run: there is none if they wait for each other in a circle.
        assert sum(node.type == "PartitionedCall" for node in graph.topological_order()) == len(report.parts)
        for part in static:
            assert not any(node.has_attr(FORCED) for node in part.graph.get_direct_nodes())
        return {
            "static_parts": len(static),
            "dynamic_parts": len(dynamic),
            "static_nodes": sum(part.nodes for part in static),
            "absorbed": report.absorbed,
        }

    return Case(prepare, partitioner.partition, check)


State = Tuple[List[List[int]], List[int], List[int]]


def _drain(state: State) -> List[int]:
    """Number of the part of each node: ready nodes of one label, as long as there are any, then those of the other."""
    users, waits, labels = state
    ready: Tuple[List[int], List[int]] = ([], [])
    for node, count in enumerate(waits):
        if count == 0:
            ready[labels[node]].append(node)
    parts = [0] * len(waits)
    part, label = 0, 0 if ready[0] else 1
    while ready[label]:
        queue = ready[label]
        while queue:
            node = queue.pop()
            parts[node] = part
            for user in users[node]:
                waits[user] -= 1
                if waits[user] == 0:
                    ready[labels[user]].append(user)
        part, label = part + 1, 1 - label
    return parts


def drain(n: int, variant: str) -> Case:
    """Plain Python over lists: the parts by label, without absorption."""
    spec = make_spec(n, variant)

    def prepare() -> State:
        users: List[List[int]] = [[] for _ in spec]
        waits = []
        for number, (_, inputs, _) in enumerate(spec):
            producers = [value - 4 for value in inputs if value >= 4]
            waits.append(len(producers))
            for producer in producers:
                users[producer].append(number)
        return users, waits, [label for _, _, label in spec]

    def check(_: State, parts: List[int]) -> Dict[str, Any]:
        kinds = dict(zip(parts, (label for _, _, label in spec)))
        for number, (_, inputs, label) in enumerate(spec):
            assert kinds[parts[number]] == label
            assert all(parts[value - 4] <= parts[number] for value in inputs if value >= 4)
        dynamic = sum(kinds.values())
        return {"static_parts": len(kinds) - dynamic, "dynamic_parts": dynamic}

    return Case(prepare, _drain, check)


VARIANTS = ("labels", "chain", "alternating", "wide", "star")
WORKLOAD = Workload(
    name="W5",
    title="split into static and dynamic parts",
    variants=VARIANTS,
    default_n=10_000,
    contestants={"ours": ours, "drain": drain},
    best=dict.fromkeys(VARIANTS, "drain"),
)
