"""Subgraphs and transactions: the documented cases one by one (random ones are in test_undo_property.py)."""

from __future__ import annotations

from ge.graph._abi import GeStatus
from ir_harness import Ir


def test_attach_list_get_detach(ir: Ir) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner")
    bodies = [ir.body(owner, key) for key in ("then", "else")]
    library = ir.graph("f")
    ir.call.subgraph_attach(graph, "f", library)
    assert ir.call.subgraph_list(owner) == bodies
    assert ir.call.subgraph_list(graph) == [library]
    assert ir.call.subgraph_get(owner, "else") == bodies[1]
    assert ir.call.graph_owner(bodies[0]) == (owner, "then")
    assert ir.call.graph_owner(library) == (graph, "f")
    assert ir.call.subgraph_detach(owner, "then") == bodies[0]
    assert ir.call.graph_owner(bodies[0]) == (0, "")
    assert ir.call.subgraph_list(owner) == [bodies[1]]
    with ir.fails(GeStatus.NOT_FOUND, "'then'", "'owner'"):
        ir.call.subgraph_get(owner, "then")
    with ir.fails(GeStatus.NOT_FOUND, "'then'", "'owner'"):
        ir.call.subgraph_detach(owner, "then")
    assert ir.call.subgraph_list(ir.node(graph, "plain")) == []


def test_attach_refuses(ir: Ir) -> None:
    graph, child = ir.graph(), ir.graph("child")
    owner = ir.node(graph, "owner")
    ir.body(owner, "body")
    with ir.fails(GeStatus.ALREADY_EXISTS, "'owner'", "'body'"):
        ir.call.subgraph_attach(owner, "body", child)
    with ir.fails(GeStatus.INVALID_ARGUMENT, "empty"):
        ir.call.subgraph_attach(owner, "", child)
    with ir.fails(GeStatus.INVALID_STATE, "'g'", "around"):
        ir.call.subgraph_attach(owner, "self", graph)
    inner = ir.node(ir.call.subgraph_get(owner, "body"), "inner")
    with ir.fails(GeStatus.INVALID_STATE, "around"):
        ir.call.subgraph_attach(inner, "self", graph)
    ir.call.subgraph_attach(owner, "child", child)
    with ir.fails(GeStatus.INVALID_STATE, "already owned", "'owner'"):
        ir.call.subgraph_attach(graph, "again", child)
    with ir.fails(GeStatus.WRONG_TYPE):
        ir.call.subgraph_attach(owner, "node", owner)


def test_detach_refuses_captures_at_any_depth(ir: Ir) -> None:
    graph = ir.graph()
    source = ir.node(graph, "source")
    owner = ir.node(graph, "owner")
    body = ir.body(owner)
    holder = ir.node(body, "holder")
    reader = ir.node(ir.body(holder, "deeper", "deep"), "reader", [None, source])
    with ir.fails(GeStatus.INVALID_STATE, "'sub'", "input 1 of node 'reader'", "output 0 of node 'source'"):
        ir.call.subgraph_detach(owner, "body")
    ir.call.node_set_input(reader, 1, ir.node(body, "other"), 0)
    assert ir.call.subgraph_detach(owner, "body") == body
    assert ir.verify(body) == ""


def test_many_library_graphs(ir: Ir) -> None:
    graph = ir.graph()
    children = [ir.graph(f"f{i}") for i in range(500)]
    for i, child in enumerate(children):
        ir.call.subgraph_attach(graph, f"f{i}", child)
    assert ir.call.subgraph_list(graph) == children
    for i in range(0, 500, 2):
        assert ir.call.subgraph_detach(graph, f"f{i}") == children[i]
    assert ir.call.subgraph_list(graph) == children[1::2]
    assert all(ir.call.subgraph_get(graph, f"f{i}") == children[i] for i in range(1, 500, 2))


def test_versions_grow_upwards(ir: Ir) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner")
    body, other = ir.body(owner), ir.body(owner, "other")
    versions = [ir.call.graph_version(g) for g in (graph, body, other)]
    ir.node(body)
    assert [ir.call.graph_version(g) for g in (graph, body, other)] == [versions[0] + 1, versions[1] + 1, versions[2]]


