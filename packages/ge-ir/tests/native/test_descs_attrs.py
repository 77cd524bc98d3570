"""Descriptors and attributes."""

from __future__ import annotations

import ctypes
import struct

import pytest
from ge.graph import _abi
from ge.graph._abi import GeStatus, ge_ir_attr, ge_ir_desc
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_harness import INPUT, OUTPUT, SELF, Ir, data_pointer, i64s, u32s, u64s

UNSET = (28, 2, 2, 0, 0, [], None, [], None)


def test_a_new_output_is_undefined(ir: Ir) -> None:
    node = ir.node(ir.graph(), "a", [None])
    assert ir.read_desc(node, OUTPUT, 0) == UNSET
    assert ir.read_desc(node, INPUT, 0) is None
    with ir.fails(GeStatus.NOT_FOUND, "input 0", "'a'", "absent"):
        ir.call.desc_get(node, INPUT, 0)


def test_desc_round_trip(ir: Ir) -> None:
    graph = ir.graph()
    node = ir.node(graph, "a")
    batch = ir.call.symbol_intern("batch")
    desc = ir.desc(
        27,
        [-1, 3, 0],
        format=29,
        origin_format=-1,
        dim_symbols=u32s([batch, 0, 0]),
        origin_rank_kind=1,
        origin_dims=i64s([7]),
        origin_dim_count=1,
        type_text=_abi.bytes_pointer(b"seq(tensor(float))"),
        type_text_size=18,
    )
    ir.call.desc_set(node, OUTPUT, 0, desc)
    wanted = (27, 29, -1, 1, 1, [-1, 3, 0], [batch, 0, 0], [7], b"seq(tensor(float))")
    assert ir.read_desc(node, OUTPUT, 0) == wanted
    version = ir.call.graph_version(graph)
    ir.call.desc_set(node, OUTPUT, 0, desc)
    assert ir.call.graph_version(graph) == version
    reader = ir.node(graph, "b", [node])
    assert ir.read_desc(reader, INPUT, 0) == wanted
    ir.call.desc_set(reader, INPUT, 0, ge_ir_desc(dtype=3, rank_kind=2))
    assert ir.read_desc(reader, INPUT, 0) == (3, 0, 0, 2, 0, [], None, [], None)
    assert ir.read_desc(node, OUTPUT, 0) == wanted


@pytest.mark.parametrize(
    ("desc", "status", "part"),
    [
        (ge_ir_desc(dtype=5), GeStatus.INVALID_ARGUMENT, "desc.dtype is 5"),
        (ge_ir_desc(dtype=-1), GeStatus.INVALID_ARGUMENT, "desc.dtype is -1"),
        (ge_ir_desc(rank_kind=3), GeStatus.INVALID_ARGUMENT, "desc.dims is 3"),
        (ge_ir_desc(rank_kind=0, dim_count=2), GeStatus.INVALID_ARGUMENT, "has 2 dimensions although"),
        (ge_ir_desc(rank_kind=1, dim_count=2), GeStatus.INVALID_ARGUMENT, "desc.dims is null"),
        (ge_ir_desc(rank_kind=1, dim_count=1025), GeStatus.OUT_OF_RANGE, "1025 dimensions"),
        (ge_ir_desc(rank_kind=1, dim_count=1, dims=i64s([-2])), GeStatus.INVALID_ARGUMENT, "is -2"),
        (ge_ir_desc(origin_rank_kind=1, origin_dim_count=1), GeStatus.INVALID_ARGUMENT, "desc.origin_dims is null"),
        (ge_ir_desc(type_text_size=3), GeStatus.INVALID_ARGUMENT, "desc.type_text is null"),
        (
            ge_ir_desc(rank_kind=1, dim_count=1, dims=i64s([-1]), dim_symbols=u32s([4_000_000_000])),
            GeStatus.OUT_OF_RANGE,
            "4000000000",
        ),
    ],
)
def test_bad_descs_are_refused(ir: Ir, desc: ge_ir_desc, status: GeStatus, part: str) -> None:
    node = ir.node(ir.graph(), "a")
    with ir.fails(status, part):
        ir.call.desc_set(node, OUTPUT, 0, desc)
    assert ir.read_desc(node, OUTPUT, 0) == UNSET


