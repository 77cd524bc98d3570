"""Bodies and library subgraphs, and who owns them."""

from __future__ import annotations

import pytest
from ge.graph import Graph


def body(name="body"):
    graph = Graph(name)
    graph.create_node("Data", name="d", attrs={"index": 0})
    return graph


def test_library_subgraphs(no_leak):
    graph = Graph("g")
    child = body("lib")
    graph.add_subgraph(child)
    assert graph.get_subgraph("lib") == child and graph.get_subgraph("nope") is None
    assert graph.get_all_subgraphs() == [child]
    assert [node.name for node in graph.get_all_nodes()] == ["d"] and graph.get_direct_nodes() == []
    assert child.parent_node is None
    with pytest.raises(RuntimeError, match="'lib'"):
        graph.add_subgraph(body("lib"))
    with pytest.raises(TypeError, match="graph must be a Graph, found str"):
        graph.add_subgraph("lib")
    for call in (graph.get_subgraph, graph.remove_subgraph):
        with pytest.raises(TypeError, match="subgraph name must be str"):
            call(1)
    with pytest.raises(RuntimeError, match="nope"):
        graph.remove_subgraph("nope")


def test_bodies_of_nodes(no_leak):
    graph = Graph("g")
    node = graph.create_node("If", name="if")
    then, other = body("then"), body("else")
    node.add_subgraph("then_branch", then)
    node.add_subgraph("else_branch", other)
    assert node.subgraphs == {"then_branch": then, "else_branch": other}
    assert list(node.subgraphs) == ["then_branch", "else_branch"]
    assert then.parent_node == node
    assert graph.get_subgraph("else") == other
    assert graph.get_all_subgraphs() == [then, other]
    assert then.find_node_by_name("d").graph == then


def test_nested_bodies_are_listed_outer_first(no_leak):
    outer, middle, inner = Graph("outer"), Graph("middle"), body("inner")
    node = middle.create_node("If")
    node.add_subgraph("then_branch", inner)
    top = outer.create_node("If")
    top.add_subgraph("then_branch", middle)
    assert outer.get_all_subgraphs() == [middle, inner]
    assert [item.type for item in outer.get_all_nodes()] == ["If", "If", "Data"]
    assert outer.get_subgraph("inner") == inner


def test_a_graph_is_given_away_once(no_leak):
    first, second, child = Graph("a"), Graph("b"), body("c")
    first.add_subgraph(child)
    for take in (second.add_subgraph, first.add_subgraph):
        with pytest.raises(RuntimeError, match="'c' is already owned"):
            take(child)
    with pytest.raises(RuntimeError, match="already owned"):
        child._transfer_ownership_when_pass_as_subgraph(second)
    assert second.get_all_subgraphs() == []


def test_a_graph_given_away_keeps_its_new_owner_alive(no_leak):
    graph, child = Graph("g"), body("c")
    graph.add_subgraph(child)
    del graph
    assert child.name == "c" and child.node_count == 1
    node = child.get_direct_nodes()[0]
    del child
    assert node.name == "d" and node.graph.name == "c"


def test_a_graph_taken_back_is_owned_by_its_object_again(no_leak):
    graph, child = Graph("g"), body("c")
    graph.add_subgraph(child)
    assert graph.remove_subgraph("c") is child
    del graph
    assert child.node_count == 1
    again = Graph("h")
    again.add_subgraph(child)
    del child
    taken = again.remove_subgraph("c")
    del again
    assert taken.node_count == 1


def test_removing_a_node_ends_its_bodies(no_leak):
    graph, child = Graph("g"), body("c")
    node = graph.create_node("If")
    node.add_subgraph("then_branch", child)
    graph.remove_node(node)
    with pytest.raises(RuntimeError, match="has expired"):
        _ = child.name
    with pytest.raises(RuntimeError, match="has expired"):
        _ = node.subgraphs


def test_a_body_may_read_values_around_it(no_leak):
    graph, child = Graph("g"), body("c")
    outer = graph.create_node("Data", name="outer")
    node = graph.create_node("If")
    node.add_subgraph("then_branch", child)
    inner = child.create_node("Relu", [outer])
    assert outer.users() == [(inner, 0)] and inner.inputs == [(outer, 0)]
    with pytest.raises(RuntimeError, match="outer"):
        node.remove_subgraph("then_branch")
    with pytest.raises(RuntimeError):
        child.clone()


def test_create_from(no_leak):
    with pytest.raises(ValueError, match="must not be null"):
        Graph._create_from(0)
    graph = Graph("g")
    view = Graph._create_from(graph._handle, owns_handle=False, owner=graph)
    assert view == graph and view.name == "g" and hash(view) == hash(graph)
    del graph
    assert view.name == "g"
    handle = view._owner._release()
    owned = Graph._create_from(handle)
    assert owned.name == "g"
    with pytest.raises(RuntimeError, match="Graph has expired"):
        _ = view.name
