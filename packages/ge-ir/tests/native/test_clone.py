"""graph_clone."""

from __future__ import annotations

import re

from ge.graph._abi import GeStatus
from ir_harness import INPUT, OUTPUT, Ir


def rich_graph(ir: Ir) -> int:
    graph = ir.graph("rich")
    a, b = ir.node(graph, "a", outputs=2), ir.node(graph, "b")
    c = ir.node(graph, "c", [(a, 1), None, b], type="If", domain="d", version=7)
    e = ir.node(graph, "e", [c, (a, 1), (a, 1)])
    ir.call.node_move_before(e, a)
    ir.call.node_set_input(e, 1, a, 1)
    for source in (b, a):
        ir.call.control_add(source, c)
    ir.call.control_add(a, e)
    ir.call.value_set_name(a, 1, "a value with a long name")
    ir.call.desc_set(a, OUTPUT, 1, ir.desc(dims=[2, -1]))
    ir.call.desc_set(c, INPUT, 1, ir.desc(dims=[5]))
    ir.set_int(c, "second", 2)
    ir.set_int(c, "first", 1)
    ir.set_int(a, "on value", 3, OUTPUT, 1)
    ir.set_int(c, "on input", 4, INPUT, 2)
    ir.set_int(graph, "on graph", 5)
    for key in ("then", "else"):
        body = ir.body(c, key, f"{key} body")
        inner = ir.node(body, "inner", [b, (a, 1)])
        ir.node(ir.body(inner, "deeper"), "deepest", [b, (a, 1)])
    ir.body_of_graph = ir.graph("library")  # type: ignore[attr-defined]
    ir.call.subgraph_attach(graph, "library", ir.body_of_graph)  # type: ignore[attr-defined]
    return graph


def anonymous(ir: Ir, graph: int) -> str:
    """A dump with handles replaced by numbers in order of appearance, and without versions."""
    seen: dict[str, str] = {}
    text = repr(ir.dump(graph, versions=False)[4:])
    return re.sub(r"\d{12,}", lambda m: seen.setdefault(m.group(), f"#{len(seen)}"), text)


def test_a_copy_has_everything_and_shares_nothing(ir: Ir) -> None:
    graph = rich_graph(ir)
    start = ir.dump(graph)
    copy = ir.clone(graph, "the copy")
    assert ir.call.graph_name(copy) == "the copy"
    assert ir.call.graph_owner(copy) == (0, "")
    assert anonymous(ir, copy) == anonymous(ir, graph)
    assert ir.verify(copy) == ir.verify(graph) == ""
    for node in ir.call.graph_nodes(copy, 0):
        ir.call.node_remove(node, 1)
    assert ir.dump(graph) == start


def test_a_capturing_body_is_refused(ir: Ir) -> None:
    graph = ir.graph()
    source, owner = ir.node(graph, "source"), ir.node(graph, "owner")
    body = ir.body(owner)
    ir.node(body, "reader", [None, source])
    with ir.fails(GeStatus.REFUSED, "'sub'", "input 1 of node 'reader'", "node 'source' of graph 'g'"):
        ir.clone(body)
    ir.call.node_set_input(ir.call.graph_find_node(body, "reader"), 1, 0, 0)
    assert ir.names(ir.clone(body)) == ["reader"]


def test_tensors_are_shared(ir: Ir) -> None:
    from ge.graph._abi import ge_ir_attr

    graph = ir.graph()
    tensor = ir.tensor(b"1234", [1])
    ir.set_attr(ir.node(graph, "c"), "value", ge_ir_attr(kind=6, i=tensor))
    copy = ir.clone(graph)
    assert ir.call.tensor_info(tensor).reference_count == 3
    assert ir.attr(ir.call.graph_find_node(copy, "c"), "value")[1] == tensor
    ir.call.graph_release(copy)
    assert ir.call.tensor_info(tensor).reference_count == 2
