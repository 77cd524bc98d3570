"""Who keeps whom alive, and what is given away."""

from __future__ import annotations

import weakref

import pytest
from ge.es import GraphBuilder
from ge.graph import Graph, Tensor


def body(name=None):
    builder = GraphBuilder(name)
    return builder.build_and_reset([builder.create_input(0) + 1.0])


def test_a_tensor_keeps_its_builder_and_no_cycle_is_left(no_leak):
    builder = GraphBuilder("g")
    alive = weakref.ref(builder)
    x = builder.create_input(0)
    builder.set_graph_output(x + 1, 0)
    del builder
    assert alive() is x.get_owner_builder()
    del x
    assert alive() is None


def test_an_unfinished_builder_frees_its_graph(no_leak):
    GraphBuilder("g").create_input(0)


def test_tensors_and_nodes_outlive_builder_and_graph(no_leak):
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    graph = builder.build_and_reset([x])
    node = x.node
    del builder, graph
    assert x.name == "input_0"
    del x
    assert node.name == "input_0" and node.users()[0][0].type == "NetOutput"


def test_subgraphs_are_given_away(no_leak):
    builder = GraphBuilder("g")
    condition = builder.create_input(0)
    then, other = body("then"), body("else")
    result = builder._add_op("If", [condition], subgraphs={"then_branch": then, "else_branch": other})[0]
    assert list(result.node.subgraphs) == ["then_branch", "else_branch"]
    with pytest.raises(RuntimeError, match="'then' is already owned"):
        builder._add_op("If", [condition], subgraphs={"then_branch": then})
    graph = builder.build_and_reset([result])
    assert graph.get_all_subgraphs() == [then, other]
    graph.verify()
    del graph, builder, result, condition
    assert then.node_count == 4 and then.parent_node.type == "If"


def test_a_list_of_subgraphs(no_leak):
    builder = GraphBuilder("g")
    node = builder._add_op("Case", [builder.create_input(0)], subgraphs={"branches": [body(), body()]})[0].node
    assert list(node.subgraphs) == ["branches0", "branches1"]


def test_duplicate_subgraph_names(no_leak):
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    builder._add_op("If", [x], subgraphs={"then_branch": body("b")})
    count = x.node.graph.node_count
    with pytest.raises(RuntimeError, match="subgraph name 'b' is already used in graph 'g'"):
        builder._add_op("If", [x], subgraphs={"then_branch": body("b")})
    with pytest.raises(RuntimeError, match="subgraph name 'c' is already used"):
        builder._add_op("If", [x], subgraphs={"then_branch": body("c"), "else_branch": body("c")})
    with pytest.raises(TypeError, match="subgraph 'then_branch' must be a Graph"):
        builder._add_op("If", [x], subgraphs={"then_branch": builder})
    assert x.node.graph.node_count == count


def test_tensors_are_given_away_once(no_leak):
    builder = GraphBuilder("g")
    tensor = Tensor([1.0, 2.0])
    result = builder._add_op("Constant", [], attrs={"value": tensor})[0]
    for attrs in ({"value": tensor}, {"values": [tensor]}):
        with pytest.raises(RuntimeError, match="already given to an operator"):
            builder._add_op("Constant", [], attrs=attrs)
    assert tensor.get_data() == [1.0, 2.0] and result.node.get_attr("value") == tensor
    builder._add_op("Constant", [], attrs={"value": result.node.get_attr("value")})
    assert builder._graph.node_count == 2


def test_a_moved_graph_is_no_subgraph(no_leak):
    moved = body("m")
    keeper = Graph._adopt(moved._release())
    builder = GraphBuilder("g")
    with pytest.raises(RuntimeError, match="has expired"):
        builder._add_op("If", [builder.create_input(0)], subgraphs={"then_branch": moved})
    assert keeper.node_count == 4


def test_building_many_graphs_leaves_nothing(no_leak):
    for _ in range(30):
        builder = GraphBuilder("g")
        value = builder.create_input(0, shape=[4])
        for step in range(20):
            value = value * step + [1.0, 2.0, 3.0, 4.0]
        builder.build_and_reset([value]).verify()
