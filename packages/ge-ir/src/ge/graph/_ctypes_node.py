"""`NodeBase` over ctypes. The reads that a pass makes for every node are the shortest path there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import c_int32
from typing import Any

from ge.graph import _ctypes_values as values
from ge.graph._ctypes_native import BUFFER_TOO_SMALL, buffers, expired, fail, out_of_range, quick, raw, text_at
from ge.graph._ctypes_owner import OwnerBase, encoded, read_handles, wrap_graph, wrap_node
from ge.graph._ctypes_symbols import symbol, symbol_text, texts

__all__ = ["NodeBase"]

_node_name = quick("node_name")
_node_op = quick("node_op")
_node_arity = quick("node_arity")
_node_input = quick("node_input")
_node_inputs = quick("node_inputs")
_node_graph = quick("node_graph")
_node_is_live = quick("node_is_live")
_use_count = quick("value_use_count")
_value_uses = quick("value_uses")


class NodeBase(OwnerBase):
    """Primitive face of a node."""

    __slots__ = ()

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        return wrap_node(handle, owner)

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
        data = encoded(name)
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
        return wrap_graph(b.out[0], home)

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
        if status == BUFFER_TOO_SMALL:
            b.grow(b.out[0])
            status = slot(self._handle, *before, b.handles, b.room, b.p0, b.numbers, b.room, b.p0, b.p_error)
        if status:
            fail(status, name, self)
        count = b.out[0]
        pairs = zip(b.handles[:count], b.numbers[:count])
        return [(wrap_node(handle, home), number) if handle else None for handle, number in pairs]

    @property
    def control_inputs(self) -> list[Any]:
        """Sources of incoming control edges."""
        home = self._home()
        return [wrap_node(handle, home) for handle in read_handles(raw.control_inputs, "control_inputs", self)]

    @property
    def control_outputs(self) -> list[Any]:
        """Targets of outgoing control edges."""
        home = self._home()
        return [wrap_node(handle, home) for handle in read_handles(raw.control_outputs, "control_outputs", self)]

    def input(self, index: int) -> tuple[Any, int] | None:
        """One input; ``None`` if it is absent."""
        home = self._home()
        b = buffers.b
        status = _node_input(self._handle, _index(index), b.p0, b.s0, b.p_error)
        if status:
            fail(status, "node_input", self)
        handle = b.out[0]
        return (wrap_node(handle, home), b.small[0]) if handle else None

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
        data = encoded(name)
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
