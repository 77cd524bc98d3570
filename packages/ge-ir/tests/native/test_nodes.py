"""Slots about nodes, edges, control edges and columns."""

from __future__ import annotations

import ctypes

from ge.graph import _abi
from ge.graph._abi import GeStatus
from ir_harness import Ir, u32s, u64s


def test_create_and_read_back(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a", outputs=2)
    b = ir.node(graph, "b", [(a, 1), None, a], outputs=3, type="Conv", domain="ai.onnx", version=-3)
    assert ir.call.node_name(b) == "b"
    assert ir.call.node_graph(b) == graph
    type_symbol, domain_symbol, version = ir.call.node_op(b)
    assert ir.call.symbol_text(type_symbol) == "Conv"
    assert ir.call.symbol_text(domain_symbol) == "ai.onnx"
    assert version == -3
    assert ir.call.node_arity(b) == (3, 3)
    assert ir.call.node_inputs(b) == ([a, 0, a], [1, 0, 0])
    assert ir.call.node_input(b, 0) == (a, 1)
    assert ir.call.node_input(b, 1) == (0, 0)
    assert ir.call.value_uses(a, 0) == ([b], [2])
    assert ir.call.value_use_count(a, 1) == 1
    assert ir.call.node_is_live(b) == 1


def test_create_before(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    ir.node(graph, "b", before=a)
    c = ir.node(graph, "c", before=a)
    ir.node(graph, "d", before=c)
    assert ir.names(graph) == ["b", "d", "c", "a"]
    other = ir.node(ir.graph("other"), "x")
    with ir.fails(GeStatus.FOREIGN, "'x'", "'other'", "'g'"):
        ir.node(graph, "e", before=other)


def test_create_refuses(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a", type="Relu")
    start = ir.dump(graph)
    with ir.fails(GeStatus.ALREADY_EXISTS, "'a'", "Relu", "'g'"):
        ir.node(graph, "a")
    with ir.fails(GeStatus.INVALID_ARGUMENT, "type_symbol"):
        ir.node(graph, "b", type="")
    with ir.fails(GeStatus.OUT_OF_RANGE, "output 4", "'a'", "1 outputs"):
        ir.node(graph, "b", [(a, 4)])
    with ir.fails(GeStatus.FOREIGN, "'x'", "'other'", "'g'"):
        ir.node(graph, "b", [ir.node(ir.graph("other"), "x")])
    with ir.fails(GeStatus.OUT_OF_RANGE, "4194305"):
        ir.node(graph, "b", outputs=(1 << 22) + 1)
    with ir.fails(GeStatus.WRONG_TYPE, "GRAPH"):
        ir.node(graph, "b", [graph])
    with ir.fails(GeStatus.OUT_OF_RANGE, "1048577 bytes"):
        ir.node(graph, "x" * ((1 << 20) + 1))
    spec = _abi.ge_ir_node_spec(type_symbol=0xFFFFFFF0)
    with ir.fails(GeStatus.OUT_OF_RANGE, "4294967280"):
        ir.call.node_create(graph, spec)
    spec = _abi.ge_ir_node_spec(type_symbol=1, input_count=1)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "input_nodes is null"):
        ir.call.node_create(graph, spec)
    spec = _abi.ge_ir_node_spec(type_symbol=1)
    spec.struct_size = 8
    with ir.fails(GeStatus.INVALID_ARGUMENT, "struct_size is 8"):
        ir.call.node_create(graph, spec)
    assert ir.dump(graph) == start


def test_an_inner_value_is_not_visible_outside(ir: Ir) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner", [None])
    inner = ir.node(ir.body(owner), "inner")
    with ir.fails(GeStatus.FOREIGN, "'inner'", "'sub'", "'g'"):
        ir.call.node_set_input(owner, 0, inner, 0)
    with ir.fails(GeStatus.FOREIGN):
        ir.node(ir.body(owner, "second"), "x", [inner])


def test_names_with_any_bytes(ir: Ir) -> None:
    graph = ir.graph()
    for name in ("a", "exactly 12 b", "thirteen byte", "nul\0inside", "ünï", "x" * 5000):
        node = ir.node(graph, name)
        assert ir.call.node_name(node) == name
        assert ir.call.graph_find_node(graph, name) == node


def test_rename(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    ir.node(graph, "b")
    with ir.fails(GeStatus.ALREADY_EXISTS, "'b'"):
        ir.call.node_set_name(a, "b")
    with ir.fails(GeStatus.INVALID_ARGUMENT, "empty"):
        ir.call.node_set_name(a, "")
    version = ir.call.graph_version(graph)
    ir.call.node_set_name(a, "a")
    assert ir.call.graph_version(graph) == version
    ir.call.node_set_name(a, "a long new name for the node")
    assert ir.call.graph_find_node(graph, "a long new name for the node") == a
    assert ir.call.graph_version(graph) == version + 1
    ir.node(graph, "a")


def test_set_op(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a", type="Relu")
    tanh = ir.call.symbol_intern("Tanh")
    ir.call.node_set_op(a, tanh, 0, 13)
    assert ir.call.node_op(a) == (tanh, 0, 13)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "type_symbol is 0"):
        ir.call.node_set_op(a, 0, 0, 0)
    with ir.fails(GeStatus.OUT_OF_RANGE, "domain_symbol is 4000000000"):
        ir.call.node_set_op(a, tanh, 4_000_000_000, 0)


def test_move(ir: Ir) -> None:
    graph = ir.graph()
    a, b, c = (ir.node(graph, name) for name in "abc")
    ir.call.node_move_before(c, a)
    assert ir.names(graph) == ["c", "a", "b"]
    ir.call.node_move_before(c, 0)
    assert ir.names(graph) == ["a", "b", "c"]
    version = ir.call.graph_version(graph)
    ir.call.node_move_before(c, 0)
    ir.call.node_move_before(a, b)
    ir.call.node_move_before(b, b)
    assert ir.names(graph) == ["a", "b", "c"]
    assert ir.call.graph_version(graph) == version
    with ir.fails(GeStatus.FOREIGN, "'x'"):
        ir.call.node_move_before(a, ir.node(ir.graph("other"), "x"))


def test_remove(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    b = ir.node(graph, "b", [a, a])
    with ir.fails(GeStatus.INVALID_STATE, "'a'", "input 0", "'b'", "2 readers", "DROP_USES"):
        ir.call.node_remove(a, 0)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "0x2"):
        ir.call.node_remove(a, 2)
    ir.call.node_remove(a, 1)
    assert ir.call.node_inputs(b) == ([0, 0], [0, 0])
    assert ir.call.node_is_live(a) == 0
    with ir.fails(GeStatus.STALE_HANDLE, "node"):
        ir.call.node_name(a)
    again = ir.node(graph, "a")
    assert again != a
    assert ir.call.node_is_live(a) == 0


def test_remove_takes_subgraphs_and_captures(ir: Ir) -> None:
    graph = ir.graph()
    source, owner = ir.node(graph, "source"), ir.node(graph, "owner", [None])
    body = ir.body(owner)
    reader = ir.node(body, "reader", [source, owner])
    ir.call.node_set_input(owner, 0, owner, 0)
    ir.call.control_add(source, owner)
    assert ir.call.value_use_count(source, 0) == 1
    ir.call.node_remove(owner, 0)
    assert ir.call.value_use_count(source, 0) == 0
    assert ir.call.control_outputs(source) == []
    assert ir.call.node_is_live(reader) == 0
    with ir.fails(GeStatus.STALE_HANDLE):
        ir.call.graph_name(body)
    assert ir.verify(graph) == ""


def test_arity(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    b = ir.node(graph, "b", [a, a, a], outputs=2)
    c = ir.node(graph, "c", [(b, 1)])
    ir.call.node_set_arity(b, 1, 5)
    assert ir.call.node_arity(b) == (1, 5)
    assert ir.call.value_uses(a, 0) == ([b], [0])
    assert ir.call.value_uses(b, 1) == ([c], [0])
    with ir.fails(GeStatus.INVALID_STATE, "output 1", "'b'", "'c'"):
        ir.call.node_set_arity(b, 1, 1)
    ir.call.node_set_arity(b, 40, 2)
    assert ir.call.node_inputs(b) == ([a] + [0] * 39, [0] * 40)
    with ir.fails(GeStatus.OUT_OF_RANGE, "4194305"):
        ir.call.node_set_arity(b, (1 << 22) + 1, 2)
    assert ir.verify(graph) == ""


def test_set_input_and_use_order(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    users = [ir.node(graph, f"u{i}", [a]) for i in range(5)]
    ir.call.node_set_input(users[2], 0, 0, 7)
    assert ir.call.node_input(users[2], 0) == (0, 0)
    assert ir.call.value_uses(a, 0)[0] == [users[0], users[1], users[3], users[4]]
    ir.call.node_set_input(users[2], 0, a, 0)
    assert ir.call.value_uses(a, 0)[0] == [users[0], users[1], users[3], users[4], users[2]]
    version = ir.call.graph_version(graph)
    ir.call.node_set_input(users[0], 0, a, 0)
    assert ir.call.graph_version(graph) == version
    for index, status in ((1, GeStatus.OUT_OF_RANGE), (0xFFFFFFFF, GeStatus.OUT_OF_RANGE)):
        with ir.fails(status, "'u0'", "1 inputs"):
            ir.call.node_set_input(users[0], index, a, 0)
    with ir.fails(GeStatus.OUT_OF_RANGE, "output 1"):
        ir.call.node_set_input(users[0], 0, a, 1)


def test_replace_uses(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    readers = [ir.node(graph, f"r{i}", [a, a]) for i in range(2)]
    owner = ir.node(graph, "owner", [a])
    captured = ir.node(ir.body(owner), "captured", [a])
    wrapper = ir.node(graph, "wrapper", [a])
    inside = ir.node(ir.body(wrapper), "inside", [a])
    ir.call.value_replace_uses(a, 0, wrapper, 0)
    assert ir.call.value_uses(a, 0) == ([wrapper, inside], [0, 0])
    assert ir.call.value_uses(wrapper, 0) == (
        [readers[0], readers[0], readers[1], readers[1], owner, captured],
        [0, 1, 0, 1, 0, 0],
    )
    start = ir.dump(graph)
    inner = ir.node(ir.body(owner, "second"), "inner")
    start = ir.dump(graph)
    with ir.fails(GeStatus.FOREIGN, "'inner'"):
        ir.call.value_replace_uses(wrapper, 0, inner, 0)
    ir.call.value_replace_uses(wrapper, 0, wrapper, 0)
    assert ir.dump(graph) == start
    with ir.fails(GeStatus.OUT_OF_RANGE, "output 3"):
        ir.call.value_replace_uses(a, 3, wrapper, 0)
    assert ir.verify(graph) == ""


def test_value_names(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a", outputs=2)
    assert ir.call.value_name(a, 1) == ""
    ir.call.value_set_name(a, 1, "the name of a value")
    assert ir.call.value_name(a, 1) == "the name of a value"
    assert ir.call.value_name(a, 0) == ""
    with ir.fails(GeStatus.OUT_OF_RANGE, "output 2", "'a'"):
        ir.call.value_set_name(a, 2, "x")


def test_control_edges(ir: Ir) -> None:
    graph = ir.graph()
    a, b, c = (ir.node(graph, name) for name in "abc")
    ir.call.control_add(a, c)
    ir.call.control_add(b, c)
    ir.call.control_add(a, b)
    version = ir.call.graph_version(graph)
    ir.call.control_add(a, c)
    assert ir.call.graph_version(graph) == version
    assert ir.call.control_inputs(c) == [a, b]
    assert ir.call.control_outputs(a) == [c, b]
    ir.call.control_remove(a, c)
    assert ir.call.control_inputs(c) == [b]
    with ir.fails(GeStatus.NOT_FOUND, "'a'", "'c'"):
        ir.call.control_remove(a, c)
    with ir.fails(GeStatus.CYCLE, "'a'", "itself"):
        ir.call.control_add(a, a)
    with ir.fails(GeStatus.FOREIGN, "'x'"):
        ir.call.control_add(a, ir.node(ir.graph("other"), "x"))
    assert ir.verify(graph) == ""


def test_columns(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a", type="A")
    owner = ir.node(graph, "owner", [a, None, a], type="If", domain="d")
    body = ir.body(owner)
    reader = ir.node(body, "reader", [(a, 0)], type="R")
    nodes, types, domains = ir.call.columns_ops(graph)
    assert nodes == [a, owner]
    assert [ir.call.symbol_text(s) for s in types + domains] == ["A", "If", "", "d"]
    assert ir.call.columns_edges(graph) == ([owner, owner], [0, 2], [a, a], [0, 0])
    assert ir.call.columns_edges(body) == ([reader], [0], [a], [0])
    counts = [ctypes.c_uint64() for _ in range(3)]
    status = ir.raw.columns_ops(
        graph, u64s([0, 0]), 2, ctypes.byref(counts[0]), u32s([0]), 1, ctypes.byref(counts[1]), None, 0,
        ctypes.byref(counts[2]), None,
    )  # fmt: skip
    assert status == GeStatus.BUFFER_TOO_SMALL
    assert [count.value for count in counts] == [2, 2, 2]
