"""`MatchBase` over ctypes: the primitive face of a match. The native extension has the same one.

Contract of both: ``_make(handle)``; ``_expire()``, after which everything raises; ``_graph()``; ``_nodes()``;
``_captured(index)`` and the items of ``_inputs()`` are pairs (node, output index); ``_pattern_name()``.
"""

from __future__ import annotations

from typing import Any

from ge.graph import Graph, Node
from ge.passes._errors import expired
from ge.passes._slots import buffers, fail, quick, read_handles, read_pairs, text_at
from ge.passes._views import BorrowedGraph

__all__ = ["MatchBase"]

_nodes = quick("match_nodes")
_captured = quick("match_captured")
_inputs = quick("match_inputs")
_pattern = quick("match_pattern")
_graph = quick("match_graph")


class MatchBase:
    """Primitive face of a match."""

    __slots__ = ("_borrowed", "_match")

    _match: int
    _borrowed: BorrowedGraph | None

    @classmethod
    def _make(cls, handle: int) -> Any:
        match = object.__new__(cls)
        match._match = handle
        match._borrowed = None
        return match

    def _expire(self) -> None:
        self._match = 0
        if self._borrowed is not None:
            self._borrowed.expire()

    def _live(self) -> int:
        if not self._match:
            raise expired("MatchResult")
        return self._match

    def _views(self) -> BorrowedGraph:
        handle = self._live()
        if self._borrowed is None:
            b = buffers
            status = _graph(handle, b.p0, b.p_error)
            if status:
                fail(status, "match_graph")
            self._borrowed = BorrowedGraph(b.out[0])
        return self._borrowed

    def _graph(self) -> Graph:
        return self._views().graph

    def _nodes(self) -> list[Node]:
        handles = read_handles(_nodes, "match_nodes", self._live())
        root = self._views().root
        return [Node._wrap(handle, root) for handle in handles]

    def _captured(self, index: int) -> tuple[Node, int]:
        b = buffers
        status = _captured(self._live(), index, b.p0, b.s0, b.p_error)
        if status:
            fail(status, "match_captured")
        handle, output = b.out[0], b.small[0]
        return Node._wrap(handle, self._views().root), output

    def _inputs(self) -> list[tuple[Node, int]]:
        pairs = read_pairs(_inputs, "match_inputs", self._live())
        root = self._views().root
        return [(Node._wrap(handle, root), index) for handle, index in pairs]

    def _pattern_name(self) -> str:
        b = buffers
        status = _pattern(self._live(), b.p0, b.p1, b.p2, b.p_error)
        if status:
            fail(status, "match_pattern")
        return text_at(b.out[1], b.out[2])
