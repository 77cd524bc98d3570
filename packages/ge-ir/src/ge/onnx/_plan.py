"""Reads the names of a model before anything is built: definitions, captures, and a possible order of the nodes.

The plan of a graph is made from its GraphProto or FunctionProto alone. Building then needs one look-up per input.
"""

from __future__ import annotations

import heapq
import logging
from typing import Any, Iterable, Sequence

from ge.onnx._attributes import GRAPH, GRAPHS
from ge.onnx._errors import OnnxImportError

__all__ = ["GraphPlan", "attribute_graphs", "describe_node", "plan_function", "plan_graph"]

_logger = logging.getLogger("ge.onnx")


class GraphPlan:
    """What was found about one graph.

    Attributes:
        where: The graph in error texts.
        nodes: NodeProtos, producers first.
        bodies: Plans of the bodies of each node, by attribute and position, parallel to ``nodes``.
        captured: Names that the graph or a body below it reads from outside.
        defined: Every value name of the graph itself.
        moved: How many nodes stood before a producer of theirs.
    """

    __slots__ = ("bodies", "captured", "defined", "moved", "nodes", "where")

    def __init__(self, where: str) -> None:
        self.where = where
        self.nodes: list[Any] = []
        self.bodies: list[dict[tuple[str, int], GraphPlan]] = []
        self.captured: set[str] = set()
        # Position of the producer among the nodes, -1 for inputs and initializers.
        self.defined: dict[str, int] = {}
        self.moved = 0


def describe_node(node: Any) -> str:
    """A node in an error text: its name and operator, or its first output where it has no name."""
    domain = f"{node.domain}::" if node.domain else ""
    if node.name:
        return f"node {node.name!r} ({domain}{node.op_type})"
    return f"node ({domain}{node.op_type}) giving {next(iter(node.output), '')!r}"


def attribute_graphs(attribute: Any) -> Sequence[Any]:
    """The graphs in an attribute, none for a reference or another kind."""
    if attribute.ref_attr_name:
        return ()
    if attribute.type == GRAPH:
        return (attribute.g,)
    return attribute.graphs if attribute.type == GRAPHS else ()


def plan_graph(
    where: str, nodes: Iterable[Any], inputs: Iterable[str], initializers: Iterable[str], outputs: Iterable[str]
) -> GraphPlan:
    """Finds definitions, captures and the order of one graph, bodies included.

    Args:
        where: The graph in error texts.
        nodes: Its NodeProtos.
        inputs: Names of its inputs.
        initializers: Names of its initializers; one may be an input too.
        outputs: Names of its outputs.

    Raises:
        OnnxImportError: A name is defined twice, or nodes depend on each other in a cycle (their names are given).
    """
    plan = GraphPlan(where)
    _define_values(plan, inputs, initializers)
    in_file = list(nodes)
    _define_outputs(plan, in_file)
    bodies = [_plan_bodies(where, node) for node in in_file]
    dependencies = [_dependencies(plan, node, below) for node, below in zip(in_file, bodies)]
    plan.captured.update(name for name in outputs if name and name not in plan.defined)
    order = _order(plan, in_file, dependencies)
    plan.nodes = [in_file[index] for index in order]
    plan.bodies = [bodies[index] for index in order]
    if plan.moved:
        _logger.warning("%s: %d nodes stood before their producers; the graph was sorted", where, plan.moved)
    return plan


def plan_function(proto: Any) -> GraphPlan:
    """As :func:`plan_graph`, for a FunctionProto, which may not read values from outside.

    Raises:
        OnnxImportError: It does, or as for a graph.
    """
    key = f"{proto.domain}::{proto.name}"
    plan = plan_graph(f"function {key!r}", proto.node, proto.input, (), proto.output)
    if plan.captured:
        raise OnnxImportError(f"{plan.where} reads values that it does not define: {sorted(plan.captured)}")
    return plan


def _define_values(plan: GraphPlan, inputs: Iterable[str], initializers: Iterable[str]) -> None:
    for what, names in (("input", inputs), ("initializer", initializers)):
        seen: set[str] = set()
        for name in names:
            if not name:
                raise OnnxImportError(f"{plan.where}: an {what} has no name")
            if name in seen:
                raise OnnxImportError(f"{plan.where}: {what} {name!r} is defined twice")
            seen.add(name)
            plan.defined[name] = -1


def _define_outputs(plan: GraphPlan, nodes: list[Any]) -> None:
    for index, node in enumerate(nodes):
        for name in node.output:
            if not name:
                continue
            if name in plan.defined:
                other = plan.defined[name]
                first = "an input or initializer" if other < 0 else describe_node(nodes[other])
                raise OnnxImportError(
                    f"{plan.where}: value {name!r} is defined twice: by {first} and by {describe_node(node)}"
                )
            plan.defined[name] = index


def _plan_bodies(where: str, node: Any) -> dict[tuple[str, int], GraphPlan]:
    bodies: dict[tuple[str, int], GraphPlan] = {}
    for attribute in node.attribute:
        for index, graph in enumerate(attribute_graphs(attribute)):
            inner = f"{where}, {describe_node(node)}, {attribute.name}"
            bodies[(attribute.name, index)] = plan_graph(
                inner,
                graph.node,
                (value.name for value in graph.input),
                [tensor.name for tensor in graph.initializer]
                + [sparse.values.name for sparse in graph.sparse_initializer],
                (value.name for value in graph.output),
            )
    return bodies


def _dependencies(plan: GraphPlan, node: Any, bodies: dict[tuple[str, int], GraphPlan]) -> list[int]:
    """Positions of the nodes that one needs; names from outside go to ``plan.captured``."""
    names: set[str] = {name for name in node.input if name}
    for body in bodies.values():
        names |= body.captured
    found = []
    for name in names:
        position = plan.defined.get(name)
        if position is None:
            plan.captured.add(name)
        elif position >= 0:
            found.append(position)
    return found


def _order(plan: GraphPlan, nodes: list[Any], dependencies: list[list[int]]) -> Sequence[int]:
    """File order where it holds; else producers first, ties as in the file."""
    plan.moved = sum(any(needed >= index for needed in found) for index, found in enumerate(dependencies))
    if not plan.moved:
        return range(len(nodes))
    waiting = [len(set(found)) for found in dependencies]
    readers: list[list[int]] = [[] for _ in nodes]
    for index, found in enumerate(dependencies):
        for needed in set(found):
            readers[needed].append(index)
    ready = [index for index, count in enumerate(waiting) if not count]
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for reader in readers[index]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    if len(order) < len(nodes):
        raise OnnxImportError(
            f"{plan.where}: nodes depend on each other in a cycle: {_cycle(nodes, dependencies, waiting)}"
        )
    return order


def _cycle(nodes: list[Any], dependencies: list[list[int]], waiting: list[int]) -> str:
    """One cycle as text: every node that still waits has a producer that waits, so walking upwards must meet itself."""
    at = next(index for index, count in enumerate(waiting) if count)
    seen: dict[int, int] = {}
    path: list[int] = []
    while at not in seen:
        seen[at] = len(path)
        path.append(at)
        at = min(needed for needed in dependencies[at] if waiting[needed])
    cycle = path[seen[at] :][::-1]
    shown = [describe_node(nodes[index]) for index in cycle[:8]]
    if len(cycle) > 8:
        shown.append(f"{len(cycle) - 8} more")
    return " -> ".join([*shown, shown[0]])
