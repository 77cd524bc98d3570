"""The primitive layer over ctypes: complete on every interpreter, without any file per Python version.

The contract, with the meaning of every method, is `_contract`; importing this module loads the library.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from ctypes import c_int32
from typing import Any

from ge.graph import _ctypes_native as native
from ge.graph import _ctypes_values as values
from ge.graph._ctypes_native import buffers, expired, fail, out_of_range, quick, raw, text_at
from ge.graph._ctypes_symbols import symbol, symbol_text, texts
from ge.graph._ctypes_tensor import TensorBase

__all__ = [
    "BINDING",
    "GraphBase",
    "NodeBase",
    "TensorBase",
    "getter_address",
    "library_stats",
    "library_version",
    "register_error",
    "register_types",
    "symbol",
    "symbol_text",
]

BINDING = "ctypes"
_NOT_FOUND, _BUFFER_TOO_SMALL, _VERIFY_FAILED = 5, 12, 14

_node_name = quick("node_name")
_node_op = quick("node_op")
_node_arity = quick("node_arity")
_node_input = quick("node_input")
_node_inputs = quick("node_inputs")
_node_graph = quick("node_graph")
_node_is_live = quick("node_is_live")
_node_create = quick("node_create")
_use_count = quick("value_use_count")
_value_uses = quick("value_uses")
_graph_version = quick("graph_version")
_new = object.__new__

_types: list[type] = []
_node_type: Any = None
_graph_type: Any = None
_tensor_type: Any = None


def register_types(graph: type, node: type, tensor: type) -> None:
    """Sets the classes of the objects made here."""
    global _graph_type, _node_type, _tensor_type
    _graph_type, _node_type, _tensor_type = graph, node, tensor


def register_error(factory: Callable[[int, str, str], BaseException]) -> None:
    """Sets what makes exceptions."""
    native.set_error_factory(factory)


def library_version() -> str:
    """Version text of libge_ir."""
    return native.api.call.library_version()


def library_stats() -> dict[str, int]:
    """Live objects of the process."""
    stats = native.api.call.library_stats()
    names = ("graphs", "nodes", "tensors", "blobs", "symbols", "tensor_bytes")
    return {name: getattr(stats, name) for name in names}


def getter_address() -> int:
    """Address of ``ge_ir_get_api``."""
    return native.api.getter_address()


def _wrap_node(handle: int, owner: Any) -> Any:
    node = _new(_node_type)
    node._handle = handle
    node._owner = owner
    return node


def _wrap_graph(handle: int, owner: Any) -> Any:
    if owner is not None and owner._handle == handle:
        return owner
    graph = _new(_graph_type)
    graph._handle, graph._owner, graph._owns = handle, owner, False
    return graph


def _wrap_tensor(handle: int) -> Any:
    return _tensor_type._wrap(handle, None)


def _text(data: str) -> bytes:
    return data.encode("utf-8", "surrogateescape")


def _blob_text(blob: int) -> str:
    b = buffers.b
    status = raw.blob_view(blob, b.p0, b.p1, b.p_error)
    if status:
        fail(status, "blob_view")
    text = text_at(b.out[0], b.out[1])
    raw.blob_release(blob, b.p_error)
    return text


def _read_handles(slot: Callable[..., int], name: str, item: Any, *before: int) -> list[int]:
    b = buffers.b
    status = slot(item._handle, *before, b.handles, b.room, b.p0, b.p_error)
    if status == _BUFFER_TOO_SMALL:
        b.grow(b.out[0])
        status = slot(item._handle, *before, b.handles, b.room, b.p0, b.p_error)
    if status:
        fail(status, name, item)
    return b.handles[: b.out[0]]


class _Base:
    """Identity, attributes and subgraphs, for graphs and nodes."""

    __slots__ = ("_handle", "_owner")

    _handle: int
    _owner: Any

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, _Base):
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
        return None if found == _NOT_FOUND else fail(found, "attr_get", self)

    def _attr_get(self, scope: int, index: int, key: str) -> Any:
        self._home()
        found = values.attr_find(self, scope, index, key, _wrap_tensor)
        return fail(found, "attr_get", self) if type(found) is int else found

    def _attr_set(self, scope: int, index: int, key: str, kind: int, value: Any) -> None:
        self._home()
        values.attr_set(self, scope, index, key, kind, value)

    def _attr_remove(self, scope: int, index: int, key: str) -> None:
        self._home()
        data = _text(key)
        status = raw.attr_remove(self._handle, scope, index, data, len(data), buffers.b.p_error)
        if status:
            fail(status, "attr_remove", self)

    def _attr_keys(self, scope: int, index: int) -> list[str]:
        self._home()
        return values.attr_keys(self, scope, index)

    def _subgraphs(self) -> list[tuple[str, Any]]:
        home = self._home()
        found = []
        for handle in _read_handles(raw.subgraph_list, "subgraph_list", self):
            graph = _wrap_graph(handle, home)
            found.append((graph._parent()[1], graph))
        return found

    def _subgraph(self, key: str) -> Any:
        home = self._home()
        b, data = buffers.b, _text(key)
        status = raw.subgraph_get(self._handle, data, len(data), b.p0, b.p_error)
        if status == _NOT_FOUND:
            return None
        if status:
            fail(status, "subgraph_get", self)
        return _wrap_graph(b.out[0], home)

    def _attach(self, key: str, child: Any) -> None:
        self._home()
        data = _text(key)
        status = raw.subgraph_attach(self._handle, data, len(data), child._handle, buffers.b.p_error)
        if status:
            fail(status, "subgraph_attach", self)

    def _detach(self, key: str) -> int:
        self._home()
        b, data = buffers.b, _text(key)
        status = raw.subgraph_detach(self._handle, data, len(data), b.p0, b.p_error)
        if status:
            fail(status, "subgraph_detach", self)
        return b.out[0]


class GraphBase(_Base):
    """Primitive face of a graph."""

    __slots__ = ("_owns",)

    _owns: bool

    def __init__(self) -> None:
        self._handle, self._owner, self._owns = 0, None, False

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        graph = _new(_graph_type)
        graph._handle, graph._owner, graph._owns = handle, owner, False
        return graph

    @classmethod
    def _adopt(cls, handle: int) -> Any:
        graph = _new(_graph_type)
        graph._handle, graph._owner, graph._owns = handle, None, True
        return graph

    @classmethod
    def _parse(cls, text: str, source_name: str) -> Any:
        b, data, name = buffers.b, _text(text), _text(source_name)
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
        b, data = buffers.b, _text(name)
        status = raw.graph_create(data, len(data), b.p0, b.p_error)
        if status:
            fail(status, "graph_create")
        self._handle, self._owner, self._owns = b.out[0], None, True

    def _release(self) -> int:
        handle, self._handle, self._owns = self._handle, 0, False
        return handle

    def _clone(self, name: str) -> Any:
        self._home()
        b, data = buffers.b, _text(name)
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
        data = _text(name)
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
        return [_wrap_node(handle, home) for handle in _read_handles(raw.graph_nodes, "graph_nodes", self, order)]

    def _find(self, name: str) -> Any:
        home = self._home()
        b, data = buffers.b, _text(name)
        status = raw.graph_find_node(self._handle, data, len(data), b.p0, b.p_error)
        if status == _NOT_FOUND:
            return None
        if status:
            fail(status, "graph_find_node", self)
        return _wrap_node(b.out[0], home)

    def _sort(self) -> None:
        self._home()
        status = raw.graph_sort(self._handle, buffers.b.p_error)
        if status:
            fail(status, "graph_sort", self)

    def _unique_name(self, base: str) -> str:
        self._home()
        b, data = buffers.b, _text(base)
        status = raw.graph_unique_name(self._handle, data, len(data), b.p0, b.p1, b.p_error)
        if status:
            fail(status, "graph_unique_name", self)
        return text_at(b.out[0], b.out[1])

    def _verify(self) -> str:
        self._home()
        b = buffers.b
        b.out[0] = 0
        status = raw.graph_verify(self._handle, b.p0, b.p_error)
        if status not in (0, _VERIFY_FAILED):
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
        data = _text(name)
        spec.name, spec.name_size = data, len(data)
        spec.input_nodes = array("Q", [0 if item is None else item[0]._handle for item in inputs]).tobytes()
        spec.input_indices = array("I", [0 if item is None else item[1] for item in inputs]).tobytes()
        spec.input_count, spec.output_count = len(inputs), output_count
        spec.before = 0 if before is None else before._handle
        status = _node_create(self._handle, b.p_spec, b.p0, b.p_error)
        if status:
            fail(status, "node_create", self)
        return _wrap_node(b.out[0], home)

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
            if status != _BUFFER_TOO_SMALL:
                break
            room = b.out[0]
        if status:
            fail(status, name, self)
        count = b.out[0]
        return tuple(column[:count].tobytes() for column in columns)


class NodeBase(_Base):
    """Primitive face of a node."""

    __slots__ = ()

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        return _wrap_node(handle, owner)

    def _home(self) -> Any:
        owner = self._owner
        if not owner._handle:
            raise expired(self)
        return owner

    @property
    def name(self) -> str:
        """Name; may be set."""
        if not self._owner._handle:
            raise expired(self, "node_name")
        b = buffers.b
        status = _node_name(self._handle, b.p0, b.p1, b.p_error)
        if status:
            fail(status, "node_name", self)
        out = b.out
        return text_at(out[0], out[1])

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"node name must be str, found {type(name).__name__}: {name!r}")
        self._home()
        data = _text(name)
        status = raw.node_set_name(self._handle, data, len(data), buffers.b.p_error)
        if status:
            fail(status, "node_set_name", self)

    @property
    def type(self) -> str:
        """Operator type."""
        if not self._owner._handle:
            raise expired(self, "node_op")
        b = buffers.b
        status = _node_op(self._handle, b.s0, b.s1, b.s2, b.p_error)
        if status:
            fail(status, "node_op", self)
        number = b.small[0]
        return texts.get(number) or symbol_text(number)

    @property
    def domain(self) -> str:
        """Operator domain, ``""`` the default."""
        self._op()
        return symbol_text(buffers.b.small[1])

    @property
    def op_version(self) -> int:
        """Opset version, 0 unsaid."""
        self._op()
        return c_int32(buffers.b.small[2]).value

    def _op(self) -> None:
        self._home()
        b = buffers.b
        status = _node_op(self._handle, b.s0, b.s1, b.s2, b.p_error)
        if status:
            fail(status, "node_op", self)

    @property
    def graph(self) -> Any:
        """The graph it is in."""
        home = self._home()
        b = buffers.b
        status = _node_graph(self._handle, b.p0, b.p_error)
        if status:
            fail(status, "node_graph", self)
        return _wrap_graph(b.out[0], home)

    @property
    def is_live(self) -> bool:
        """Whether the node still exists; never raises."""
        if not self._owner._handle:
            return False
        b = buffers.b
        return _node_is_live(self._handle, b.s0, b.p_error) == 0 and b.small[0] == 1

    @property
    def input_count(self) -> int:
        """Number of input slots, absent ones counted."""
        return int(self._arity()[0])

    @property
    def output_count(self) -> int:
        """Number of outputs."""
        return int(self._arity()[1])

    def _arity(self) -> Any:
        self._home()
        b = buffers.b
        status = _node_arity(self._handle, b.p0, b.p1, b.p_error)
        if status:
            fail(status, "node_arity", self)
        return b.out

    @property
    def inputs(self) -> list[tuple[Any, int] | None]:
        """All inputs as values; ``None`` where absent."""
        return self._pairs(_node_inputs, "node_inputs")

    def _pairs(self, slot: Callable[..., int], name: str, *before: int) -> list[Any]:
        home = self._home()
        b = buffers.b
        status = slot(self._handle, *before, b.handles, b.room, b.p0, b.numbers, b.room, b.p0, b.p_error)
        if status == _BUFFER_TOO_SMALL:
            b.grow(b.out[0])
            status = slot(self._handle, *before, b.handles, b.room, b.p0, b.numbers, b.room, b.p0, b.p_error)
        if status:
            fail(status, name, self)
        count = b.out[0]
        pairs = zip(b.handles[:count], b.numbers[:count])
        return [(_wrap_node(handle, home), number) if handle else None for handle, number in pairs]

    @property
    def control_inputs(self) -> list[Any]:
        """Sources of incoming control edges."""
        home = self._home()
        return [_wrap_node(handle, home) for handle in _read_handles(raw.control_inputs, "control_inputs", self)]

    @property
    def control_outputs(self) -> list[Any]:
        """Targets of outgoing control edges."""
        home = self._home()
        return [_wrap_node(handle, home) for handle in _read_handles(raw.control_outputs, "control_outputs", self)]

    def input(self, index: int) -> tuple[Any, int] | None:
        """One input; ``None`` if it is absent."""
        home = self._home()
        b = buffers.b
        status = _node_input(self._handle, _index(index), b.p0, b.s0, b.p_error)
        if status:
            fail(status, "node_input", self)
        handle = b.out[0]
        return (_wrap_node(handle, home), b.small[0]) if handle else None

    def users(self, index: int = 0) -> list[tuple[Any, int]]:
        """Readers of one output: (node, input slot)."""
        return self._pairs(_value_uses, "value_uses", _index(index))

    def use_count(self, index: int = 0) -> int:
        """Number of readers of one output."""
        self._home()
        b = buffers.b
        status = _use_count(self._handle, _index(index), b.p0, b.p_error)
        if status:
            fail(status, "value_use_count", self)
        return b.out[0]

    def _set_input(self, index: int, producer: Any, output_index: int) -> None:
        handle = 0 if producer is None else producer._handle
        self._do(raw.node_set_input, "node_set_input", index, handle, output_index)

    def _set_arity(self, inputs: int, outputs: int) -> None:
        self._do(raw.node_set_arity, "node_set_arity", inputs, outputs)

    def _set_op(self, op_type: str, domain: str, op_version: int) -> None:
        self._do(raw.node_set_op, "node_set_op", symbol(op_type), symbol(domain), op_version)

    def _replace_uses(self, index: int, new_node: Any, new_index: int) -> None:
        self._do(raw.value_replace_uses, "value_replace_uses", index, new_node._handle, new_index)

    def _control_add(self, target: Any) -> None:
        self._do(raw.control_add, "control_add", target._handle)

    def _control_remove(self, target: Any) -> None:
        self._do(raw.control_remove, "control_remove", target._handle)

    def _move_before(self, anchor: Any) -> None:
        self._do(raw.node_move_before, "node_move_before", 0 if anchor is None else anchor._handle)

    def _remove(self, flags: int) -> None:
        self._do(raw.node_remove, "node_remove", flags)

    def _do(self, slot: Callable[..., int], name: str, *arguments: int) -> None:
        self._home()
        status = slot(self._handle, *arguments, buffers.b.p_error)
        if status:
            fail(status, name, self)

    def _value_name(self, index: int) -> str:
        self._home()
        b = buffers.b
        status = raw.value_name(self._handle, index, b.p0, b.p1, b.p_error)
        if status:
            fail(status, "value_name", self)
        return text_at(b.out[0], b.out[1])

    def _set_value_name(self, index: int, name: str) -> None:
        data = _text(name)
        self._home()
        status = raw.value_set_name(self._handle, index, data, len(data), buffers.b.p_error)
        if status:
            fail(status, "value_set_name", self)

    def _desc_find(self, scope: int, index: int) -> Any:
        self._home()
        return values.desc_find(self, scope, index)

    def _desc_set(self, scope: int, index: int, desc: Sequence[Any]) -> None:
        self._home()
        values.desc_set(self, scope, index, desc)


def _index(index: Any) -> int:
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise TypeError(f"index must be int, found {type(index).__name__}: {index!r}")
    if not 0 <= index < 2**32:
        raise out_of_range(index)
    return int(index)