def test_places_are_checked(ir: Ir) -> None:
    graph = ir.graph()
    node = ir.node(graph, "a", [None])
    with ir.fails(GeStatus.INVALID_ARGUMENT, "SELF"):
        ir.call.desc_get(node, SELF, 0)
    with ir.fails(GeStatus.OUT_OF_RANGE, "output 1"):
        ir.call.desc_get(node, OUTPUT, 1)
    with ir.fails(GeStatus.OUT_OF_RANGE, "input 1"):
        ir.call.desc_set(node, INPUT, 1, ge_ir_desc())
    with ir.fails(GeStatus.INVALID_ARGUMENT, "scope is 3"):
        ir.call.attr_keys(node, 3, 0)
    with ir.fails(GeStatus.OUT_OF_RANGE, "index is 1", "SELF"):
        ir.call.attr_keys(node, SELF, 1)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "OUTPUT needs a node", "'g'"):
        ir.call.attr_keys(graph, OUTPUT, 0)
    with ir.fails(GeStatus.WRONG_TYPE, "TENSOR", "GRAPH or NODE"):
        ir.call.attr_keys(ir.tensor(b"1234", [1]), SELF, 0)


def raw_list(kind: int, data: bytes, count: int) -> ge_ir_attr:
    return ge_ir_attr(kind=kind, data=data_pointer(data), count=count)


def joined(kind: int, data: bytes, offsets: list[int]) -> ge_ir_attr:
    return ge_ir_attr(kind=kind, data=data_pointer(data), offsets=u64s(offsets), count=len(offsets) - 1)


VALUES = {
    "none": (ge_ir_attr(kind=0, i=9), (0, 0, 0.0, b"", [])),
    "int": (ge_ir_attr(kind=1, i=-(2**63)), (1, -(2**63), 0.0, b"", [])),
    "float": (ge_ir_attr(kind=2, f=0.1), (2, 0, 0.1, b"", [])),
    "string": (raw_list(3, b"a\0\xff", 3), (3, 0, 0.0, b"a\0\xff", [])),
    "empty string": (ge_ir_attr(kind=3), (3, 0, 0.0, b"", [])),
    "bool": (ge_ir_attr(kind=4, i=1), (4, 1, 0.0, b"", [])),
    "dtype": (ge_ir_attr(kind=5, i=102), (5, 102, 0.0, b"", [])),
    "bytes": (raw_list(7, b"12", 2), (7, 0, 0.0, b"12", [])),
    "type": (raw_list(8, b"seq(x)", 6), (8, 0, 0.0, b"seq(x)", [])),
    "reference": (ge_ir_attr(kind=9, i=16, data=data_pointer(b"axes"), count=4), (9, 16, 0.0, b"axes", [])),
    "float32": (ge_ir_attr(kind=10, f=0.5), (10, 0, 0.5, b"", [])),
    "ints": (raw_list(16, struct.pack("2q", 1, -2), 2), (16, 0, 0.0, struct.pack("2q", 1, -2), [])),
    "floats": (raw_list(17, struct.pack("2d", 1, 0.1), 2), (17, 0, 0.0, struct.pack("2d", 1, 0.1), [])),
    "strings": (joined(18, b"abc", [0, 1, 1, 3]), (18, 0, 0.0, b"abc", [0, 1, 1, 3])),
    "bools": (raw_list(19, b"\0\1", 2), (19, 0, 0.0, b"\0\1", [])),
    "dtypes": (raw_list(20, struct.pack("2i", 0, 102), 2), (20, 0, 0.0, struct.pack("2i", 0, 102), [])),
    "types": (joined(22, b"ab", [0, 2]), (22, 0, 0.0, b"ab", [0, 2])),
    "int lists": (joined(23, struct.pack("2q", 5, 6), [0, 0, 2]), (23, 0, 0.0, struct.pack("2q", 5, 6), [0, 0, 2])),
    "float32s": (raw_list(24, struct.pack("1d", 0.25), 1), (24, 0, 0.0, struct.pack("1d", 0.25), [])),
    "empty list": (ge_ir_attr(kind=16), (16, 0, 0.0, b"", [])),
    "no strings": (joined(18, b"", [0]), (18, 0, 0.0, b"", [0])),
}


