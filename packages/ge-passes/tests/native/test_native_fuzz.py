"""Every slot with dead, foreign, random and live arguments: a status always, never a crash, nothing left behind."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest
from ge.passes import _abi
from ge.passes._abi import GeStatus
from passes_harness import DEAD, FUSION_BASE, Passes

SKIPPED = {"library_shutdown", "bind_ir"}  # the first ends the use of the process; the second calls what it is given
ALLOWED = {int(status) for status in GeStatus} - {GeStatus.INTERNAL, GeStatus.UNIMPLEMENTED}
GRAPH = """@g (%c, %x) {
  %a = Relu(%x) %b: (?, ?) = Pair(%a, _) %i = If(%c) then_branch: @t { %n = Relu(%a) return %n } return %i, %b[1]
}"""
PATTERN = "@p (%x) { %y = Relu(%x) return %y }"
WANTED = {"pass": 5, "pattern": 6, "match": 7, "context": 8, "executor": 9, "find": 6, "rewrite": 1}


class Caller:
    """Builds arguments for a slot from its ctypes signature: the values are wild, the memory behind them is real."""

    def __init__(self, passes: Passes, chance: random.Random) -> None:
        self.passes, self.chance = passes, chance
        self.handles: list[int] = list(DEAD)
        self.keep: list[Any] = []
        self.counts: dict[int, int] = {}
        self.visit = _abi.ge_passes_match_fn(self.on_match)
        self.wanted = 0
        self.depth = 0

    def on_match(self, _user: Any, match: int, _stop: Any, _error: Any) -> int:
        """A match is live only now: use it and others."""
        if self.depth < 2:
            self.depth += 1
            self.handles.append(match)
            for _ in range(3):
                self.step()
            self.depth -= 1
        return 0

    def handle(self) -> int:
        kind = self.chance.random()
        if kind < 0.05:
            return self.chance.getrandbits(64)
        if kind < 0.15:
            return self.chance.choice(self.handles) ^ (1 << self.chance.choice([0, 1, 4, 8, 32, 33, 55, 56, 57]))
        if kind < 0.8:
            return self.chance.choice([h for h in self.handles[-200:] if h >> 56 == self.wanted] or DEAD)
        return self.chance.choice(self.handles[-200:] + DEAD)

    def number(self) -> int:
        return (
            self.chance.choice([0, 1, 2, 3, 0xFFFFFFFF, 0x80000000])
            if self.chance.random() < 0.95
            else self.chance.getrandbits(32)
        )

    def struct(self, kind: Any) -> Any:
        if kind is _abi.ge_passes_boundary:
            count = self.chance.randrange(4)
            nodes = (ctypes.c_uint64 * 4)(
                *[self.chance.choice([h for h in self.handles if h >> 56 == 2] or DEAD) for _ in range(4)]
            )
            numbers = (ctypes.c_uint32 * 4)(*[self.chance.randrange(3) for _ in range(4)])
            value = kind(
                input_nodes=nodes,
                input_slots=numbers,
                input_groups=numbers,
                input_count=count,
                output_nodes=nodes,
                output_indices=numbers,
                output_count=self.chance.randrange(3),
            )
        elif kind is _abi.ge_passes_callbacks:
            value = self.chance.choice([kind(), self.passes.keep[0]])
            value = kind.from_buffer_copy(value)
            self.passes.keep.append(value)
        elif kind is _abi.ge_passes_stat:
            value = kind()
        else:
            name = f"fuzz{self.chance.randrange(1000)}"
            value = self.passes.desc(
                name,
                self.chance.randrange(5),
                self.chance.randrange(6),
                ["Relu"] * self.chance.randrange(2),
                self.chance.randrange(3),
            )
            self.passes.keep.append(value)
        if self.chance.random() < 0.05:
            value.struct_size = self.chance.randrange(ctypes.sizeof(kind) + 1)
        return value

    def argument(self, kind: Any, before: list[Any]) -> Any:
        previous = before[-1] if before else 0
        if kind is ctypes.c_char_p:
            return self.chance.choice([b"", b"a", b"passes", b"max_rewrites", b"\xff\0", None])
        if kind is ctypes.c_uint64:
            if previous is None:
                return 0
            if isinstance(previous, (bytes, ctypes.Array)):
                return len(previous) if isinstance(previous, bytes) else self.chance.randrange(len(previous) + 1)
            return self.handle()
        if kind in (ctypes.c_uint32, ctypes.c_int32):
            return self.number()
        if kind is ctypes.c_void_p:
            memory = (ctypes.c_uint64 * 64)()
            self.keep.append(memory)
            return memory if self.chance.random() < 0.97 else None
        if isinstance(kind, type) and issubclass(kind, ctypes._CFuncPtr):  # type: ignore[attr-defined]
            return self.visit if self.chance.random() < 0.95 else kind()
        return self.struct(kind._type_) if self.chance.random() < 0.97 else None

    def arguments(self, name: str) -> list[Any]:
        out: list[Any] = []
        for kind in getattr(self.passes.raw, name).argtypes[:-1]:
            out.append(self.argument(kind, out))
        return out

    def step(self) -> None:
        name = self.chance.choice([name for name in _abi.Raw.__slots__ if name not in SKIPPED])
        self.wanted = WANTED.get(name.split("_")[0], 0)
        arguments = self.arguments(name)
        if name == "pattern_create":
            self.wanted = 1
            arguments[0] = self.handle()
        error = _abi.new_error()
        status = getattr(self.passes.raw, name)(*convert(arguments), ctypes.addressof(error))
        assert status in ALLOWED, (name, status, _abi.error_text(error))
        self.counts[status] = self.counts.get(status, 0) + 1
        if status == 0:
            for value in arguments:
                if isinstance(value, ctypes.Array) and value[0] >> 56 in range(1, 10):
                    self.handles.append(value[0])

    def refresh(self) -> None:
        graph = self.passes.graph(GRAPH)
        self.handles += [graph, *self.passes.ir.graph_nodes(graph, 0), self.passes.loose(PATTERN)]


def convert(values: list[Any]) -> list[Any]:
    return [
        ctypes.addressof(v)
        if isinstance(v, ctypes.Array)
        else ctypes.byref(v)
        if isinstance(v, ctypes.Structure)
        else v
        for v in values
    ]


@pytest.mark.parametrize("seed", range(4))
def test_wild_calls(passes: Passes, seed: int) -> None:
    passes.register("whole", kind=FUSION_BASE)
    caller = Caller(passes, random.Random(seed))
    for step in range(2500):
        if step % 50 == 0:
            caller.refresh()
        caller.step()
    for handle in caller.handles:
        passes.raw.executor_release(handle, None)
    for handle in passes.call.pass_list():
        passes.call.pass_unregister(handle)
    for handle in caller.handles:
        passes.raw.pattern_release(handle, None)
        passes.ir_api.raw.graph_release(handle, None)
    assert caller.counts[0] > 250 and len(caller.counts) >= 7, caller.counts


FIRST = [
    n
    for n in _abi.Raw.__slots__
    if n
    not in SKIPPED
    | {"library_version", "pass_register", "pass_list", "pass_find", "executor_create", "rewrite_replace"}
]


@pytest.mark.parametrize("name", FIRST)
def test_dead_handles_in_every_slot(passes: Passes, name: str) -> None:
    passes.register("whole", kind=FUSION_BASE)
    function = getattr(passes.raw, name)
    assert function.argtypes[0] is ctypes.c_uint64
    expected = {GeStatus.WRONG_TYPE, GeStatus.STALE_HANDLE, GeStatus.INVALID_ARGUMENT, GeStatus.EXPIRED}
    for dead in DEAD:
        caller = Caller(passes, random.Random(1))
        arguments = caller.arguments(name)
        arguments[0] = dead
        assert function(*convert(arguments), None) in expected, hex(dead)
