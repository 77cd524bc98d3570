"""Damaged text: an error or a graph, never a crash, never something left behind."""

from __future__ import annotations

import random

import pytest
import text_support as ts
from test_text_golden import CONTROL_FLOW, MLP
from text_support import abi, call

SAMPLE = CONTROL_FLOW + "\n"
VALUES = r"""graph @"v\x00\u{202e}" (%x: float32[N=4, ?]@NCHW origin([1]@3) as ~_0 {index2 = 1}) {
  opset com.microsoft 1
  attr a = [true, false]
  attr b = [[1, 2], []]
  attr c = []: [int]
}
"""
ALL = [
    SAMPLE,
    MLP,
    VALUES,
    """graph { %w = float32[2, 2]([1.0, -inf], [nan, nan(0x7fc00001)]) {k = ref(a: [int])}
  %s = string[2]("a", "b") %c = complex64[1]((1, 2)) %f = int4[9](fill 1) %h = int8[2](hex"0102")
  %y: (float32[*] as "q", type "seq(x)") = com.x::Op@3(%w: float32, _: ?[2], %s[0], int8(1)) {
    i = 1, f = 0.5f, s = "s", b = b"bytes", h = hex"00ff", n = none, t = float32, d = dtype(3), u = type "t",
    in[0].x = 1, out[1].y = [type "a"], l = [float32, int8], e = []: string} after %w
  return %y[1] }""",
]


def attempt(text):
    """True if the text is a graph; what was printed of it must then read back."""
    try:
        graph = ts.parse(text)
    except abi.AbiError as error:
        assert error.status == abi.GeStatus.PARSE_ERROR
        assert "^" in error.message
        return False
    try:
        ts.again(graph)
    finally:
        call.graph_release(graph)
    return True


@pytest.mark.parametrize("text", ALL, ids=range(len(ALL)))
def test_cut_at_every_byte(text):
    data = text.rstrip().encode()
    assert attempt(data)
    before = ts.live()
    for end in range(len(data)):
        assert not attempt(data[:end])
    assert ts.live() == before


@pytest.mark.parametrize("seed", range(4))
def test_changed_bytes(seed):
    chance = random.Random(seed)
    for _ in range(1500):
        data = bytearray(chance.choice(ALL).encode())
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.choice([chance.randrange(256), *b'{}()[],:=%@"#_^~.0- '])
        attempt(bytes(data))


@pytest.mark.parametrize("seed", range(4))
def test_moved_pieces(seed):
    chance = random.Random(100 + seed)
    for _ in range(800):
        data = chance.choice(ALL).encode()
        a, b = sorted(chance.randrange(len(data)) for _ in range(2))
        other = chance.choice(ALL).encode()
        c, d = sorted(chance.randrange(len(other)) for _ in range(2))
        attempt(data[:a] + other[c:d] + data[b:])
