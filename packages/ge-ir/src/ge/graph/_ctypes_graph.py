"""`GraphBase` over ctypes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from ge.graph._ctypes_native import (
    BUFFER_TOO_SMALL,
    NOT_FOUND,
    VERIFY_FAILED,
    buffers,
    expired,
    fail,
    quick,
    raw,
    text_at,
)
from ge.graph._ctypes_owner import OwnerBase, encoded, new_graph, read_handles, wrap_node
from ge.graph._ctypes_symbols import symbol

__all__ = ["GraphBase"]

_node_create = quick("node_create")
_graph_version = quick("graph_version")


def _blob_text(blob: int) -> str:
    b = buffers.b
    status = raw.blob_view(blob, b.p0, b.p1, b.p_error)
    if status:
        fail(status, "blob_view")
    text = text_at(b.out[0], b.out[1])
    raw.blob_release(blob, b.p_error)
    return text


class GraphBase(OwnerBase):
    """Primitive face of a graph."""

    __slots__ = ("_owns",)

    _owns: bool

    def __init__(self) -> None:
        self._handle, self._owner, self._owns = 0, None, False

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        return new_graph(handle, owner, False)

    @classmethod
    def _adopt(cls, handle: int) -> Any:
        return new_graph(handle, None, True)

    @classmethod
    def _parse(cls, text: str, source_name: str) -> Any:
        b, data, name = buffers.b, encoded(text), encoded(source_name)
        status = raw.graph_parse(data, len(data), name, len(name), b.p0, b.p_error)
        if status:
            fail(status, "graph_parse")
        return cls._adopt(b.out[0])

    # The slot and the thread's buffers as defaults: module globals may be gone when the interpreter ends.
    def __del__(self, _release: Any = raw.graph_release, _buffers: Any = buffers) -> None:
        # A constructor that was called wrongly leaves an object without attributes.
        if getattr(self, "_owns", False) and self._handle:
            _release(self._handle, _buffers.b.p_error)

    def _home(self) -> Any:
        owner = self._owner
        if owner is None or not isinstance(owner, GraphBase):
            return self
        if not owner._handle:
            raise expired(self)
        return owner

    def _create(self, name: str) -> None:
        b, data = buffers.b, encoded(name)
        status = raw.graph_create(data, len(data), b.p0, b.p_error)
        if status:
            fail(status, "graph_create")
        self._handle, self._owner, self._owns = b.out[0], None, True

    def _release(self) -> int:
        handle, self._handle, self._owns = self._handle, 0, False
        return handle

    def _clone(self, name: str) -> Any:
        self._home()
        b, data = buffers.b, encoded(name)
        status = raw.graph_clone(self._handle, data, len(data), b.p0, b.p_error)
        if status:
            fail(status, "graph_clone", self)
        return self._adopt(b.out[0])

    def _read_text(self, slot: Callable[..., int], name: str) -> str:
        self._home()
        b = buffers.b
        status = slot(self._handle, b.p0, b.p1, b.p_error)
        if status:
            fail(status, name, self)
        return text_at(b.out[0], b.out[1])

    @property
    def name(self) -> str:
        """Name; may be set."""
        return self._read_text(raw.graph_name, "graph_name")

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"graph name must be str, found {type(name).__name__}: {name!r}")
        self._home()
        data = encoded(name)
        status = raw.graph_set_name(self._handle, data, len(data), buffers.b.p_error)
        if status:
            fail(status, "graph_set_name", self)

    @property
    def version(self) -> int:
        """Grows with every change; restored by a rollback."""
        self._home()
        b = buffers.b
        status = _graph_version(self._handle, b.p0, b.p_error)
        if status:
            fail(status, "graph_version", self)
        return b.out[0]

    @property
    def node_count(self) -> int:
        """Number of direct nodes."""
        self._home()
        b = buffers.b
        status = raw.graph_node_count(self._handle, b.p0, b.p_error)
        if status:
            fail(status, "graph_node_count", self)
        return b.out[0]

    def _parent(self) -> tuple[int, str]:
        self._home()
        b = buffers.b
        status = raw.graph_owner(self._handle, b.p0, b.p1, b.p2, b.p_error)
        if status:
            fail(status, "graph_owner", self)
        return b.out[0], text_at(b.out[1], b.out[2])

    def _nodes(self, order: int) -> list[Any]:
        home = self._home()
        return [wrap_node(handle, home) for handle in read_handles(raw.graph_nodes, "graph_nodes", self, order)]

    def _find(self, name: str) -> Any:
        home = self._home()
        b, data = buffers.b, encoded(name)
        status = raw.graph_find_node(self._handle, data, len(data), b.p0, b.p_error)
        if status == NOT_FOUND:
            return None
        if status:
            fail(status, "graph_find_node", self)
        return wrap_node(b.out[0], home)

    def _sort(self) -> None:
        self._home()
        status = raw.graph_sort(self._handle, buffers.b.p_error)
        if status:
            fail(status, "graph_sort", self)

    def _unique_name(self, base: str) -> str:
        self._home()
        b, data = buffers.b, encoded(base)
        status = raw.graph_unique_name(self._handle, data, len(data), b.p0, b.p1, b.p_error)
        if status:
            fail(status, "graph_unique_name", self)
        return text_at(b.out[0], b.out[1])

    def _verify(self) -> str:
        self._home()
        b = buffers.b
        b.out[0] = 0
        status = raw.graph_verify(self._handle, b.p0, b.p_error)
        if status not in (0, VERIFY_FAILED):
            fail(status, "graph_verify", self)
        report = _blob_text(b.out[0])
        return report if status else ""

    def _print(self, flags: int) -> str:
        self._home()
        b = buffers.b
        status = raw.graph_print(self._handle, flags, b.p0, b.p_error)
        if status:
            fail(status, "graph_print", self)
        return _blob_text(b.out[0])

    def _create_node(
        self,
        op_type: str,
        domain: str,
        op_version: int,
        name: str,
        inputs: Sequence[tuple[Any, int] | None],
        output_count: int,
        before: Any,
    ) -> Any:
        home = self._home()
        b = buffers.b
        spec = b.spec
        spec.type_symbol, spec.domain_symbol, spec.op_version = symbol(op_type), symbol(domain), op_version
        data = encoded(name)
        spec.name, spec.name_size = data, len(data)
        spec.input_nodes = array("Q", [0 if item is None else item[0]._handle for item in inputs]).tobytes()
        spec.input_indices = array("I", [0 if item is None else item[1] for item in inputs]).tobytes()
        spec.input_count, spec.output_count = len(inputs), output_count
        spec.before = 0 if before is None else before._handle
        status = _node_create(self._handle, b.p_spec, b.p0, b.p_error)
        if status:
            fail(status, "node_create", self)
        return wrap_node(b.out[0], home)

    def _transaction(self, step: int) -> int:
        self._home()
        b = buffers.b
        if step == 0:
            status = raw.transaction_begin(self._handle, b.s0, b.p_error)
        else:
            slot = raw.transaction_commit if step == 1 else raw.transaction_rollback
            status = slot(self._handle, b.p_error)
        if status:
            fail(status, ("transaction_begin", "transaction_commit", "transaction_rollback")[step], self)
        return b.small[0] if step == 0 else 0

    def _columns_ops(self) -> tuple[bytes, bytes, bytes]:
        self._home()
        columns: tuple[bytes, bytes, bytes] = self._columns(raw.columns_ops, "columns_ops", "QII", self.node_count)
        return columns

    def _columns_edges(self) -> tuple[bytes, bytes, bytes, bytes]:
        self._home()
        room = 2 * self.node_count
        columns: tuple[bytes, bytes, bytes, bytes] = self._columns(raw.columns_edges, "columns_edges", "QIQI", room)
        return columns

    def _columns(self, slot: Callable[..., int], name: str, codes: str, room: int) -> Any:
        b = buffers.b
        while True:
            columns = [array(code, bytes(array(code).itemsize * room)) for code in codes]
            arguments: list[int] = []
            for column in columns:
                arguments += (column.buffer_info()[0] if room else 0, room, b.p0)
            status = slot(self._handle, *arguments, b.p_error)
            if status != BUFFER_TOO_SMALL:
                break
            room = b.out[0]
        if status:
            fail(status, name, self)
        count = b.out[0]
        return tuple(column[:count].tobytes() for column in columns)
