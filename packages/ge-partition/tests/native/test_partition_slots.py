"""Each slot of the table with arguments that cannot be: one error of the right kind, nothing written or changed."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int64, c_uint32, c_uint64
from typing import Any, Callable, Iterator

import pytest
from ge.graph import Graph
from ge.partition import _abi
from ge.partition._abi import GePartitionRule, GeStatus
from partition_graphs import chain
from partition_harness import DEAD, Failed, graph_handle, options, raw, split

READERS = ["partition_info", "partition_part", "partition_find", "partition_reason", "partition_columns"]


@pytest.fixture
def graph() -> Graph:
    return chain("SSDS")


@pytest.fixture
def partition(graph: Graph) -> Iterator[int]:
    handle = split(graph)
    yield handle
    raw("partition_release", handle)


def arguments(slot: str, handle: int) -> list[Any]:
    """Good arguments of a slot that reads a partition."""
    good: dict[str, list[Any]] = {
        "partition_info": [handle, byref(_abi.ge_partition_info())],
        "partition_part": [handle, 0, byref(_abi.ge_partition_part())],
        "partition_find": [handle, b"n0", 2, byref(c_uint64())],
        "partition_reason": [handle, 0, byref(_abi.ge_partition_reason())],
        "partition_columns": [handle, (c_uint32 * 9)(), 9, byref(c_uint64()), (c_int64 * 9)(), 9, byref(c_uint64())],
        "partition_release": [handle],
    }
    return good[slot]


@pytest.mark.parametrize("slot", [*READERS, "partition_release"])
@pytest.mark.parametrize("handle", DEAD)
def test_handles_of_nothing(slot: str, handle: int) -> None:
    with pytest.raises(Failed) as caught:
        raw(slot, *arguments(slot, handle))
    wanted = GeStatus.STALE_HANDLE if handle >> 56 == _abi.GeHandleType.PARTITION else GeStatus.WRONG_TYPE
    assert caught.value.status == wanted


@pytest.mark.parametrize("slot", [*READERS, "partition_release"])
def test_a_released_partition(slot: str, graph: Graph) -> None:
    handle = split(graph)
    raw("partition_release", handle)
    for _again in range(2):
        with pytest.raises(Failed) as caught:
            raw(slot, *arguments(slot, handle))
        assert caught.value.status == GeStatus.STALE_HANDLE


@pytest.mark.parametrize("slot", READERS)
def test_a_handle_of_another_kind(slot: str, graph: Graph) -> None:
    for handle in (graph_handle(graph), graph.get_direct_nodes()[0]._handle):
        with pytest.raises(Failed, match="the handle is not a partition") as caught:
            raw(slot, *arguments(slot, handle))
        assert caught.value.status == GeStatus.WRONG_TYPE


@pytest.mark.parametrize("handle", DEAD)
def test_graphs_of_nothing(handle: int) -> None:
    calls = c_uint64(77)
    for action in (lambda: split(handle), lambda: raw("partition_flatten", handle, byref(calls))):
        with pytest.raises(Failed) as caught:
            action()
        assert caught.value.status in (GeStatus.WRONG_TYPE, GeStatus.STALE_HANDLE)
    assert calls.value == 77


def test_a_handle_never_comes_back(graph: Graph) -> None:
    seen = set()
    for _ in range(50):
        handle = split(graph)
        assert handle not in seen
        seen.add(handle)
        raw("partition_release", handle)
        raw("partition_flatten", graph_handle(graph), byref(c_uint64()))


NULLS: list[tuple[str, Callable[[int, int], list[Any]]]] = [
    ("library_version", lambda _g, _p: [None, byref(c_uint64())]),
    ("library_version", lambda _g, _p: [byref(ctypes.c_void_p()), None]),
    ("bind_ir", lambda _g, _p: [None]),
    ("partition_dynamic", lambda g, _p: [g, None, byref(c_uint64())]),
    ("partition_dynamic", lambda g, _p: [g, byref(options()), None]),
    ("partition_flatten", lambda g, _p: [g, None]),
    ("partition_info", lambda _g, p: [p, None]),
    ("partition_part", lambda _g, p: [p, 0, None]),
    ("partition_find", lambda _g, p: [p, None, 2, byref(c_uint64())]),
    ("partition_find", lambda _g, p: [p, b"n0", 2, None]),
    ("partition_find", lambda _g, p: [p, b"n0", 1 << 63, byref(c_uint64())]),
    ("partition_reason", lambda _g, p: [p, 0, None]),
    ("partition_columns", lambda _g, p: [p, None, 9, byref(c_uint64()), (c_int64 * 9)(), 9, byref(c_uint64())]),
    ("partition_columns", lambda _g, p: [p, (c_uint32 * 9)(), 9, None, (c_int64 * 9)(), 9, byref(c_uint64())]),
    ("partition_columns", lambda _g, p: [p, (c_uint32 * 9)(), 9, byref(c_uint64()), (c_int64 * 9)(), 9, None]),
]


@pytest.mark.parametrize("at", range(len(NULLS)))
def test_missing_pointers_and_wild_sizes(at: int, graph: Graph, partition: int) -> None:
    slot, make = NULLS[at]
    other = chain("SD")
    text = other.to_text()
    with pytest.raises(Failed) as caught:
        raw(slot, *make(graph_handle(other), partition))
    assert caught.value.status == GeStatus.INVALID_ARGUMENT
    assert other.to_text() == text


@pytest.mark.parametrize("kind", ["partition_info", "partition_part", "partition_reason"])
@pytest.mark.parametrize("size", [0, 1, 4, 39, 4097, 0xFFFFFFFF])
def test_wild_struct_sizes_of_results(kind: str, size: int, partition: int) -> None:
    result = getattr(_abi, f"ge_{kind}")()
    result.struct_size = size
    with pytest.raises(Failed, match=f"struct_size is {size}"):
        raw(kind, partition, *([] if kind == "partition_info" else [0]), byref(result))


@pytest.mark.parametrize("kind", ["partition_info", "partition_part", "partition_reason"])
def test_results_of_another_minor(kind: str, partition: int) -> None:
    """A longer struct of a later caller is zeroed behind what is known; nothing behind it is written."""
    known = ctypes.sizeof(getattr(_abi, f"ge_{kind}"))
    memory = (ctypes.c_ubyte * (known + 32))(*[0xA5] * (known + 32))
    memory[:4] = list((known + 16).to_bytes(4, "little"))
    kind_type = getattr(_abi, f"ge_{kind}")
    at = [] if kind == "partition_info" else [0]
    raw(kind, partition, *at, ctypes.cast(memory, ctypes.POINTER(kind_type)))
    assert bytes(memory[known : known + 16]) == bytes(16)
    assert bytes(memory[known + 16 :]) == b"\xa5" * 16


@pytest.mark.parametrize("field", ["preset", "absorption", "reference_variables", "constants"])
@pytest.mark.parametrize("value", [2, 3, 255, 1 << 16, 1 << 31, (1 << 32) - 1])
def test_unknown_choices(field: str, value: int, graph: Graph) -> None:
    text = graph.to_text()
    with pytest.raises(Failed, match=f"options.{field} is .*which is no value of ge_partition") as caught:
        split(graph, **{field: value})
    assert caught.value.status == GeStatus.INVALID_ARGUMENT
    assert graph.to_text() == text


@pytest.mark.parametrize("field", ["preset", "absorption", "reference_variables", "constants"])
def test_choices_that_are_not_built(field: str, graph: Graph) -> None:
    with pytest.raises(Failed, match="not implemented yet") as caught:
        split(graph, **{field: 1})
    assert caught.value.status == GeStatus.UNIMPLEMENTED


def test_reserved_fields_and_sizes_of_options(graph: Graph) -> None:
    with pytest.raises(Failed, match="reserved0 is reserved and must be 0"):
        split(graph, reserved0=1)
    for size in (0, 39, 5000, 0xFFFFFFFF):
        wild = options()
        wild.struct_size = size
        with pytest.raises(Failed, match=f"struct_size is {size}"):
            raw("partition_dynamic", graph_handle(graph), byref(wild), byref(c_uint64()))


BAD_LIMITS: list[Any] = [b"", b"-", b"-2", b"+1", b" 1", b"1 ", b"1.0", b"\xff\xfe", b"1\0", b"9223372036854775808",
                         b"-9223372036854775808", b"9" * 100_000]  # fmt: skip


@pytest.mark.parametrize("limit", BAD_LIMITS, ids=range(len(BAD_LIMITS)))
def test_limits_that_are_none(limit: bytes, graph: Graph) -> None:
    text, version = graph.to_text(), graph.version
    with pytest.raises(Failed, match=r"^INVALID_ARGUMENT: E10001: the value '") as caught:
        split(graph, limit=limit)
    assert len(caught.value.message) < 4096
    assert (graph.to_text(), graph.version) == (text, version)


def test_a_limit_without_memory(graph: Graph) -> None:
    wild = options(limit=None)
    wild.static_model_ops_lower_limit_size = 3
    with pytest.raises(Failed, match="static_model_ops_lower_limit is null but its size is 3"):
        raw("partition_dynamic", graph_handle(graph), byref(wild), byref(c_uint64()))


@pytest.mark.parametrize("limit", [None, b"0", b"-0", b"-1", b"9223372036854775807", b"0000000004"])
def test_limits_that_are_some(limit: bytes | None, graph: Graph) -> None:
    raw("partition_release", split(graph, limit=limit))


@pytest.mark.parametrize("index", [6, 1 << 32, (1 << 64) - 1])
def test_indices_behind_the_end(index: int, partition: int) -> None:
    for slot, result in (("part", _abi.ge_partition_part()), ("reason", _abi.ge_partition_reason())):
        with pytest.raises(Failed, match=f"{index} does not exist; there are [36]") as caught:
            raw(f"partition_{slot}", partition, index, byref(result))
        assert caught.value.status == GeStatus.OUT_OF_RANGE


def test_columns_say_how_much_room_they_need(partition: int) -> None:
    rules, parts, needed, other = (c_uint32 * 6)(), (c_int64 * 6)(), c_uint64(), c_uint64()
    for rooms in ((0, 0), (5, 6), (6, 5)):
        with pytest.raises(Failed) as caught:
            raw("partition_columns", partition, rules, rooms[0], byref(needed), parts, rooms[1], byref(other))
        assert caught.value.status == GeStatus.BUFFER_TOO_SMALL
        assert (needed.value, other.value) == (6, 6)
    raw("partition_columns", partition, rules, 6, byref(needed), parts, 6, byref(other))
    assert [GePartitionRule(rule).name for rule in rules] == [
        "BOUNDARY", "STATIC", "STATIC", "FORCED", "STATIC", "BOUNDARY",
    ]  # fmt: skip
    assert list(parts) == [-1, 0, 0, 1, 2, -1]


def test_names_are_found_by_all_their_bytes(partition: int) -> None:
    found = c_uint64()
    raw("partition_find", partition, b"n2", 2, byref(found))
    assert found.value == 3
    for name in (b"", b"n", b"n2\0", b"\xff"):
        with pytest.raises(Failed) as caught:
            raw("partition_find", partition, name, len(name), byref(found))
        assert caught.value.status == GeStatus.NOT_FOUND


def test_views_last_as_long_as_the_partition(graph: Graph) -> None:
    handle = split(graph)
    found = [_abi.ge_partition_reason() for _ in range(6)]
    for index, item in enumerate(found):
        raw("partition_reason", handle, index, byref(item))
    raw("partition_flatten", graph_handle(graph), byref(c_uint64()))
    del graph
    texts = [bytes(item.text[: item.text_size]).decode() for item in found]
    assert texts[0] == texts[5] == "inputs and outputs of the graph stay in the root"
    assert texts[3] == "its attribute _force_unknown_shape is true"
    assert texts[1] == "all its shapes are known"
    raw("partition_release", handle)


def test_a_partition_outlives_its_graph() -> None:
    handle = split(chain("SD"))
    part = _abi.ge_partition_part()
    raw("partition_part", handle, 1, byref(part))
    assert bytes(part.name[: part.name_size]) == b"g_sub_1_unknow"
    raw("partition_release", handle)
