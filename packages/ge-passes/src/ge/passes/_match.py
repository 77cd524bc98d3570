"""`MatchResult`: one place of a graph that fits a pattern."""

from __future__ import annotations

from typing import Any, NoReturn

from ge.graph import Graph, Node
from ge.passes._errors import expired
from ge.passes._pattern import NodeIo
from ge.passes._slots import buffers, fail, quick, read_handles, read_pairs, text_at
from ge.passes._views import BorrowedGraph

__all__ = ["MatchResult"]

_OUTPUT = 1  # ge_ir_scope
_nodes = quick("match_nodes")
_captured = quick("match_captured")
_inputs = quick("match_inputs")
_pattern = quick("match_pattern")
_graph = quick("match_graph")


class MatchResult:
    """Given to hooks; valid until the hook returns, afterwards every use raises ``RuntimeError``."""

    __slots__ = ("_borrowed", "_match")

    _match: int
    _borrowed: BorrowedGraph | None

    def __init__(self) -> None:
        """Refused.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("MatchResult cannot be constructed; the executor gives one to each hook")

    @classmethod
    def _make(cls, handle: int) -> MatchResult:
        match = object.__new__(cls)
        match._match = handle
        match._borrowed = None
        return match

    def _expire(self) -> None:
        self._match = 0
        if self._borrowed is not None:
            self._borrowed.expire()

    def _live(self) -> int:
        return self._match or _expired()

    def _views(self) -> BorrowedGraph:
        handle = self._live()
        if self._borrowed is None:
            b = buffers
            status = _graph(handle, b.p0, b.p_error)
            if status:
                fail(status, "match_graph")
            self._borrowed = BorrowedGraph(b.out[0])
        return self._borrowed

    def get_matched_nodes(self) -> list[Node]:
        """Matched nodes of the target graph, without those bound to the pattern's inputs, producers first.

        Raises:
            RuntimeError: The match has expired.
        """
        handles = read_handles(_nodes, "match_nodes", self._live())
        root = self._views().root
        return [Node._wrap(handle, root) for handle in handles]

    def get_captured_tensor(self, index: int) -> NodeIo:
        """The target value of a capture.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such capture (the text has their number), or the match has expired.
        """
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise TypeError(f"capture index must be int, found {type(index).__name__}: {index!r}")
        number = int(index) if 0 <= index < 2**32 else 2**32 - 1
        b = buffers
        status = _captured(self._live(), number, b.p0, b.s0, b.p_error)
        if status:
            fail(status, "match_captured")
        handle, output = b.out[0], b.small[0]
        return NodeIo(Node._wrap(handle, self._views().root), output)

    def get_inputs(self) -> list[NodeIo]:
        """Target values bound to the pattern's inputs, by input index.

        Raises:
            RuntimeError: The match has expired.
        """
        pairs = read_pairs(_inputs, "match_inputs", self._live())
        root = self._views().root
        return [NodeIo(Node._wrap(handle, root), index) for handle, index in pairs]

    @property
    def graph(self) -> Graph:
        """The graph that the match is in; read it, the executor makes the edits.

        Raises:
            RuntimeError: The match has expired.
        """
        return self._views().graph

    def get_pattern_graph_name(self) -> str:
        """Name of the pattern's graph, to tell several patterns of a pass apart.

        Raises:
            RuntimeError: The match has expired.
        """
        b = buffers
        status = _pattern(self._live(), b.p0, b.p1, b.p2, b.p_error)
        if status:
            fail(status, "match_pattern")
        return text_at(b.out[1], b.out[2])

    def _input_descs(self) -> list[Any]:
        """Descriptors of the target values bound to the pattern's inputs (``None`` where there is none)."""
        return [io.node._desc_find(_OUTPUT, io.index) for io in self.get_inputs()]

    def __str__(self) -> str:
        nodes = ", ".join(f"{node.name} ({node.type})" for node in self.get_matched_nodes())
        return f"match of {self.get_pattern_graph_name()} in {self.graph.name}: {nodes}"

    def __repr__(self) -> str:
        return f"MatchResult({self})" if self._match else "MatchResult(expired)"


def _expired() -> NoReturn:
    raise expired("MatchResult")
