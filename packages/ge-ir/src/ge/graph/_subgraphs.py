"""Ownership of graphs that are given to a node or a graph, and taken back.

A graph given away no longer frees itself: its new owner does. The Python object stays usable and keeps the
new root object alive. When it is taken back, or the giving is rolled back, the same object owns it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ge.graph._base import GraphBase

if TYPE_CHECKING:
    from ge.graph._graph import Graph

__all__ = ["attach", "begin", "detach", "end", "root_of"]

# Objects of graphs that were given away, by handle: to find the object again when the graph comes back.
_given: WeakValueDictionary[int, Graph] = WeakValueDictionary()
# Graphs given away or taken back inside the open transactions of a root, by root handle, innermost last. They are
# held: a rollback may make them roots again, and somebody must own them then.
_open: dict[int, list[list[Graph]]] = {}


def root_of(item: Any) -> Any:
    """The root object that keeps a node or graph alive."""
    while isinstance(item._owner, GraphBase):
        item = item._owner
    return item


def attach(owner: Any, key: str, child: Graph) -> None:
    """Gives a root graph to a node or graph.

    Raises:
        TypeError: The child is no Graph.
        RuntimeError: It was given away before or moved; the key is taken; it is an ancestor of the owner.
    """
    from ge.graph._graph import Graph

    if not isinstance(child, Graph):
        raise TypeError(f"subgraph must be a Graph, found {type(child).__name__}: {child!r}")
    child._check_transferable()
    owner._attach(key, child)
    root = root_of(owner)
    _set_given(child, root)
    if root._handle in _open:
        _open[root._handle][-1].append(child)


def _set_given(child: Graph, root: Any) -> None:
    child._owner, child._owns = root, False
    _given[child._handle] = child


def detach(owner: Any, key: str) -> Graph:
    """Takes a subgraph back as a root that its object owns.

    Raises:
        RuntimeError: There is none under the key, or it reads values of the graphs around it.
    """
    from ge.graph._graph import Graph

    handle: int = owner._detach(key)
    child = _given.pop(handle, None)
    if child is None or child._handle != handle:
        child = Graph._adopt(handle)
    child._owner, child._owns = None, True
    root = root_of(owner)
    if root._handle in _open:
        _open[root._handle][-1].append(child)
    return child


def begin(root_handle: int) -> None:
    """A transaction on the root starts."""
    _open.setdefault(root_handle, []).append([])


def end(root: Any, *, rolled_back: bool) -> None:
    """The innermost transaction on the root ended."""
    levels = _open[root._handle]
    touched = levels.pop()
    if rolled_back:
        for child in touched:
            _settle(child, root)
    elif levels:
        levels[-1].extend(touched)
    if not levels:
        del _open[root._handle]


def _settle(child: Graph, root: Any) -> None:
    """After a rollback the native side knows whether a graph is a root or has an owner."""
    if not child._handle:
        return
    # Asked through a plain view: the object's own owner may be a wrong one by now.
    if type(child)._wrap(child._handle, None)._parent()[0]:
        _set_given(child, root)
    else:
        _given.pop(child._handle, None)
        child._owner, child._owns = None, True
