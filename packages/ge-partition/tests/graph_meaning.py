"""What a graph computes, and in which order: an interpreter over symbols, to compare a split graph with its origin."""

from __future__ import annotations

from typing import Any, Mapping

from ge.graph import Graph, Node

__all__ = ["Meaning"]

_PRIVATE = ("_partition_", "OwnerGraphIsUnknown")
Environment = dict[tuple[Node, int], int]


def _plain(value: Any) -> Any:
    return (value.numpy().tobytes(), value.numpy().shape) if hasattr(value, "numpy") else repr(value)


class Meaning:
    """Runs a root graph.

    Attributes:
        results: What each output node reads, by name; equal numbers mean equal computations.
        effects: What each operator without outputs computed from.
        trace: Names of the operators of the root and of the parts in order of running.
    """

    def __init__(self, graph: Graph) -> None:
        self.trace: list[str] = []
        self.results: dict[str, list[int]] = {}
        self.effects: dict[str, int] = {}
        self._run(graph, {}, None, top=True)

    def _run(self, graph: Graph, outer: Environment, arguments: list[int] | None, *, top: bool) -> list[int]:
        """Values of the graph's output, in the order of its inputs."""
        env = dict(outer)
        found: list[int] = []
        for node in graph.topological_order():
            inputs = [0 if value is None else env[value] for value in node.inputs]
            if node.domain == "" and node.type == "NetOutput":
                found = inputs
                if top and arguments is None:
                    self.results[node.name] = inputs
            elif arguments is not None and node.domain == "" and node.type == "Data" and not inputs:
                env[(node, 0)] = arguments[node.get_attr("index")]
            elif node.has_attr("_partition_part"):
                (body,) = node.subgraphs.values()
                for index, value in enumerate(self._run(body, {}, inputs, top=True)):
                    env[(node, index)] = value
            else:
                self._operator(node, inputs, env, top=top)
        return found

    def _operator(self, node: Node, inputs: list[int], env: Environment, *, top: bool) -> None:
        bodies: Mapping[str, Graph] = node.subgraphs
        inside = tuple((key, tuple(self._run(body, env, None, top=False))) for key, body in bodies.items())
        attrs = tuple((key, _plain(node.get_attr(key))) for key in node.attr_names if not key.startswith(_PRIVATE))
        computed = hash((node.domain, node.type, node.op_version, attrs, tuple(inputs), inside))
        if top and node.type not in ("Data", "Const", "Constant", "ConstantOP"):
            self.trace.append(node.name)
            self.effects[node.name] = computed
        for index in range(node.output_count):
            env[(node, index)] = hash((computed, index))
