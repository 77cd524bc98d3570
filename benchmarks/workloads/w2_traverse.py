"""W2: visit every node in topological order and read op type, name, one attribute, input producers, output shape.

``objects`` reads through node objects, ``sort`` computes the order alone. The sums prove that all read the same.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import builders
from contract import Case, Workload
from specs import Spec, triples

Sums = Tuple[int, int, int, int, int, int]


def _expected(spec: Spec) -> Dict[str, int]:
    return {
        "nodes": len(spec),
        "labels": sum(label for _, _, label in spec),
        "producers": sum(len(inputs) for _, inputs, _ in spec),
        "dims": 8 * len(spec),
        "op_letters": sum(len(op) for op, _, _ in spec),
        "name_letters": sum(len(f"n{number}") for number in range(len(spec))),
    }


def _visit_case(n: int, build: Callable[[Spec], Any], visit: Callable[[Any], Sums]) -> Case:
    spec = triples(n)
    expected = _expected(spec)

    def check(_: Any, sums: Sums) -> Dict[str, int]:
        found = dict(zip(expected, sums))
        assert found == expected, f"read {found} instead of {expected}"
        return found

    return Case(lambda: build(spec), visit, check)


def _sort_case(n: int, build: Callable[[Spec], Any], sort: Callable[[Any], int], extra: int) -> Case:
    spec = triples(n)

    def check(_: Any, count: int) -> Dict[str, int]:
        assert count == len(spec) + extra, f"ordered {count} nodes instead of {len(spec) + extra}"
        return {"nodes": count}

    return Case(lambda: build(spec), sort, check)


def _visit_ours(graph: Any) -> Sums:
    nodes = labels = producers = dims = ops = names = 0
    for node in graph.topological_order():
        kind = node.type
        if kind in ("Data", "NetOutput"):
            continue
        nodes += 1
        labels += node.get_attr("layer")
        for index in range(node.get_inputs_size()):
            node.get_in_data_nodes_and_port_indexes(index)
            producers += 1
        dims += sum(node.get_output_desc(0).shape)
        ops += len(kind)
        names += len(node.name)
    return nodes, labels, producers, dims, ops, names


def ours(n: int, variant: str) -> Case:
    """``ge.graph``."""
    import ge.graph  # noqa: F401

    if variant == "sort":
        return _sort_case(n, builders.ge_graph, lambda graph: len(graph.topological_order()), extra=5)
    return _visit_case(n, lambda spec: builders.ge_graph(spec, labels=True, shapes=True), _visit_ours)


def _visit_graphsurgeon(graph: Any) -> Sums:
    nodes = labels = producers = dims = ops = names = 0
    for node in graph.nodes:
        nodes += 1
        labels += node.attrs["layer"]
        for value in node.inputs:
            producers += 1 if value.inputs or value.name else 0
        dims += sum(node.outputs[0].shape)
        ops += len(node.op)
        names += len(node.name)
    return nodes, labels, producers, dims, ops, names


def graphsurgeon(n: int, variant: str) -> Case:
    """onnx-graphsurgeon: plain Python attributes, already in order."""
    import onnx_graphsurgeon  # noqa: F401

    if variant == "sort":
        return _sort_case(n, builders.graphsurgeon, lambda graph: len(graph.toposort().nodes), extra=0)
    return _visit_case(n, builders.graphsurgeon, _visit_graphsurgeon)


def _visit_onnx_ir(model: Any) -> Sums:
    nodes = labels = producers = dims = ops = names = 0
    for node in model.graph:
        nodes += 1
        labels += node.attributes["layer"].value
        for value in node.inputs:
            value.producer()
            producers += 1
        dims += sum(node.outputs[0].shape)
        ops += len(node.op_type)
        names += len(node.name)
    return nodes, labels, producers, dims, ops, names


def onnx_ir(n: int, variant: str) -> Case:
    """onnx-ir."""
    import onnx_ir  # noqa: F401

    def sort(model: Any) -> int:
        model.graph.sort()
        return int(model.graph.num_nodes())

    if variant == "sort":
        return _sort_case(n, builders.onnx_ir, sort, extra=0)
    return _visit_case(n, builders.onnx_ir, _visit_onnx_ir)


def rustworkx(n: int, variant: str) -> Case:
    """rustworkx: nodes are dictionaries."""
    import rustworkx as rx

    def visit(graph: Any) -> Sums:
        nodes = labels = producers = dims = ops = names = 0
        for index in rx.topological_sort(graph):
            node = graph[index]
            if node["op"] == "Input":
                continue
            nodes += 1
            labels += node["layer"]
            producers += len(graph.predecessors(index))
            dims += sum(node["shape"])
            ops += len(node["op"])
            names += len(node["name"])
        return nodes, labels, producers, dims, ops, names

    if variant == "sort":
        return _sort_case(n, builders.rustworkx, lambda graph: len(rx.topological_sort(graph)), extra=4)
    return _visit_case(n, builders.rustworkx, visit)


WORKLOAD = Workload(
    name="W2",
    title="visit every node in topological order",
    variants=("objects", "sort"),
    default_n=10_000,
    contestants={"ours": ours, "graphsurgeon": graphsurgeon, "rustworkx": rustworkx, "onnx_ir": onnx_ir},
    best={"objects": "graphsurgeon", "sort": "rustworkx"},
)
