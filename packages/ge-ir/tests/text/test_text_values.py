"""Attributes and constants: every kind and type comes back bit for bit."""

from __future__ import annotations

import ctypes
import math
import struct

import pytest
import text_support as ts
from hypothesis import given, settings
from hypothesis import strategies as st
from text_support import Dtype, Kind, call

FLOAT32S = st.floats(width=32)
TEXTS = st.binary(max_size=12)

VALUES = st.one_of(
    st.tuples(st.just(Kind.NONE), st.none()),
    st.tuples(st.just(Kind.INT), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(Kind.FLOAT), st.floats()),
    st.tuples(st.just(Kind.FLOAT32), FLOAT32S),
    st.tuples(st.just(Kind.STRING), TEXTS),
    st.tuples(st.just(Kind.BYTES), TEXTS),
    st.tuples(st.just(Kind.TYPE), TEXTS),
    st.tuples(st.just(Kind.BOOL), st.sampled_from([0, 1])),
    st.tuples(st.just(Kind.DTYPE), st.sampled_from([int(d) for d in Dtype])),
    st.tuples(st.just(Kind.REFERENCE), st.tuples(TEXTS, st.sampled_from([int(k) for k in Kind]))),
    st.tuples(st.just(Kind.LIST_INT), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4)),
    st.tuples(st.just(Kind.LIST_FLOAT), st.lists(st.floats(), max_size=4)),
    st.tuples(st.just(Kind.LIST_FLOAT32), st.lists(FLOAT32S, max_size=4)),
    st.tuples(st.just(Kind.LIST_STRING), st.lists(TEXTS, max_size=4)),
    st.tuples(st.just(Kind.LIST_TYPE), st.lists(TEXTS, max_size=4)),
    st.tuples(st.just(Kind.LIST_BOOL), st.lists(st.sampled_from([0, 1]), max_size=4)),
    st.tuples(st.just(Kind.LIST_DTYPE), st.lists(st.sampled_from([int(d) for d in Dtype]), max_size=4)),
    st.tuples(st.just(Kind.LIST_LIST_INT), st.lists(st.lists(st.integers(-9, 9), max_size=3), max_size=4)),
)


def attribute_bytes(owner, key):
    """Everything that an attribute holds, tensors apart."""
    attr = call.attr_get(owner, 0, 0, key)
    widths = {Kind.LIST_INT: 8, Kind.LIST_FLOAT: 8, Kind.LIST_FLOAT32: 8, Kind.LIST_BOOL: 1, Kind.LIST_DTYPE: 4}
    ends = [attr.offsets[i] for i in range(attr.count + 1)] if attr.offsets else []
    if attr.kind == Kind.LIST_LIST_INT:
        size = 8 * ends[-1]
    elif ends:
        size = ends[-1]
    else:
        size = attr.count * widths.get(attr.kind, 1)
    data = ctypes.string_at(attr.data, size) if size else b""
    return attr.kind, attr.i, struct.pack("<d", attr.f), data, ends, attr.count


@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_every_attribute_comes_back(value):
    kind, content = value
    graph = call.graph_create("g")
    node = ts.make_node(graph, "Op", name=b"n")
    ts.set_attr(node, "k", kind, content)
    copy = ts.parse(ts.again(graph))
    assert attribute_bytes(call.graph_find_node(copy, "n"), "k") == attribute_bytes(node, "k")
    call.graph_release(copy)
    call.graph_release(graph)


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("0.1", Kind.FLOAT, 0.1),
        ("0.1f", Kind.FLOAT32, 0.10000000149011612),
        ("1f", Kind.FLOAT32, 1.0),
        ("-0.0", Kind.FLOAT, -0.0),
        ("1e300", Kind.FLOAT, 1e300),
        ("5e-324", Kind.FLOAT, 5e-324),
        ("-inf", Kind.FLOAT, -math.inf),
        ("inff", Kind.FLOAT32, math.inf),
        ("16777217.0f", Kind.FLOAT32, 16777216.0),
    ],
)
def test_floats(written, kind, value):
    graph = ts.parse(f"graph {{ attr k = {written} }}")
    attr = call.attr_get(graph, 0, 0, "k")
    assert (attr.kind, struct.pack("<d", attr.f)) == (kind, struct.pack("<d", value))
    call.graph_release(graph)


@pytest.mark.parametrize("bits", [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001, 0xFFFFFFFFFFFFFFFF])
def test_nan_payloads(graph, bits):
    ts.set_attr(graph, "k", Kind.FLOAT, struct.unpack("<d", struct.pack("<Q", bits))[0])
    copy = ts.parse(ts.again(graph))
    assert struct.pack("<d", call.attr_get(copy, 0, 0, "k").f) == struct.pack("<Q", bits)
    call.graph_release(copy)


def tensor_bytes(owner):
    info = call.tensor_info(call.attr_get(owner, 0, 0, "k").i)
    return info.dtype, [info.dims[i] for i in range(info.dim_count)], ctypes.string_at(info.data, info.size)