@pytest.mark.parametrize("name", list(VALUES))
def test_attr_round_trip(ir: Ir, name: str) -> None:
    spec, wanted = VALUES[name]
    graph = ir.graph()
    owners = [(graph, SELF), (ir.node(graph, "a", [None]), SELF)]
    owners += [(owners[1][0], OUTPUT), (owners[1][0], INPUT)]
    for owner, scope in owners:
        ir.set_attr(owner, name, spec, scope)
        assert ir.attr(owner, name, scope) == wanted
        version = ir.call.graph_version(graph)
        ir.set_attr(owner, name, spec, scope)
        assert ir.call.graph_version(graph) == version
        ir.call.attr_remove(owner, scope, 0, name)
        assert ir.call.attr_keys(owner, scope, 0) == []


@pytest.mark.parametrize(
    ("spec", "status", "part"),
    [
        (ge_ir_attr(kind=11), GeStatus.INVALID_ARGUMENT, "attr.kind is 11"),
        (ge_ir_attr(kind=0xFFFFFFFF), GeStatus.INVALID_ARGUMENT, "attr.kind is 4294967295"),
        (ge_ir_attr(kind=4, i=2), GeStatus.INVALID_ARGUMENT, "the value is 2"),
        (ge_ir_attr(kind=5, i=5), GeStatus.INVALID_ARGUMENT, "5 is no value"),
        (ge_ir_attr(kind=9, i=99), GeStatus.INVALID_ARGUMENT, "is 99"),
        (ge_ir_attr(kind=10, f=0.1), GeStatus.INVALID_ARGUMENT, "not exactly representable"),
        (ge_ir_attr(kind=6, i=0), GeStatus.WRONG_TYPE, "NONE; expected TENSOR"),
        (ge_ir_attr(kind=6, i=(3 << 56) | 1), GeStatus.STALE_HANDLE, "is gone"),
        (ge_ir_attr(kind=3, count=4), GeStatus.INVALID_ARGUMENT, "data is null but the count is 4"),
        (ge_ir_attr(kind=16, count=2**62), GeStatus.OUT_OF_RANGE, "more than memory"),
        (ge_ir_attr(kind=18, count=0), GeStatus.INVALID_ARGUMENT, "offsets is null"),
        (joined(18, b"abc", [1, 3]), GeStatus.INVALID_ARGUMENT, "offsets[0] is 1"),
        (joined(18, b"abc", [0, 2, 1]), GeStatus.INVALID_ARGUMENT, "offsets[2] is 1, below offsets[1] = 2"),
        (joined(23, b"", [0, 2**61]), GeStatus.OUT_OF_RANGE, "more than memory"),
        (raw_list(19, b"\2", 1), GeStatus.INVALID_ARGUMENT, "the value is 2"),
        (raw_list(20, struct.pack("i", 77), 1), GeStatus.INVALID_ARGUMENT, "77"),
        (raw_list(21, struct.pack("Q", 5), 1), GeStatus.STALE_HANDLE, "no live tensor"),
        (raw_list(24, struct.pack("d", 0.1), 1), GeStatus.INVALID_ARGUMENT, "float32"),
    ],
)
def test_bad_attrs_are_refused(ir: Ir, spec: ge_ir_attr, status: GeStatus, part: str) -> None:
    node = ir.node(ir.graph(), "a")
    with ir.fails(status, part):
        ir.set_attr(node, "key", spec)
    assert ir.call.attr_keys(node, SELF, 0) == []