def test_transaction_states(ir: Ir) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner")
    body = ir.body(owner)
    for end in (ir.call.transaction_commit, ir.call.transaction_rollback):
        with ir.fails(GeStatus.INVALID_STATE, "'g'", "no open transaction"):
            end(graph)
        with ir.fails(GeStatus.INVALID_STATE, "'sub'", "root", "'g'"):
            end(body)
    with ir.fails(GeStatus.INVALID_STATE, "'sub'", "root"):
        ir.call.transaction_begin(body)
    assert [ir.call.transaction_begin(graph) for _ in range(3)] == [1, 2, 3]
    ir.call.transaction_commit(graph)
    ir.call.transaction_rollback(graph)
    ir.call.transaction_commit(graph)
    with ir.fails(GeStatus.INVALID_STATE):
        ir.call.transaction_commit(graph)


def test_handles_live_again(ir: Ir) -> None:
    graph = ir.graph()
    a = ir.node(graph, "a")
    b = ir.node(graph, "b", [a])
    inner = ir.node(ir.body(b), "inner", [a])
    start = ir.dump(graph)
    ir.call.transaction_begin(graph)
    made = ir.node(graph, "made")
    ir.call.node_remove(b, 0)
    ir.call.node_remove(a, 0)
    assert [ir.call.node_is_live(n) for n in (a, b, inner, made)] == [0, 0, 0, 1]
    again = ir.node(graph, "b")
    ir.call.transaction_rollback(graph)
    assert [ir.call.node_is_live(n) for n in (a, b, inner, made, again)] == [1, 1, 1, 0, 0]
    assert ir.dump(graph) == start


def test_a_graph_detached_in_a_transaction_stays_in_it(ir: Ir) -> None:
    graph = ir.graph()
    owner = ir.node(graph, "owner")
    body, elsewhere = ir.body(owner), ir.graph("elsewhere")
    node = ir.node(body, "node")
    start = ir.dump(graph)
    ir.call.transaction_begin(graph)
    ir.call.subgraph_detach(owner, "body")
    ir.node(body, "added while apart")
    with ir.fails(GeStatus.INVALID_STATE, "'sub'", "detached inside the open transaction of graph 'g'"):
        ir.call.transaction_begin(body)
    with ir.fails(GeStatus.INVALID_STATE, "detached inside"):
        ir.call.subgraph_attach(elsewhere, "x", body)
    ir.call.graph_release(body)
    assert ir.call.node_is_live(node) == 0
    with ir.fails(GeStatus.STALE_HANDLE):
        ir.call.graph_name(body)
    ir.call.transaction_rollback(graph)
    assert ir.dump(graph) == start
    ir.call.transaction_begin(graph)
    ir.call.subgraph_detach(owner, "body")
    ir.call.transaction_commit(graph)
    ir.call.subgraph_attach(elsewhere, "x", body)


def test_a_graph_with_an_open_transaction_is_not_attached(ir: Ir) -> None:
    graph, child = ir.graph(), ir.graph("child")
    ir.call.transaction_begin(child)
    with ir.fails(GeStatus.INVALID_STATE, "'child'", "open transaction"):
        ir.call.subgraph_attach(graph, "child", child)


def test_release_ends_an_open_transaction(ir: Ir) -> None:
    graph = ir.graph()
    a, owner = ir.node(graph, "a"), ir.node(graph, "owner")
    kept, gone = ir.body(owner, "kept"), ir.body(owner, "gone")
    ir.call.transaction_begin(graph)
    ir.call.node_remove(a, 0)
    for key in ("kept", "gone"):
        ir.call.subgraph_detach(owner, key)
    ir.call.graph_release(gone)
    ir.call.graph_release(graph)
    assert ir.call.graph_name(kept) == "sub"
    assert ir.call.transaction_begin(kept) == 1


def test_name_counters_roll_back(ir: Ir) -> None:
    graph = ir.graph()
    ir.node(graph, type="Add")
    ir.call.transaction_begin(graph)
    for _ in range(5):
        ir.node(graph, type="Add")
    ir.call.transaction_rollback(graph)
    assert ir.call.graph_unique_name(graph, "Add") == "Add_1"
