"""`Pattern`: a small graph to look for, and the values captured in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ge.error import GeError
from ge.graph import Graph, Node
from ge.passes._slots import buffers, fail, raw, read_pairs

if TYPE_CHECKING:
    from ge.es import TensorHolder

__all__ = ["NodeIo", "Pattern", "create_pattern", "create_replacement"]


@dataclass(frozen=True)
class NodeIo:
    """One output of a node.

    Attributes:
        node: The node.
        index: Which of its outputs.
    """

    node: Node
    index: int = 0


class Pattern:
    """Takes a graph over: afterwards the `Graph` object is empty and every use of it raises."""

    __slots__ = ("__weakref__", "_pattern", "_view")

    def __init__(self, graph: Graph) -> None:
        """Moves the graph into a pattern.

        Raises:
            TypeError: It is no Graph.
            RuntimeError: The graph is empty (moved before) or owned by another graph, or breaks a rule for patterns: no
                subgraphs, no control edges, no cycle, at least one output, no output that is an input.
        """
        self._pattern = 0
        self._view: Graph | None = None
        _require_graph(graph, "Pattern")
        graph._check_transferable()
        b = buffers
        status = raw.pattern_create(graph._handle, b.p0, b.p_error)
        if status:
            fail(status, "pattern_create")
        graph._release()
        self._pattern = b.out[0]

    def __del__(self, _release: Any = raw.pattern_release, _buffers: Any = buffers) -> None:
        # Defaults, because module globals may be gone when the interpreter ends.
        if getattr(self, "_pattern", 0):
            _release(self._pattern, _buffers.p_error)

    def __repr__(self) -> str:
        return f"Pattern({self._graph().name!r})" if self._pattern else "Pattern(released)"

    def _live(self) -> int:
        if not self._pattern:
            raise GeError("Pattern handle has been released: the executor owns the pattern now", "Pattern")
        return self._pattern

    def capture_tensor(self, source: TensorHolder | Node | NodeIo, index: int | None = None) -> Pattern:
        """Captures a value of the pattern; the match gives its counterpart by the number of captures before.

        Args:
            source: A tensor or a node of the graph that the pattern was made from, or a `NodeIo`.
            index: Output of a node; 0 if not given. Not with a tensor or a `NodeIo`, which have their own.

        Raises:
            RuntimeError: The source is something else or not of this pattern, the index is given where it must not be
                or out of range, or the pattern was released.
        """
        self._live()
        handle, output = _captured_value(source, index)
        self._capture(handle, output)
        return self

    def _capture(self, handle: int, index: int) -> None:
        b = buffers
        status = raw.pattern_capture(self._live(), handle, index, b.p_error)
        if status:
            fail(status, "pattern_capture")

    def get_captured_tensors(self) -> list[NodeIo]:
        """Captured values in order.

        Raises:
            RuntimeError: The pattern was released.
        """
        pairs = read_pairs(raw.pattern_captures, "pattern_captures", self._live())
        graph = self._graph()
        return [NodeIo(Node._wrap(handle, graph), index) for handle, index in pairs]

    def _graph(self) -> Graph:
        """The pattern's graph as a view that ends with the pattern."""
        if self._view is None:
            b = buffers
            status = raw.pattern_graph(self._live(), b.p0, b.p_error)
            if status:
                fail(status, "pattern_graph")
            self._view = Graph._wrap(b.out[0], None)
        return self._view

    def is_valid(self) -> bool:
        """Whether it still owns its native pattern."""
        return self._pattern != 0

    def release(self) -> int:
        """Gives the native pattern away, once; for the bridge.

        Raises:
            RuntimeError: It was released before.
        """
        handle, self._pattern = self._live(), 0
        self._expire_view()
        return handle

    def _drop(self) -> None:
        """Ends an unused pattern at once."""
        if self._pattern:
            raw.pattern_release(self.release(), buffers.p_error)

    def _expire_view(self) -> None:
        if self._view is not None:
            self._view._expire()
            self._view = None


def _require_graph(graph: Any, what: str) -> None:
    if not isinstance(graph, Graph):
        raise TypeError(f"{what} takes a Graph, found {type(graph).__name__}: {graph!r}")


def _captured_value(source: Any, index: int | None) -> tuple[int, int]:
    from ge.es import TensorHolder

    if isinstance(source, Node):
        if index is not None and (isinstance(index, bool) or not isinstance(index, int) or index < 0):
            raise GeError(f"capture_tensor: index must be an int of 0 or more, found {index!r}", "capture_tensor")
        return source._handle, index or 0
    if not isinstance(source, (NodeIo, TensorHolder)):
        raise GeError(
            f"capture_tensor takes a TensorHolder, Node or NodeIo, found {type(source).__name__}: {source!r}",
            "capture_tensor",
        )
    if index is not None:
        raise GeError(
            f"capture_tensor: a {type(source).__name__} has its own index; found index={index!r} as well",
            "capture_tensor",
        )
    return source.node._handle, source.index


def create_pattern(graph: Graph) -> Pattern:
    """Same as ``Pattern(graph)``."""
    return Pattern(graph)


def create_replacement(graph: Graph) -> Graph:
    """Checks the type of a replacement and returns it.

    Raises:
        TypeError: It is no Graph.
    """
    _require_graph(graph, "create_replacement")
    return graph
