"""`Transaction`: edits of a graph that are kept or undone together."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ge.graph import _subgraphs

__all__ = ["Transaction"]

_BEGIN, _COMMIT, _ROLLBACK = 0, 1, 2


class Transaction:
    """Context manager of `Graph.transaction`. Transactions nest; each is of the whole tree of graphs.

    Leaving the block commits; an exception rolls back and goes on. `rollback` inside the block undoes what was
    done so far and ends the transaction; the rest of the block is then outside of it.
    """

    __slots__ = ("_active", "_root")

    def __init__(self, root: Any) -> None:
        """Made by `Graph.transaction`; starts on entry."""
        self._root = root
        self._active = False

    def __enter__(self) -> Transaction:
        if self._active:
            raise RuntimeError("this transaction is already active; ask the graph for a new one to nest")
        self._root._transaction(_BEGIN)
        _subgraphs.begin(self._root._handle)
        self._active = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._active:
            self._end(_COMMIT if kind is None else _ROLLBACK)

    @property
    def active(self) -> bool:
        """Whether it has begun and not yet ended."""
        return self._active

    def commit(self) -> None:
        """Keeps the edits now.

        Raises:
            RuntimeError: It is not active.
        """
        self._check_active()
        self._end(_COMMIT)

    def rollback(self) -> None:
        """Undoes the edits now.

        Raises:
            RuntimeError: It is not active.
        """
        self._check_active()
        self._end(_ROLLBACK)

    def _check_active(self) -> None:
        if not self._active:
            raise RuntimeError("the transaction has ended or has not begun")

    def _end(self, step: int) -> None:
        self._root._transaction(step)
        self._active = False
        _subgraphs.end(self._root, rolled_back=step == _ROLLBACK)