BITS = {1: [Dtype.UINT1], 2: [Dtype.INT2, Dtype.UINT2], 6: [Dtype.FLOAT6_E3M2, Dtype.FLOAT6_E2M3]}
BITS[4] = [Dtype.INT4, Dtype.UINT4, Dtype.FLOAT4_E2M1, Dtype.FLOAT4_E1M2, Dtype.HIFLOAT4]
BITS[8] = [Dtype.INT8, Dtype.UINT8, Dtype.BOOL, Dtype.QINT8, Dtype.QUINT8, Dtype.HIFLOAT8, Dtype.FLOAT8_E5M2]
BITS[8] += [Dtype.FLOAT8_E4M3FN, Dtype.FLOAT8_E8M0, Dtype.FLOAT8_E4M3FNUZ, Dtype.FLOAT8_E5M2FNUZ]
BITS[16] = [Dtype.FLOAT16, Dtype.BF16, Dtype.INT16, Dtype.UINT16]
BITS[32] = [Dtype.FLOAT, Dtype.INT32, Dtype.UINT32, Dtype.QINT32, Dtype.COMPLEX32]
BITS[64] = [Dtype.DOUBLE, Dtype.INT64, Dtype.UINT64, Dtype.COMPLEX64]
BITS[128] = [Dtype.COMPLEX128]
TYPES = [(dtype, bits) for bits, dtypes in sorted(BITS.items()) for dtype in dtypes]


@pytest.mark.parametrize(("dtype", "bits"), TYPES, ids=[d.name for d, _ in TYPES])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_constants_come_back_bit_for_bit(dtype, bits, data):
    dims = data.draw(st.lists(st.integers(0, 3), max_size=3))
    count = math.prod(dims)
    content = data.draw(st.binary(min_size=(count * bits + 7) // 8, max_size=(count * bits + 7) // 8))
    graph = call.graph_create("g")
    tensor = ts.make_tensor(dtype, dims, content)
    ts.set_attr(graph, "k", Kind.TENSOR, tensor)
    call.tensor_release(tensor)
    for flags in (0, ts.DATA):
        copy = ts.parse(ts.again(graph, flags))
        assert tensor_bytes(copy) == (dtype, dims, content)
        call.graph_release(copy)
    call.graph_release(graph)


@pytest.mark.parametrize("dtype", [Dtype.FLOAT16, Dtype.BF16], ids=["float16", "bfloat16"])
def test_every_pattern_of_the_16_bit_floats(graph, dtype):
    for start in range(0, 0x10000, 64):
        content = struct.pack("<64H", *range(start, start + 64))
        tensor = ts.make_tensor(dtype, [64], content)
        ts.set_attr(graph, "k", Kind.TENSOR, tensor)
        call.tensor_release(tensor)
        text = ts.text_of(graph)
        assert b"hex" not in text
        copy = ts.parse(text)
        assert tensor_bytes(copy)[2] == content
        call.graph_release(copy)


@pytest.mark.parametrize(
    ("constant", "content"),
    [
        ("float16[2](0.1, 65504)", struct.pack("<2e", 0.1, 65504)),
        ("bfloat16[2](1.00390625, 1.01171875)", bytes.fromhex("803f823f")),  # ties go to even
        ("float8_e4m3fn[3](448, -0.1, nan)", bytes.fromhex("7e9d7f")),
        ("float8_e4m3fnuz[2](-0.0, nan)", bytes.fromhex("0080")),
        ("int4[3](-8, 7, -1)", bytes([0x78, 0x0F])),
        ("float4_e2m1[2](6, -0.5)", bytes([0x97])),
        ("bool[2](true, false)", b"\1\0"),
        ("complex64[1]((1.5, -2))", struct.pack("<2f", 1.5, -2)),
        ("uint64[1](18446744073709551615)", b"\xff" * 8),
        ("int4[9](fill -1)", b"\xff" * 4 + b"\x0f"),
        ("float8_e8m0[2](1, 3)", bytes([127, 128])),
    ],
)
def test_numbers_to_bits(constant, content):
    graph = ts.parse(f"graph {{ attr k = {constant} }}")
    assert tensor_bytes(graph)[2] == content
    call.graph_release(graph)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=8), max_size=5))
def test_string_constants(parts):
    ends = [sum(map(len, parts[:i])) for i in range(len(parts) + 1)]
    graph = call.graph_create("g")
    tensor = ts.make_tensor(Dtype.STRING, [len(parts)], b"".join(parts), ends)
    ts.set_attr(graph, "k", Kind.TENSOR, tensor)
    ts.set_attr(graph, "l", Kind.LIST_TENSOR, [tensor, tensor])
    call.tensor_release(tensor)
    copy = ts.parse(ts.again(graph))
    assert tensor_bytes(copy) == (Dtype.STRING, [len(parts)], b"".join(parts))
    call.graph_release(copy)
    call.graph_release(graph)
