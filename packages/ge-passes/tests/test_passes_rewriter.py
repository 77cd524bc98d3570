"""Rewriting by hand, inside a whole-graph pass and outside of one."""

from __future__ import annotations

import pytest
from ge.es import GraphBuilder
from ge.es.onnx import Add, Neg, Tanh
from ge.graph import Graph
from ge.passes import (
    FusionBasePass,
    PassError,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    apply_pass,
)
from pass_graphs import chain, types


def neg_tanh():
    builder = GraphBuilder("replacement")
    return builder.build_and_reset([Neg(Tanh(builder.create_input(0)))])


def boundary_of(node):
    """Input 0 and output 0 of a node."""
    boundary = SubgraphBoundary()
    assert boundary.add_input(0, SubgraphInput([(node, 0)])) == 0
    assert boundary.add_output(0, SubgraphOutput(node, 0)) == 0
    return boundary


def test_replace():
    graph, replacement = chain("Sigmoid", "Relu", "Sigmoid"), neg_tanh()
    relu = graph.find_node("n1")
    assert SubgraphRewriter.replace(boundary_of(relu), replacement) == 0
    assert types(graph) == ["Sigmoid", "Tanh", "Neg", "Sigmoid"] and not relu.is_live
    graph.verify()
    assert types(replacement) == ["Tanh", "Neg"]  # a copy went in


def test_several_slots_of_one_value():
    graph = Graph("g")
    x = graph.create_node("Data", name="x", attrs={"index": 0})
    first, second = graph.create_node("Relu", [x], name="a"), graph.create_node("Sigmoid", [x], name="b")
    total = graph.create_node("Add", [first, second], name="sum")
    graph.create_node("NetOutput", [total], output_count=0)
    boundary = SubgraphBoundary()
    assert boundary.add_input(0, SubgraphInput([(first, 0), (second, 0)])) == 0
    assert boundary.add_output(0, SubgraphOutput(total, 0)) == 0
    assert SubgraphRewriter.replace(boundary, neg_tanh()) == 0
    assert types(graph) == ["Tanh", "Neg"]


def test_what_a_boundary_takes():
    graph = chain("Relu", "Neg")
    relu, neg = graph.find_node("n0"), graph.find_node("n1")
    slots = SubgraphInput()
    assert slots.add_input(relu, 0) == 0
    assert [slots.add_input(*place) for place in ((relu, 1), (neg, 0), (relu, -1), ("x", 0), (relu, True))] == [1] * 5
    with pytest.raises(RuntimeError, match="element 1 must be a pair"):
        SubgraphInput([(relu, 0), relu])
    with pytest.raises(RuntimeError, match="reads the value of those before it"):
        SubgraphInput([(relu, 0), (neg, 0)])
    output = SubgraphOutput()
    assert [output.set_output(relu, 1), output.set_output(relu, 0), output.set_output(neg, 0)] == [1, 0, 1]
    with pytest.raises(RuntimeError, match="there is no output 3"):
        SubgraphOutput(relu, 3)
    boundary = SubgraphBoundary()
    assert boundary.add_input(0, slots) == 0
    assert [boundary.add_input(*item) for item in ((0, slots), (-1, slots), (1, SubgraphInput()), (1, output))] == [
        1
    ] * 4
    assert [boundary.add_output(*item) for item in ((0, SubgraphOutput()), (0, slots), (0, output))] == [1, 1, 0]


@pytest.mark.parametrize("kind", ["gap", "counts"])
def test_what_is_refused_changes_nothing(kind):
    graph = chain("Relu", "Neg")
    relu = graph.find_node("n0")
    boundary = boundary_of(relu)
    replacement = neg_tanh()
    if kind == "gap":
        assert boundary.add_input(2, SubgraphInput([(relu, 0)])) == 0
    else:
        builder = GraphBuilder("two")
        replacement = builder.build_and_reset([Add(*builder.create_inputs(2))])
    before = graph.to_text()
    assert SubgraphRewriter.replace(boundary, replacement) == 1
    assert graph.to_text() == before

    class ByHand(FusionBasePass):
        def run(self, graph, context):
            own = boundary_of(graph.find_node("n0"))
            own._inputs.update({} if kind == "counts" else {2: own._inputs[0]})
            SubgraphRewriter.replace(own, replacement, context=context)

    with pytest.raises(PassError, match="input") as caught:
        apply_pass(graph, ByHand)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert graph.to_text() == before


@pytest.mark.usefixtures("route")
def test_within_a_pass():
    class ByHand(FusionBasePass):
        def run(self, graph, context):
            for node in graph.get_direct_nodes():
                if node.type == "Relu":
                    assert SubgraphRewriter.replace(boundary_of(node), neg_tanh(), context=context) is None

    graph = chain("Relu", "Sigmoid", "Relu")
    assert apply_pass(graph, ByHand).changed
    assert types(graph) == ["Tanh", "Neg", "Sigmoid", "Tanh", "Neg"]
    graph.verify()


def test_argument_types():
    graph = chain("Relu")
    with pytest.raises(TypeError, match="boundary must be a SubgraphBoundary, found str"):
        SubgraphRewriter.replace("x", graph)
    with pytest.raises(TypeError, match="replacement must be a Graph, found int"):
        SubgraphRewriter.replace(SubgraphBoundary(), 3)
