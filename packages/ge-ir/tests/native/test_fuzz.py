"""Every slot with dead, foreign, random and live arguments: a status always, never a crash, never a broken graph."""

from __future__ import annotations

import ctypes
import random

import pytest
from ge.graph import _abi
from ge.graph._abi import GeStatus
from ir_harness import DEAD, Ir, u64s

SKIPPED = {"library_shutdown"}  # ends the use of the process; test_graphs.py has it in one of its own
STATUSES = {int(status) for status in GeStatus} - {GeStatus.INTERNAL, GeStatus.UNIMPLEMENTED}

WANTED = {"graph": 1, "columns": 1, "transaction": 1, "tensor": 3, "blob": 4, "library": 0, "symbol": 0}
WANTED.update({"node": 2, "value": 2, "control": 2, "desc": 2})

RARELY = {"graph_release": 0.97, "node_remove": 0.8, "transaction_rollback": 0.8, "subgraph_attach": 0.5}


class Caller:
    """Builds arguments for a slot from its ctypes signature: the values are wild, the memory behind them is real."""

    def __init__(self, ir: Ir, chance: random.Random) -> None:
        self.ir, self.chance = ir, chance
        self.handles = list(DEAD)
        self.keep: list[object] = []
        self.counts: dict[int, int] = {}
        self.wanted = 0  # handle type that most arguments of the slot at hand have

    def handle(self) -> int:
        kind = self.chance.random()
        if kind < 0.05:
            return self.chance.getrandbits(64)
        if kind < 0.15:
            # A near miss: another generation, index or type of something real.
            return self.chance.choice(self.handles) ^ (1 << self.chance.choice([0, 1, 4, 8, 32, 33, 55, 56, 57]))
        if kind < 0.8:
            fitting = [h for h in self.handles[-300:] if h >> 56 == self.wanted]
            return self.chance.choice(fitting or DEAD)
        return self.chance.choice(self.handles[-300:] + DEAD)

    def number(self, bits: int) -> int:
        if self.chance.random() < 0.9:
            return self.chance.randrange(5)
        return self.chance.choice([0, 1, (1 << bits) - 1, 1 << (bits - 1), self.chance.getrandbits(bits)])

    def struct(self, kind: type) -> object:
        value = kind()
        for name, field in kind._fields_[1:]:  # type: ignore[attr-defined]
            self.fill(value, name, field)
        if self.chance.random() < 0.05:
            value.struct_size = self.chance.randrange(ctypes.sizeof(kind) + 1)
        for name in ("dim_count", "origin_dim_count", "input_count", "count", "size", "type_text_size", "name_size"):
            if hasattr(value, name):
                setattr(value, name, self.chance.randrange(4))
        if hasattr(value, "input_nodes") and value.input_count:
            value.input_nodes = u64s([self.handle() if self.chance.random() < 0.7 else 0 for _ in range(4)])
        if hasattr(value, "type_symbol") and self.chance.random() < 0.9:
            value.type_symbol = self.ir.call.symbol_intern(self.chance.choice(["A", "Data", "NetOutput"]))
        if hasattr(value, "kind") and value.kind == 21:
            value.data = ctypes.cast(u64s([self.handle() for _ in range(4)]), ctypes.c_void_p)
        return value

    def fill(self, value: object, name: str, field: type) -> None:
        if name in ("drop", "user", "before"):
            setattr(value, name, self.handle() if name == "before" else field())
        elif field in (ctypes.c_int32, ctypes.c_uint32):
            setattr(value, name, self.number(32 if field is ctypes.c_uint32 else 31))
        elif field in (ctypes.c_int64, ctypes.c_uint64):
            setattr(value, name, self.handle() if name == "i" and self.chance.random() < 0.3 else self.number(63))
        elif field is ctypes.c_double:
            setattr(value, name, self.chance.choice([0.0, 0.5, 0.1, float("nan"), float("inf")]))
        elif self.chance.random() < 0.85:
            memory = (ctypes.c_uint64 * 8)(*[self.chance.randrange(3) for _ in range(8)])
            self.keep.append(memory)
            setattr(value, name, ctypes.cast(memory, field))

    def text(self) -> bytes:
        return self.chance.choice([b"", b"a", b"body", b"a key of some length", b"\xff\0"])

    def arguments(self, name: str) -> list[object]:
        """One argument for each parameter of the C prototype; sizes fit the memory, or are smaller."""
        out: list[object] = []
        for kind in getattr(self.ir.raw, name).argtypes[:-1]:
            out.append(self.argument(kind, out))
        return out

    def argument(self, kind: type, before: list[object]) -> object:
        previous = before[-1] if before else 0
        if kind is ctypes.c_char_p:
            return self.text() if self.chance.random() < 0.97 else None
        if kind is ctypes.c_uint64:
            if previous is None:
                return 0
            if isinstance(previous, (bytes, ctypes.Array)):
                return len(previous) if isinstance(previous, bytes) else self.chance.randrange(len(previous) + 1)
            return self.handle() if self.chance.random() < 0.9 else self.number(64)
        if kind in (ctypes.c_uint32, ctypes.c_int32):
            return self.number(32)
        if kind is ctypes.c_void_p:
            memory = (ctypes.c_uint64 * 64)()
            self.keep.append(memory)
            return memory if self.chance.random() < 0.97 else None
        return self.struct(kind._type_) if self.chance.random() < 0.98 else None  # type: ignore[attr-defined]

    def step(self) -> None:
        names = [name for name in _abi.Raw.__slots__ if name not in SKIPPED]
        name = self.chance.choice(names)
        if self.chance.random() < RARELY.get(name, 0.0):
            return
        self.wanted = WANTED.get(name.split("_")[0], self.chance.randrange(1, 3))
        arguments = self.arguments(name)
        error = _abi.new_error()
        status = getattr(self.ir.raw, name)(*self.convert(arguments), ctypes.addressof(error))
        assert status in STATUSES, (name, status, _abi.error_text(error))
        assert (status == 0) or error.code == status
        self.counts[status] = self.counts.get(status, 0) + 1
        if status in (0, GeStatus.VERIFY_FAILED):
            for value in arguments:
                if isinstance(value, ctypes.Array) and value[0] >> 56 in (1, 2, 3, 4):
                    self.handles.append(value[0])
        self.keep.clear()

    def refresh(self) -> None:
        """Drops most dead handles and makes sure that there is something to work on."""
        live = ctypes.c_uint32()
        for handle in [h for h in self.handles if h >> 56 == 2]:
            self.ir.raw.node_is_live(handle, ctypes.byref(live), None)
            if not live.value and self.chance.random() < 0.9:
                self.handles.remove(handle)
        if sum(h >> 56 == 2 for h in self.handles) < 20:
            graph = self.ir.call.graph_create("fresh")
            self.handles += [graph, *(self.ir.node(graph, inputs=[None] * 2, outputs=2) for _ in range(10))]

    @staticmethod
    def convert(values: list[object]) -> list[object]:
        """Memory as an address, structs by reference."""
        return [
            ctypes.addressof(v)
            if isinstance(v, ctypes.Array)
            else ctypes.byref(v)
            if isinstance(v, ctypes.Structure)
            else v
            for v in values
        ]


