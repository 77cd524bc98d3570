"""Constants: heap, borrowed, mapped, strings."""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path
from typing import Any, Sequence

import pytest
from ge.graph import _abi
from ge.graph._abi import GeStatus, ge_ir_tensor_spec
from ir_harness import FLOAT, INT4, INT32, STRING, Ir, data_pointer, i64s, u64s


def contents(ir: Ir, tensor: int) -> bytes:
    info = ir.call.tensor_info(tensor)
    return ctypes.string_at(info.data, info.size) if info.size else b""


def test_heap_tensor(ir: Ir) -> None:
    before = ir.call.library_stats().tensor_bytes
    tensor = ir.tensor(b"12345678", [2, 1], INT32, format=7)
    info = ir.call.tensor_info(tensor)
    assert (info.dtype, info.format, info.mapped, info.element_count, info.size) == (INT32, 7, 0, 2, 8)
    assert [info.dims[i] for i in range(info.dim_count)] == [2, 1]
    assert contents(ir, tensor) == b"12345678"
    assert ir.call.library_stats().tensor_bytes == before + 8


@pytest.mark.parametrize(
    ("dtype", "dims", "size"),
    [
        (FLOAT, [], 4),
        (FLOAT, [0, 2**62, 2**62], 0),
        (INT4, [3], 2),
        (INT4, [5, 1], 3),
        (30, [9], 2),  # UINT1
        (29, [2, 2], 2),
        (38, [3], 3),  # FLOAT6: 18 bits
        (17, [1], 16),  # COMPLEX128
        (27, [3], 6),  # BF16
        (35, [3], 3),
        (100, [1], 1),
    ],
)
def test_sizes_of_types(ir: Ir, dtype: int, dims: Sequence[int], size: int) -> None:
    tensor = ir.tensor(bytes(size), dims, dtype)
    assert ir.call.tensor_info(tensor).size == size
    with ir.fails(GeStatus.INVALID_ARGUMENT, f"expected {size} bytes", f"found {size + 1}"):
        ir.tensor(bytes(size + 1), dims, dtype)


@pytest.mark.parametrize(
    ("dtype", "dims", "status", "part"),
    [
        (5, [1], GeStatus.INVALID_ARGUMENT, "spec.dtype is 5"),
        (28, [1], GeStatus.INVALID_ARGUMENT, "UNDEFINED"),
        (FLOAT, [-1], GeStatus.INVALID_ARGUMENT, "dimension 0 of a constant is -1"),
        (FLOAT, [2**62, 2**62], GeStatus.OUT_OF_RANGE, "more elements"),
        (FLOAT, [2**62], GeStatus.OUT_OF_RANGE, "more bytes"),
        (FLOAT, [1] * 1025, GeStatus.OUT_OF_RANGE, "1025 dimensions"),
        (FLOAT, [2, 3], GeStatus.INVALID_ARGUMENT, "expected 24 bytes for shape [2,3] of FLOAT, found 4"),
    ],
)
def test_bad_tensors_are_refused(ir: Ir, dtype: int, dims: Sequence[int], status: GeStatus, part: str) -> None:
    with ir.fails(status, part):
        ir.tensor(b"1234", dims, dtype)


def test_flags_and_null_data_are_refused(ir: Ir) -> None:
    with ir.fails(GeStatus.INVALID_ARGUMENT, "spec.flags is 1"):
        ir.tensor(b"1234", [1], flags=1)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "spec.data is null"):
        ir.call.tensor_create(ge_ir_tensor_spec(dims=i64s([1]), dim_count=1, size=4))
    with ir.fails(GeStatus.INVALID_ARGUMENT, "offsets is for STRING"):
        ir.tensor(b"1234", [1], offsets=u64s([0]))


def test_strings(ir: Ir) -> None:
    tensor = ir.tensor(b"ab\0c", [3], STRING, offsets=u64s([0, 2, 2, 4]))
    info = ir.call.tensor_info(tensor)
    assert [info.offsets[i] for i in range(4)] == [0, 2, 2, 4]
    assert contents(ir, tensor) == b"ab\0c"
    for offsets, part in (
        ([1, 2, 2, 4], "offsets[0] is 1"),
        ([0, 2, 1, 4], "offsets[2] is 1"),
        ([0, 2, 2, 3], "the last of spec.offsets is 3, but spec.size is 4"),
    ):
        with ir.fails(GeStatus.INVALID_ARGUMENT, part):
            ir.tensor(b"ab\0c", [3], STRING, offsets=u64s(offsets))
    with ir.fails(GeStatus.INVALID_ARGUMENT, "spec.offsets is null"):
        ir.tensor(b"abcd", [1], STRING)


