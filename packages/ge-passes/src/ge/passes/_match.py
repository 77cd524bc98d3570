"""`MatchResult`: one place of a graph that fits a pattern."""

from __future__ import annotations

from typing import Any

from ge.graph import Graph, Node
from ge.graph import _base as _binding
from ge.passes._abi import GeStatus
from ge.passes._errors import error_of, expired
from ge.passes._library import api
from ge.passes._pattern import NodeIo

__all__ = ["MatchResult"]

_OUTPUT = 1  # ge_ir_scope
_new_io = object.__new__


def _choose() -> Any:
    # The two bindings of the graph classes do not mix, so a match is of the binding that they are of. An artifact set
    # of an earlier version has no matches.
    if hasattr(_binding.module, "MatchBase"):
        return _binding.module.MatchBase
    from ge.passes._match_ctypes import MatchBase

    return MatchBase


_Base: Any = _choose()


class MatchResult(_Base):  # type: ignore[misc]
    """Given to hooks; valid until the hook returns, afterwards every use raises ``RuntimeError``."""

    __slots__ = ()

    def __init__(self) -> None:
        """Refused.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("MatchResult cannot be constructed; the executor gives one to each hook")

    def get_matched_nodes(self) -> list[Node]:
        """Matched nodes of the target graph, without those bound to the pattern's inputs, producers first.

        Raises:
            RuntimeError: The match has expired.
        """
        return self._nodes()  # type: ignore[no-any-return]

    def get_captured_tensor(self, index: int) -> NodeIo:
        """The target value of a capture.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such capture (the text has their number), or the match has expired.
        """
        if index.__class__ is not int:
            index = _as_int(index)
        # A number that does not fit the native parameter is out of range as well.
        return _io(*self._captured(index if 0 <= index < 2**32 else 2**32 - 1))

    def get_inputs(self) -> list[NodeIo]:
        """Target values bound to the pattern's inputs, by input index.

        Raises:
            RuntimeError: The match has expired.
        """
        return [_io(node, index) for node, index in self._inputs()]

    @property
    def graph(self) -> Graph:
        """The graph that the match is in; read it, the executor makes the edits.

        Raises:
            RuntimeError: The match has expired.
        """
        return self._graph()  # type: ignore[no-any-return]

    def get_pattern_graph_name(self) -> str:
        """Name of the pattern's graph, to tell several patterns of a pass apart.

        Raises:
            RuntimeError: The match has expired.
        """
        return self._pattern_name()  # type: ignore[no-any-return]

    def _input_descs(self) -> list[Any]:
        """Descriptors of the target values bound to the pattern's inputs (``None`` where there is none)."""
        return [node._desc_find(_OUTPUT, index) for node, index in self._inputs()]

    def __str__(self) -> str:
        nodes = ", ".join(f"{node.name} ({node.type})" for node in self.get_matched_nodes())
        return f"match of {self.get_pattern_graph_name()} in {self.graph.name}: {nodes}"

    def __repr__(self) -> str:
        return f"MatchResult({self})" if self._match else "MatchResult(expired)"


def _io(node: Node, index: int) -> NodeIo:
    # The constructor of a frozen dataclass costs as much as all the rest of a read.
    made = _new_io(NodeIo)
    fields = made.__dict__
    fields["node"], fields["index"] = node, index
    return made


def _as_int(index: Any) -> int:
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise TypeError(f"capture index must be int, found {type(index).__name__}: {index!r}")
    return int(index)


def _native_error(status: int, message: str, slot: str) -> BaseException:
    # The extension reports a match that has ended without a text.
    return expired("MatchResult") if status == GeStatus.EXPIRED and not message else error_of(status, message, slot)


if hasattr(_binding.module, "bind_passes"):
    _binding.module.bind_passes(api().getter_address(), MatchResult, _native_error)
