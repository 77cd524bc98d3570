"""Borrowed views of graphs for hooks; they end when the hook returns."""

from __future__ import annotations

from ge.graph import Graph, Node

__all__ = ["BorrowedGraph"]

_NODE_HANDLE = 2  # ge_handle_type


class BorrowedGraph:
    """Objects for a graph of the executor and for the root above it.

    Every node is reached through the root object, so ending it ends all of them.

    Attributes:
        root: The root graph.
        graph: The graph itself; the same object if it is the root.
    """

    __slots__ = ("graph", "root")

    def __init__(self, handle: int) -> None:
        first: Graph = Graph._wrap(handle, None)
        owner, _ = first._parent()
        if not owner:
            self.root = self.graph = first
            return
        self.root = _root_above(first, owner)
        first._owner = self.root
        self.graph = first

    def expire(self) -> None:
        """Ends the views; every later use raises ``RuntimeError`` ("... has expired")."""
        self.graph._expire()
        self.root._expire()


def _root_above(graph: Graph, owner: int) -> Graph:
    while owner:
        handle = Node._wrap(owner, graph).graph._handle if owner >> 56 == _NODE_HANDLE else owner
        graph = Graph._wrap(handle, None)
        owner, _ = graph._parent()
    return graph