def test_references_are_counted(ir: Ir) -> None:
    tensor = ir.tensor(b"1234", [1])
    ir.call.tensor_retain(tensor)
    assert ir.call.tensor_info(tensor).reference_count == 2
    ir.call.tensor_release(tensor)
    ir.call.tensor_release(tensor)
    for call in (ir.call.tensor_release, ir.call.tensor_retain, ir.call.tensor_info):
        with ir.fails(GeStatus.STALE_HANDLE, "released"):
            call(tensor)
        with ir.fails(GeStatus.WRONG_TYPE, "expected TENSOR"):
            call(ir.graphs[0] if ir.graphs else ir.graph())


def test_borrowed_data_is_dropped_once_and_reentrantly(ir: Ir) -> None:
    data = ctypes.create_string_buffer(b"12345678", 8)
    dropped: list[int] = []

    @_abi.ge_ir_drop_fn
    def drop(user: Any) -> None:
        dropped.append(user)
        other = ir.call.tensor_create(spec_of(b"1234", [1]))
        ir.call.tensor_release(other)

    spec = ge_ir_tensor_spec(
        dims=i64s([2]), dim_count=1, data=ctypes.addressof(data), size=8, drop=drop, user=ctypes.c_void_p(77)
    )
    before = ir.call.library_stats().tensor_bytes
    tensor = ir.call.tensor_create(spec)
    assert ir.call.tensor_info(tensor).data == ctypes.addressof(data)
    assert ir.call.library_stats().tensor_bytes == before
    graph = ir.graph()
    ir.set_attr(graph, "value", _abi.ge_ir_attr(kind=6, i=tensor))
    ir.call.tensor_release(tensor)
    assert dropped == []
    ir.call.graph_release(graph)
    assert dropped == [77]
    spec.size = 7
    with ir.fails(GeStatus.INVALID_ARGUMENT):
        ir.call.tensor_create(spec)
    assert dropped == [77]


def spec_of(data: bytes, dims: Sequence[int]) -> ge_ir_tensor_spec:
    return ge_ir_tensor_spec(dims=i64s(dims), dim_count=len(dims), data=data_pointer(data), size=len(data))


def map_spec(count: int) -> ge_ir_tensor_spec:
    return ge_ir_tensor_spec(dims=i64s([count]), dim_count=1, dtype=INT32, size=4 * count)


@pytest.mark.parametrize("offset", [0, 1, 5, mmap.PAGESIZE - 2, mmap.PAGESIZE, 3 * mmap.PAGESIZE + 3])
def test_mapped_file(ir: Ir, tmp_path: Path, offset: int) -> None:
    path = tmp_path / "weights.bin"
    wanted = os.urandom(4 * 700)
    path.write_bytes(b"x" * offset + wanted + b"tail")
    before = ir.call.library_stats().tensor_bytes
    tensor = ir.call.tensor_map_file(str(path), offset, map_spec(700))
    ir.tensors.append(tensor)
    path.unlink()
    assert ir.call.tensor_info(tensor).mapped == 1
    assert contents(ir, tensor) == wanted
    assert ir.call.library_stats().tensor_bytes == before


def test_mapping_refuses(ir: Ir, tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(bytes(40))
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for name, offset, parts in (
        (str(path), 4, ("4", "40 bytes at offset 4", "weights.bin", "the file has 40 bytes")),
        (str(path), 2**64 - 4, ("the file has 40 bytes",)),
        (str(tmp_path / "missing"), 0, ("missing", "No such file")),
        (str(tmp_path), 0, ("not a regular file",)),
        (str(fifo), 0, ("not a regular file",)),
    ):
        with ir.fails(GeStatus.IO_ERROR, *parts):
            ir.call.tensor_map_file(name, offset, map_spec(10))
    for name in ("", "a\0b"):
        with ir.fails(GeStatus.INVALID_ARGUMENT, "path"):
            ir.call.tensor_map_file(name, 0, map_spec(10))
    with ir.fails(GeStatus.INVALID_ARGUMENT, "expected 40 bytes"):
        spec = map_spec(10)
        spec.size = 44
        ir.call.tensor_map_file(str(path), 0, spec)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "must be null"):
        ir.call.tensor_map_file(str(path), 0, spec_of(b"1234", [1]))
    empty = ir.call.tensor_map_file(str(path), 40, map_spec(0))
    ir.tensors.append(empty)
    assert ir.call.tensor_info(empty).size == 0
    with ir.fails(GeStatus.INVALID_ARGUMENT, "STRING"):
        ir.call.tensor_map_file(str(path), 0, ge_ir_tensor_spec(dtype=STRING))
