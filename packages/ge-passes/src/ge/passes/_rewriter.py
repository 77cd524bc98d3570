"""Rewriting by hand: a boundary of values, and what to put inside it."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import POINTER, c_uint32, c_uint64, cast
from typing import Any

from ge.error import GeError
from ge.graph import Graph, Node
from ge.passes import _abi
from ge.passes._context import PassContext
from ge.passes._slots import buffers, fail, raw

__all__ = ["SubgraphBoundary", "SubgraphInput", "SubgraphOutput", "SubgraphRewriter"]

_OK, _FAILED = 0, 1


def _is_place(node: Any, index: Any) -> bool:
    return isinstance(node, Node) and isinstance(index, int) and not isinstance(index, bool) and index >= 0


class SubgraphInput:
    """One logical input of a boundary: input slots that read one and the same value."""

    __slots__ = ("_slots",)

    def __init__(self, slots: Iterable[tuple[Node, int]] = ()) -> None:
        """Takes pairs ``(node, input index)``.

        Raises:
            RuntimeError: An element is no such pair, or the slots read different values.
        """
        self._slots: list[tuple[Node, int]] = []
        for position, item in enumerate(slots):
            if not isinstance(item, tuple) or len(item) != 2:
                raise GeError(
                    f"SubgraphInput: element {position} must be a pair (Node, int), found {item!r}", "SubgraphInput"
                )
            if self.add_input(*item) != _OK:
                raise GeError(
                    f"SubgraphInput: element {position}, {item!r}, is no slot that reads the value of those before it",
                    "SubgraphInput",
                )

    def add_input(self, node: Node, in_index: int) -> int:
        """Adds an input slot; 0, or 1 if it is none or reads another value than those before it."""
        if not _is_place(node, in_index) or in_index >= node.input_count:
            return _FAILED
        producer = node.input(in_index)
        if producer is None or (self._slots and self._slots[0][0].input(self._slots[0][1]) != producer):
            return _FAILED
        self._slots.append((node, in_index))
        return _OK


class SubgraphOutput:
    """One logical output of a boundary: an output of a node."""

    __slots__ = ("_value",)

    def __init__(self, node: Node | None = None, out_index: int = 0) -> None:
        """Takes the output, which may also be set later, once.

        Raises:
            RuntimeError: There is no such output.
        """
        self._value: tuple[Node, int] | None = None
        if node is not None and self.set_output(node, out_index) != _OK:
            raise GeError(f"SubgraphOutput: there is no output {out_index!r} of {node!r}", "SubgraphOutput")

    def set_output(self, node: Node, out_index: int) -> int:
        """Sets the output; 0, or 1 if there is none or it was set before."""
        if self._value is not None or not _is_place(node, out_index) or out_index >= node.output_count:
            return _FAILED
        self._value = (node, out_index)
        return _OK


class SubgraphBoundary:
    """Where a replacement goes: inputs by its ``Data`` index, outputs by its output order."""

    __slots__ = ("_inputs", "_outputs")

    def __init__(self) -> None:
        self._inputs: dict[int, SubgraphInput] = {}
        self._outputs: dict[int, SubgraphOutput] = {}

    def add_input(self, index: int, subgraph_input: SubgraphInput) -> int:
        """Adds an input; 0, or 1 if the index is taken or negative, or the input is empty or no `SubgraphInput`."""
        filled = isinstance(subgraph_input, SubgraphInput) and bool(subgraph_input._slots)
        return self._add(self._inputs, index, subgraph_input, filled)

    def add_output(self, index: int, subgraph_output: SubgraphOutput) -> int:
        """Adds an output; 0, or 1 if the index is taken or negative, or the output is unset or no `SubgraphOutput`."""
        filled = isinstance(subgraph_output, SubgraphOutput) and subgraph_output._value is not None
        return self._add(self._outputs, index, subgraph_output, filled)

    @staticmethod
    def _add(items: dict[int, Any], index: Any, item: Any, filled: bool) -> int:
        if isinstance(index, bool) or not isinstance(index, int) or index < 0 or index in items or not filled:
            return _FAILED
        items[index] = item
        return _OK

    def _native(self) -> _abi.ge_passes_boundary:
        for what, items in (("input", self._inputs), ("output", self._outputs)):
            missing = next((index for index in range(len(items)) if index not in items), None)
            if missing is not None:
                raise GeError(
                    f"SubgraphBoundary: {what} {missing} is missing, found {sorted(items)}", "SubgraphBoundary"
                )
        slots = [(node, slot, group) for group in sorted(self._inputs) for node, slot in self._inputs[group]._slots]
        values = [value for index in sorted(self._outputs) if (value := self._outputs[index]._value) is not None]
        return _abi.ge_passes_boundary(
            input_nodes=_column(c_uint64, [node._handle for node, _, _ in slots]),
            input_slots=_column(c_uint32, [slot for _, slot, _ in slots]),
            input_groups=_column(c_uint32, [group for _, _, group in slots]),
            input_count=len(slots),
            output_nodes=_column(c_uint64, [node._handle for node, _ in values]),
            output_indices=_column(c_uint32, [index for _, index in values]),
            output_count=len(values),
        )


def _column(kind: Any, values: list[int]) -> Any:
    return cast((kind * len(values))(*values), POINTER(kind))


class SubgraphRewriter:
    """Replaces what is inside a boundary."""

    @staticmethod
    def replace(boundary: SubgraphBoundary, replacement: Graph, *, context: PassContext | None = None) -> int | None:
        """Puts a copy of a graph in the place of what is inside the boundary, in a transaction.

        Args:
            boundary: Where it goes.
            replacement: What goes there; it stays the caller's.
            context: Of the hook this is called from; the new nodes are then marked with the pass.

        Returns:
            Without ``context`` 0, or 1 if it was refused, and then nothing has changed. With ``context`` ``None``.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: With ``context``: it was refused. The text says why and is also the context's message.
        """
        if not isinstance(boundary, SubgraphBoundary):
            raise TypeError(f"boundary must be a SubgraphBoundary, found {type(boundary).__name__}")
        if not isinstance(replacement, Graph):
            raise TypeError(f"replacement must be a Graph, found {type(replacement).__name__}")
        try:
            handle = 0 if context is None else context._live()
            status = raw.rewrite_replace(boundary._native(), replacement._handle, handle, buffers.p_error)
            if status:
                fail(status, "rewrite_replace")
        except GeError as error:
            if context is None:
                return _FAILED
            context.set_error_message(str(error))
            raise
        return _OK if context is None else None
