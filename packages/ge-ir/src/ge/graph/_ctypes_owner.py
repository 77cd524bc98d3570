"""What graphs and nodes share over ctypes: making objects, identity, attributes, subgraphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ge.graph import _ctypes_values as values
from ge.graph._ctypes_native import BUFFER_TOO_SMALL, NOT_FOUND, buffers, fail, raw

__all__ = ["OwnerBase", "encoded", "read_handles", "set_types", "wrap_graph", "wrap_node"]

_new = object.__new__
# The most derived classes, set once by the public module.
_node_type: Any = None
_graph_type: Any = None
_tensor_type: Any = None


def set_types(graph: type, node: type, tensor: type) -> None:
    """Sets the classes of the objects made here."""
    global _graph_type, _node_type, _tensor_type
    _graph_type, _node_type, _tensor_type = graph, node, tensor


def wrap_node(handle: int, owner: Any) -> Any:
    """A node object."""
    node = _new(_node_type)
    node._handle = handle
    node._owner = owner
    return node


def wrap_graph(handle: int, owner: Any) -> Any:
    """An object for a graph that somebody else owns; ``owner`` itself if it is that graph."""
    if owner is not None and owner._handle == handle:
        return owner
    return new_graph(handle, owner, False)


def _wrap_tensor(handle: int) -> Any:
    return _tensor_type._wrap(handle, None)


def new_graph(handle: int, owner: Any, owns: bool) -> Any:
    """A graph object, without running its ``__init__``."""
    graph = _new(_graph_type)
    graph._handle, graph._owner, graph._owns = handle, owner, owns
    return graph


def encoded(data: str) -> bytes:
    """Bytes of a text as the library takes it."""
    return data.encode("utf-8", "surrogateescape")


def read_handles(slot: Callable[..., int], name: str, item: Any, *before: int) -> list[int]:
    """The handles that a listing slot gives for an object."""
    b = buffers.b
    status = slot(item._handle, *before, b.handles, b.room, b.p0, b.p_error)
    if status == BUFFER_TOO_SMALL:
        b.grow(b.out[0])
        status = slot(item._handle, *before, b.handles, b.room, b.p0, b.p_error)
    if status:
        fail(status, name, item)
    return b.handles[: b.out[0]]


class OwnerBase:
    """Identity, attributes and subgraphs, for graphs and nodes."""

    __slots__ = ("_handle", "_owner")

    _handle: int
    _owner: Any

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, OwnerBase):
            return NotImplemented
        return self._handle == other._handle and self._handle != 0

    def __hash__(self) -> int:
        return hash(self._handle)

    def _home(self) -> Any:
        """The object that keeps alive what is reached from this one; raises if it has expired."""
        raise NotImplementedError

    def _attr_find(self, scope: int, index: int, key: str) -> Any:
        self._home()
        found = values.attr_find(self, scope, index, key, _wrap_tensor)
        if type(found) is not int:
            return found
        return None if found == NOT_FOUND else fail(found, "attr_get", self)

    def _attr_get(self, scope: int, index: int, key: str) -> Any:
        self._home()
        found = values.attr_find(self, scope, index, key, _wrap_tensor)
        return fail(found, "attr_get", self) if type(found) is int else found

    def _attr_set(self, scope: int, index: int, key: str, kind: int, value: Any) -> None:
        self._home()
        values.attr_set(self, scope, index, key, kind, value)

    def _attr_remove(self, scope: int, index: int, key: str) -> None:
        self._home()
        data = encoded(key)
        status = raw.attr_remove(self._handle, scope, index, data, len(data), buffers.b.p_error)
        if status:
            fail(status, "attr_remove", self)

    def _attr_keys(self, scope: int, index: int) -> list[str]:
        self._home()
        return values.attr_keys(self, scope, index)

    def _subgraphs(self) -> list[tuple[str, Any]]:
        home = self._home()
        found = []
        for handle in read_handles(raw.subgraph_list, "subgraph_list", self):
            graph = wrap_graph(handle, home)
            found.append((graph._parent()[1], graph))
        return found

    def _subgraph(self, key: str) -> Any:
        home = self._home()
        b, data = buffers.b, encoded(key)
        status = raw.subgraph_get(self._handle, data, len(data), b.p0, b.p_error)
        if status == NOT_FOUND:
            return None
        if status:
            fail(status, "subgraph_get", self)
        return wrap_graph(b.out[0], home)

    def _attach(self, key: str, child: Any) -> None:
        self._home()
        data = encoded(key)
        status = raw.subgraph_attach(self._handle, data, len(data), child._handle, buffers.b.p_error)
        if status:
            fail(status, "subgraph_attach", self)

    def _detach(self, key: str) -> int:
        self._home()
        b, data = buffers.b, encoded(key)
        status = raw.subgraph_detach(self._handle, data, len(data), b.p0, b.p_error)
        if status:
            fail(status, "subgraph_detach", self)
        return b.out[0]
