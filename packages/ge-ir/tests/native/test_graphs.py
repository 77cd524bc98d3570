"""Slots about the library, symbols, blobs and graphs."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
from ge.graph import _abi
from ge.graph._abi import GeStatus
from ir_harness import LIST, TOPOLOGICAL, Ir

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_version_is_that_of_the_package(ir: Ir) -> None:
    assert f'version = "{ir.call.library_version()}"' in PROJECT.read_text()


def test_symbols_round_trip_any_bytes(ir: Ir) -> None:
    assert ir.call.symbol_intern("") == 0
    assert ir.call.symbol_text(0) == ""
    for text in (b"Relu", b"a\0b", b"\xff\xfe not utf-8", "größe".encode(), b"x" * 100_000):
        symbol = ir.call.symbol_intern(text)
        assert symbol == ir.call.symbol_intern(text) != 0
        assert ir.call.symbol_text(symbol).encode("utf-8", "surrogateescape") == text
    with ir.fails(GeStatus.OUT_OF_RANGE, "4294967295"):
        ir.call.symbol_text(0xFFFFFFFF)
    with ir.fails(GeStatus.OUT_OF_RANGE, "1048577"):
        ir.call.symbol_intern(b"x" * (1 << 20) + b"y")


def test_many_symbols_keep_their_texts(ir: Ir) -> None:
    symbols = [ir.call.symbol_intern(f"many {i}") for i in range(10_000)]
    assert len(set(symbols)) == 10_000
    assert [ir.call.symbol_text(s) for s in symbols[::1000]] == [f"many {i}" for i in range(0, 10_000, 1000)]


def test_blobs_end_once(ir: Ir) -> None:
    blob = ir.call.graph_verify(ir.graph())
    assert ir.call.library_stats().blobs == 1
    assert ir.call.blob_view(blob) == b""
    ir.call.blob_release(blob)
    with ir.fails(GeStatus.STALE_HANDLE, "already released"):
        ir.call.blob_release(blob)
    with ir.fails(GeStatus.STALE_HANDLE):
        ir.call.blob_view(blob)
    with ir.fails(GeStatus.WRONG_TYPE, "GRAPH", "expected BLOB"):
        ir.call.blob_view(ir.graph())
    with ir.fails(GeStatus.WRONG_TYPE):
        ir.call.blob_release(0)


def test_graph_name_and_release(ir: Ir) -> None:
    graph = ir.graph("main")
    assert ir.call.graph_name(graph) == "main"
    ir.call.graph_set_name(graph, "a name of more than twelve bytes")
    assert ir.call.graph_name(graph) == "a name of more than twelve bytes"
    version = ir.call.graph_version(graph)
    ir.call.graph_set_name(graph, "a name of more than twelve bytes")
    assert ir.call.graph_version(graph) == version
    assert ir.call.graph_owner(graph) == (0, "")
    ir.call.graph_release(graph)
    with ir.fails(GeStatus.STALE_HANDLE, "graph"):
        ir.call.graph_name(graph)
    with ir.fails(GeStatus.STALE_HANDLE):
        ir.call.graph_release(graph)
    with ir.fails(GeStatus.WRONG_TYPE, "null handle"):
        ir.call.graph_release(0)


def test_an_owned_graph_is_not_released(ir: Ir) -> None:
    owner = ir.node(ir.graph(), "owner")
    child = ir.body(owner)
    with ir.fails(GeStatus.INVALID_STATE, "'sub'", "'owner'", "detach"):
        ir.call.graph_release(child)


def test_null_results_are_refused(ir: Ir) -> None:
    graph = ir.graph()
    error = _abi.new_error()
    for call, arguments in (
        (ir.raw.graph_create, (b"g", 1, None)),
        (ir.raw.graph_version, (graph, None)),
        (ir.raw.graph_name, (graph, None, None)),
        (ir.raw.graph_verify, (graph, None)),
        (ir.raw.graph_owner, (graph, None, None, None)),
        (ir.raw.graph_nodes, (graph, LIST, None, 0, None)),
        (ir.raw.library_stats, (None,)),
        (ir.raw.symbol_intern, (b"x", 1, None)),
        (ir.raw.graph_create, (None, 5, ctypes.byref(ctypes.c_uint64()))),
    ):
        assert call(*arguments, ctypes.addressof(error)) == GeStatus.INVALID_ARGUMENT
        assert "null" in _abi.error_text(error)
        assert call(*arguments, None) == GeStatus.INVALID_ARGUMENT


def test_nodes_in_list_order_and_the_size_protocol(ir: Ir) -> None:
    graph = ir.graph()
    nodes = [ir.node(graph, f"n{i}") for i in range(5)]
    count = ctypes.c_uint64()
    assert ir.raw.graph_nodes(graph, LIST, None, 0, ctypes.byref(count), None) == GeStatus.BUFFER_TOO_SMALL
    assert count.value == 5
    buffer = (ctypes.c_uint64 * 5)()
    assert ir.raw.graph_nodes(graph, LIST, buffer, 4, ctypes.byref(count), None) == GeStatus.BUFFER_TOO_SMALL
    assert ir.raw.graph_nodes(graph, LIST, buffer, 5, ctypes.byref(count), None) == 0
    assert list(buffer) == nodes
    assert ir.call.graph_node_count(graph) == 5
    assert ir.raw.graph_nodes(ir.graph(), LIST, None, 0, ctypes.byref(count), None) == 0
    with ir.fails(GeStatus.INVALID_ARGUMENT, "order is 2", "ge_ir_order"):
        ir.call.graph_nodes(graph, 2)


def test_find_node(ir: Ir) -> None:
    graph = ir.graph()
    nodes = [ir.node(graph, f"node number {i}") for i in range(100)]
    assert all(ir.call.graph_find_node(graph, f"node number {i}") == nodes[i] for i in range(100))
    for i in range(0, 100, 3):
        ir.call.node_remove(nodes[i], 0)
    for i in range(100):
        if i % 3:
            assert ir.call.graph_find_node(graph, f"node number {i}") == nodes[i]
        else:
            with ir.fails(GeStatus.NOT_FOUND, f"'node number {i}'", "'g'"):
                ir.call.graph_find_node(graph, f"node number {i}")


def test_unique_names_count_upwards(ir: Ir) -> None:
    graph = ir.graph()
    assert ir.call.graph_unique_name(graph, "Add") == "Add"
    ir.node(graph, type="Add")
    ir.node(graph, "Add_1")
    assert ir.call.graph_unique_name(graph, "Add") == "Add_2"
    assert ir.call.graph_unique_name(graph, "Add") == "Add_2"
    ir.node(graph, type="Add")
    assert ir.names(graph) == ["Add", "Add_1", "Add_2"]
    with ir.fails(GeStatus.INVALID_ARGUMENT, "empty"):
        ir.call.graph_unique_name(graph, "")


def test_sort_keeps_what_is_in_order(ir: Ir) -> None:
    graph = ir.graph()
    a, b, c, d = (ir.node(graph, name, [None]) for name in "abcd")
    ir.call.node_set_input(b, 0, d, 0)
    ir.call.control_add(c, a)
    assert ir.names(graph) == ["a", "b", "c", "d"]
    assert ir.names(graph, TOPOLOGICAL) == ["c", "a", "d", "b"]
    version = ir.call.graph_version(graph)
    ir.call.graph_sort(graph)
    assert ir.names(graph) == ["c", "a", "d", "b"]
    assert ir.call.graph_version(graph) == version + 1
    ir.call.graph_sort(graph)
    assert ir.call.graph_version(graph) == version + 1


def test_a_cycle_is_named_and_changes_nothing(ir: Ir) -> None:
    graph = ir.graph()
    before = ir.node(graph, "before")
    loop = [ir.node(graph, f"loop{i}", [before, None]) for i in range(7)]
    ir.node(graph, "after", [loop[0]])
    for i in range(7):
        ir.call.node_set_input(loop[(i + 1) % 7], 1, loop[i], 0)
    start = ir.dump(graph)
    wanted = "cycle of 7 nodes: 'loop0' -> 'loop1' -> 'loop2' -> 'loop3' -> 'loop4' -> ... (2 more) -> 'loop0'"
    with ir.fails(GeStatus.CYCLE, "'g'", wanted):
        ir.call.graph_sort(graph)
    with ir.fails(GeStatus.CYCLE, wanted):
        ir.call.graph_nodes(graph, TOPOLOGICAL)
    assert ir.dump(graph) == start
    assert ir.verify(graph) == f"graph 'g' has a {wanted}\n"


@pytest.mark.parametrize("depth", [1, 3])
def test_captures_order_their_owner(ir: Ir, depth: int) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner")
    source = ir.node(graph, "source")
    inner, holder = ir.body(owner), owner
    for _ in range(depth - 1):
        holder = ir.node(inner, "holder")
        inner = ir.body(holder)
    ir.node(inner, "reader", [source])
    assert ir.names(graph, TOPOLOGICAL) == ["source", "owner"]
    ir.call.node_set_arity(source, 1, 1)
    ir.call.node_set_input(source, 0, owner, 0)
    with ir.fails(GeStatus.CYCLE, "'owner' -> 'source' -> 'owner'"):
        ir.call.graph_sort(graph)


def test_a_node_that_its_own_body_reads_is_a_cycle(ir: Ir) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner")
    ir.node(ir.body(owner), "reader", [owner])
    with ir.fails(GeStatus.CYCLE, "cycle of 1 nodes: 'owner' -> 'owner'"):
        ir.call.graph_sort(graph)


def test_deep_nests_and_long_chains_need_no_stack(ir: Ir) -> None:
    inner = ir.call.graph_create("inner")
    for _ in range(20_000):
        outer = ir.call.graph_create("outer")
        ir.call.subgraph_attach(ir.node(outer, "owner"), "body", inner)
        inner = outer
    ir.graphs.append(inner)
    assert ir.verify(inner) == ""
    copy = ir.clone(inner)
    ir.call.graph_release(copy)
    chain = ir.graph()
    last = ir.node(chain)
    for _ in range(100_000):
        last = ir.node(chain, inputs=[last], before=last)
    ir.call.graph_sort(chain)
    assert ir.verify(chain) == ""


def test_verify_reports_special_nodes(ir: Ir) -> None:
    graph = ir.graph()
    ir.node(graph, "out1", type="NetOutput")
    ir.node(graph, "out2", type="NetOutput")
    for name in ("x", "y"):
        ir.set_int(ir.node(graph, name, type="Data"), "index", 0)
    lines = ir.verify(graph).splitlines()
    assert lines == [
        "graph 'g' has more than one NetOutput: 'out1' and 'out2'",
        "node 'y' of graph 'g' has input index 0, and so has 'x'",
    ]
    blob, error = ctypes.c_uint64(), _abi.new_error()
    status = ir.raw.graph_verify(graph, ctypes.byref(blob), ctypes.addressof(error))
    assert status == GeStatus.VERIFY_FAILED
    assert "breaks 2 rules, first: graph 'g' has more than one NetOutput" in _abi.error_text(error)
    ir.call.blob_release(blob.value)


def test_shutdown_refuses_creation_and_keeps_the_rest() -> None:
    program = """
from ir_harness import Ir
from ge.graph._abi import GeStatus
ir = Ir()
graph = ir.graph()
node = ir.node(graph, "n", type="Known")
tensor = ir.tensor(b"1234", [1])
ir.call.library_shutdown()
ir.call.library_shutdown()
for make in (lambda: ir.graph(), lambda: ir.node(graph, "m", type="Known"), lambda: ir.tensor(b"1234", [1]),
             lambda: ir.clone(graph), lambda: ir.call.symbol_intern("never seen before")):
    with ir.fails(GeStatus.SHUTDOWN, "shut down"):
        make()
assert ir.call.node_name(node) == "n" and ir.call.symbol_intern("Known") != 0
ir.release_all()
assert ir.live() == (0, 0, 0, 0, 0)
"""
    here = str(Path(__file__).parent)
    code = f"import sys; sys.path[:0] = {[here, *sys.path]!r}\n{program}"
    subprocess.run([sys.executable, "-c", code], check=True)