def test_missing_attrs_name_key_and_owner(ir: Ir) -> None:
    graph = ir.graph("main")
    node = ir.node(graph, "a")
    for read in (ir.call.attr_get, ir.call.attr_remove):
        with ir.fails(GeStatus.NOT_FOUND, "'axis'", "'a'", "'main'"):
            read(node, SELF, 0, "axis")
        with ir.fails(GeStatus.NOT_FOUND, "'axis'", "graph 'main'"):
            read(graph, SELF, 0, "axis")
    with ir.fails(GeStatus.INVALID_ARGUMENT, "empty"):
        ir.set_int(node, "", 1)
    symbols = ir.call.library_stats().symbols
    with ir.fails(GeStatus.NOT_FOUND):
        ir.call.attr_get(node, SELF, 0, "a key that nobody ever used")
    assert ir.call.library_stats().symbols == symbols


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=200))
def test_attrs_behave_like_a_dict(steps: list[tuple[int, bool]]) -> None:
    ir = Ir()
    graph = ir.graph()
    model: dict[str, int] = {}
    for i, (key, remove) in enumerate(steps):
        name = f"key {key}"
        if remove and name in model:
            ir.call.attr_remove(graph, SELF, 0, name)
            del model[name]
        else:
            ir.set_int(graph, name, i)
            model[name] = i
    assert [(key, i) for key, _kind, i, *_rest in ir.attrs(graph)] == list(model.items())
    ir.release_all()


def test_tensor_attrs_hold_references(ir: Ir) -> None:
    graph = ir.graph()
    node = ir.node(graph, "c")
    one, two = ir.tensor(b"1234", [1]), ir.tensor(b"5678", [1])
    ir.set_attr(node, "one", ge_ir_attr(kind=6, i=one))
    ir.set_attr(node, "both", raw_list(21, struct.pack("2Q", one, two), 2))
    assert ir.call.tensor_info(one).reference_count == 3
    with ir.fails(GeStatus.STALE_HANDLE):
        ir.set_attr(node, "bad", raw_list(21, struct.pack("3Q", one, two, 77), 3))
    assert ir.call.tensor_info(one).reference_count == 3
    ir.call.tensor_release(one)
    assert ir.attr(node, "one")[1] == one
    ir.call.transaction_begin(graph)
    ir.call.attr_remove(node, SELF, 0, "both")
    ir.set_int(node, "one", 1)
    assert ir.call.tensor_info(one).reference_count == 2
    ir.call.transaction_rollback(graph)
    ir.call.attr_remove(node, SELF, 0, "both")
    assert ir.call.tensor_info(two).reference_count == 1
    ir.call.graph_release(graph)
    with ir.fails(GeStatus.STALE_HANDLE):
        ir.call.tensor_info(one)


def test_structs_of_other_sizes(ir: Ir) -> None:
    """Smaller than the first minor is refused; larger must be zero behind what is known, and is zeroed on results."""
    node = ir.node(ir.graph(), "a")
    size = ctypes.sizeof(ge_ir_attr)
    block = (ctypes.c_uint8 * (size + 16))(*[0xA5] * (size + 16))
    spec = ge_ir_attr.from_buffer(block)
    spec.kind, spec.i, spec.struct_size = 1, 5, size
    assert ir.raw.attr_set(node, 0, 0, b"k", 1, ctypes.byref(spec), None) == 0
    spec.struct_size = size + 16
    assert ir.raw.attr_set(node, 0, 0, b"k", 1, ctypes.byref(spec), None) == GeStatus.INVALID_ARGUMENT
    assert ir.raw.attr_get(node, 0, 0, b"k", 1, ctypes.byref(spec), None) == 0
    assert (spec.i, spec.struct_size) == (5, size + 16)
    assert bytes(block[size:]) == bytes(16)
    spec.struct_size = size - 1
    assert ir.raw.attr_get(node, 0, 0, b"k", 1, ctypes.byref(spec), None) == GeStatus.INVALID_ARGUMENT