def clean_up(ir: Ir, caller: Caller) -> None:
    for handle in caller.handles:
        for _ in range(64):
            if ir.raw.transaction_rollback(handle, None):
                break
    for handle in caller.handles:
        if handle >> 56 == 1 and not ir.raw.graph_version(handle, ctypes.byref(ctypes.c_uint64()), None):
            assert all(
                "cycle" in line or "NetOutput" in line or "index" in line for line in ir.verify(handle).splitlines()
            )
    for handle in caller.handles:
        ir.raw.graph_release(handle, None)
        ir.raw.blob_release(handle, None)
        while ir.raw.tensor_release(handle, None) == 0:
            pass


@pytest.mark.parametrize("seed", range(6))
def test_wild_calls(seed: int) -> None:
    ir = Ir()
    before = ir.live()
    caller = Caller(ir, random.Random(seed))
    for step in range(6000):
        if step % 100 == 0:
            caller.refresh()
        caller.step()
    clean_up(ir, caller)
    assert ir.live() == before
    # The calls must reach beyond the argument checks.
    assert caller.counts[0] > 500
    assert len(caller.counts) >= 10


NO_HANDLE_FIRST = {"library_version", "library_stats", "symbol_intern", "symbol_text", "graph_create", "graph_parse"}
NO_HANDLE_FIRST |= {"tensor_create", "tensor_map_file"}


@pytest.mark.parametrize("name", [n for n in _abi.Raw.__slots__ if n not in SKIPPED | NO_HANDLE_FIRST])
def test_dead_handles_in_every_slot(ir: Ir, name: str) -> None:
    function = getattr(ir.raw, name)
    assert function.argtypes[0] is ctypes.c_uint64
    for dead in DEAD:
        if name == "node_is_live":
            assert ir.call.node_is_live(dead) == 0
            continue
        caller = Caller(ir, random.Random(1))
        arguments = caller.arguments(name)
        arguments[0] = dead
        assert function(*caller.convert(arguments), None) in (
            GeStatus.WRONG_TYPE,
            GeStatus.STALE_HANDLE,
            GeStatus.INVALID_ARGUMENT,
        )
