"""What a split did: parts, and a reason for every node."""

from __future__ import annotations

import json
import weakref
from dataclasses import dataclass, field
from typing import Any

from ge.graph import Graph, Node
from ge.partition._abi import AbiError, GePartitionDecision, GePartitionRule
from ge.partition._errors import error_of
from ge.partition._library import api

__all__ = ["NodeReason", "PartInfo", "PartitionReport", "read_report"]


@dataclass(frozen=True)
class NodeReason:
    """Why a node is where it is.

    Attributes:
        node: Name of the node before the split.
        rule: Name of the rule, such as ``UNKNOWN_SHAPE``, ``ABSORBED``, ``DEMOTED`` or ``STATIC``.
        text: The reason in words.
        part: Index of the node's part; ``None`` if it stayed in the root or was copied to several parts.
    """

    node: str
    rule: str
    text: str
    part: int | None


@dataclass(frozen=True)
class PartInfo:
    """One part.

    Attributes:
        name: Name of the part's subgraph.
        kind: ``static`` or ``dynamic``.
        nodes: Number of operators; constants, inputs and outputs are not counted.
        reason: Why it is of that kind.
        call: The ``PartitionedCall`` in the root, ``None`` if the graph was not split.
        graph: The part's subgraph, or the graph itself.
    """

    name: str
    kind: str
    nodes: int
    reason: str
    call: Node | None = field(repr=False)
    graph: Graph = field(repr=False)


class PartitionReport:
    """Result of a split.

    Attributes:
        graph: The root graph.
        decision: ``SPLIT``, ``ALL_STATIC``, ``ALL_DYNAMIC`` or ``NOT_ASKED`` (the graph forbids a split).
        parts: The parts in an order in which they can run; the graph itself where it was not split.
        limit: The lower limit of a static part that was used.
        absorbed: Number of static operators that became dynamic because they lie between dynamic ones.
        demoted: Number of static operators that became dynamic because their part was too small.
        crossing_values: Number of values that leave a part.
        steps: Nodes and edges visited while deciding.
    """

    def __init__(self, graph: Graph, handle: int) -> None:
        call = api().call
        info = call.partition_info(handle)
        self.graph = graph
        self.decision = GePartitionDecision(info.decision).name
        self.limit = int(info.limit)
        self.absorbed = int(info.absorbed_nodes)
        self.demoted = int(info.demoted_nodes)
        self.crossing_values = int(info.crossing_values)
        self.steps = int(info.steps)
        self._nodes = int(info.node_count)
        self._handle = handle
        self.parts = tuple(_part(graph, call.partition_part(handle, at)) for at in range(info.part_count))
        weakref.finalize(self, call.partition_release, handle)

    def explain(self, node: Node | str) -> NodeReason:
        """Why a node is where it is.

        Args:
            node: A node, or the name that it had before the split; parts keep the names.

        Raises:
            KeyError: The graph had no node of that name.
            TypeError: It is neither a node nor a name.
        """
        if not isinstance(node, (Node, str)):
            raise TypeError(f"expected a node or its name, found {type(node).__name__}: {node!r}")
        name = node if isinstance(node, str) else node.name
        call = api().call
        try:
            index = call.partition_find(self._handle, name)
        except AbiError:
            raise KeyError(f"graph {self.graph.name!r} had no node named {name!r} before the split") from None
        return self._reason(index)

    def reasons(self) -> list[NodeReason]:
        """The reason of every node, in list order before the split."""
        return [self._reason(index) for index in range(self._nodes)]

    def _reason(self, index: int) -> NodeReason:
        found = api().call.partition_reason(self._handle, index)
        part = None if found.part < 0 else int(found.part)
        return NodeReason(
            _text(found.name, found.name_size),
            GePartitionRule(found.rule).name,
            _text(found.text, found.text_size),
            part,
        )

    def summary(self) -> str:
        """The split in one line."""
        static = sum(part.nodes for part in self.parts if part.kind == "static")
        dynamic = sum(part.nodes for part in self.parts if part.kind == "dynamic")
        if self.decision != "SPLIT":
            return f"not split: {self.parts[0].reason}; {static + dynamic} operators"
        return (
            f"{len(self.parts)} parts: {static} operators static, {dynamic} dynamic "
            f"({self.absorbed} absorbed, {self.demoted} in too small static parts); "
            f"{self.crossing_values} values leave a part"
        )

    def to_table(self) -> str:
        """The parts as a table."""
        rows = [("part", "kind", "nodes", "reason")]
        rows += [(part.name, part.kind, str(part.nodes), part.reason) for part in self.parts]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{name:{widths[0]}}  {kind:{widths[1]}}  {nodes:>{widths[2]}}  {reason}"
            for name, kind, nodes, reason in rows
        )

    def to_json(self) -> str:
        """Everything but the graph, the reason of every node included."""
        content: dict[str, Any] = {
            "graph": self.graph.name,
            "decision": self.decision,
            "limit": self.limit,
            "absorbed": self.absorbed,
            "demoted": self.demoted,
            "crossing_values": self.crossing_values,
            "parts": [
                {"name": part.name, "kind": part.kind, "nodes": part.nodes, "reason": part.reason}
                for part in self.parts
            ],
            "nodes": [
                {"name": item.node, "rule": item.rule, "reason": item.text, "part": item.part}
                for item in self.reasons()
            ],
        }
        return json.dumps(content)

    def __repr__(self) -> str:
        return f"PartitionReport({self.summary()})"


def _text(pointer: Any, size: int) -> str:
    return bytes(pointer[:size]).decode("utf-8", "surrogateescape") if size else ""


def _part(graph: Graph, item: Any) -> PartInfo:
    call = Node._wrap(item.call, graph) if item.call else None
    body = next(iter(call.subgraphs.values())) if call is not None else graph
    kind = "dynamic" if item.kind else "static"
    return PartInfo(
        _text(item.name, item.name_size), kind, int(item.nodes), _text(item.reason, item.reason_size), call, body
    )


def read_report(graph: Graph, handle: int) -> PartitionReport:
    """The report behind a native handle, which it owns from now on."""
    try:
        return PartitionReport(graph, handle)
    except AbiError as error:
        raise error_of(error, "partition") from error
