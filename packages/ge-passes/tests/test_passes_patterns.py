"""Declaring patterns: expressions, captures, errors."""

from __future__ import annotations

import re

import pytest
from ge.es import GraphBuilder
from ge.es.onnx import Add, Mul, Relu, Sigmoid, Split
from ge.graph import Graph
from ge.passes import (
    NodeIo,
    Pattern,
    PatternFusionPass,
    PatternInputs,
    PatternMatcherConfig,
    PatternMatcherConfigBuilder,
    create_pattern,
    create_replacement,
    pattern,
)
from pass_graphs import chain


def graph_of(outputs=1):
    """x0 + x1 -> Relu."""
    builder = GraphBuilder("p")
    a, b = builder.create_inputs(2)
    total = Add(a, b)
    return builder.build_and_reset([Relu(total)]), total


def captured(item):
    return [(io.node.name, io.index) for io in item.get_captured_tensors()]


def only(cls):
    (made,) = cls().patterns()
    return made


# -- expressions


def test_captures_are_inputs_then_outputs():
    class P(PatternFusionPass):
        @pattern
        def add(self, inputs):
            return Add(inputs[0], inputs[1], node_name="sum")

    made = only(P)
    assert isinstance(made, Pattern) and made.is_valid()
    assert captured(made) == [("input_0", 0), ("input_1", 0), ("sum", 0)]
    assert repr(made) == "Pattern('P_add_pattern')"


def test_several_outputs_make_one_pattern():
    class P(PatternFusionPass):
        @pattern
        def two(self, inputs):
            first = Sigmoid(inputs[0], node_name="s")
            return [Mul(inputs[0], first, node_name="m"), first]

    assert captured(only(P)) == [("input_0", 0), ("m", 0), ("s", 0)]


def test_output_index_is_kept():
    class P(PatternFusionPass):
        @pattern
        def second(self, inputs):
            parts = Split(inputs[0], num_outputs=2, node_name="split")
            return parts[1]

    assert captured(only(P))[-1] == ("split", 1)


def test_several_methods_are_several_patterns_in_order():
    class P(PatternFusionPass):
        @pattern
        def one(self, inputs):
            return Relu(inputs[0])

        @pattern
        def two(self, inputs):
            return Sigmoid(inputs[0])

    assert [repr(item) for item in P().patterns()] == ["Pattern('P_one_pattern')", "Pattern('P_two_pattern')"]


def test_inherited_methods_are_patterns_of_the_subclass():
    class Base(PatternFusionPass):
        @pattern
        def one(self, inputs):
            return Relu(inputs[0])

    class Derived(Base):
        @pattern
        def two(self, inputs):
            return Sigmoid(inputs[0])

    assert [repr(item) for item in Derived().patterns()] == [
        "Pattern('Derived_one_pattern')",
        "Pattern('Derived_two_pattern')",
    ]


def test_a_method_may_give_a_graph_or_a_pattern():
    class P(PatternFusionPass):
        @pattern
        def as_graph(self, inputs):
            return graph_of()[0]

        @pattern
        def as_pattern(self, inputs):
            return Pattern(graph_of()[0])

    assert [repr(item) for item in P().patterns()] == ["Pattern('p')"] * 2


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (lambda inputs: [], "found an empty list"),
        (lambda inputs: 3, "found int"),
        (lambda inputs: [Relu(inputs[0]), "x"], "found str at position 1"),
        (lambda inputs: None, "found NoneType"),
        (lambda inputs: [graph_of()[0]], "supports a single pattern only"),
        (lambda inputs: [Pattern(graph_of()[0])], "supports a single pattern only"),
        (lambda inputs: Relu(GraphBuilder().create_input(0)), "does not come from its inputs"),
    ],
)
def test_wrong_results(result, text):
    class P(PatternFusionPass):
        @pattern
        def one(self, inputs):
            return result(inputs)

    with pytest.raises(TypeError, match=rf"@pattern .*P\.one.*{re.escape(text)}"):
        P().patterns()


def test_a_refused_pattern_says_where_it_is_written():
    class P(PatternFusionPass):
        @pattern
        def nothing(self, inputs):
            return inputs[0]

    with pytest.raises(RuntimeError, match=rf"P\.nothing \({re.escape(__file__)}:\d+\): "):
        P().patterns()


# -- inputs


def test_inputs_are_made_without_a_gap():
    builder = GraphBuilder("g")
    inputs = PatternInputs(builder)
    third = inputs[2]
    assert [holder.name for holder in inputs.created()] == ["input_0", "input_1", "input_2"]
    assert inputs[2] is third and third in inputs
    assert inputs[:2] == inputs.created()[:2] and inputs[1:4] == inputs.created()[1:4]
    assert inputs[3:3] == []


@pytest.mark.parametrize(
    ("index", "error"),
    [
        (-1, ValueError),
        ("a", TypeError),
        (True, TypeError),
        (1.0, TypeError),
        (slice(None, None, 2), ValueError),
        (slice(None), ValueError),
        (slice(0, 4, 2), ValueError),
        (slice(-1, 2), ValueError),
        (slice(3, 2), ValueError),
        (slice("a", 2), TypeError),
    ],
)
def test_wrong_indices(index, error):
    inputs = PatternInputs(GraphBuilder("g"))
    with pytest.raises(error):
        inputs[index]
    assert inputs.created() == []


def test_inputs_have_no_length():
    inputs = PatternInputs(GraphBuilder("g"))
    for call in (iter, len, list):
        with pytest.raises(TypeError, match="number is not known"):
            call(inputs)


# -- pattern objects


def test_a_pattern_takes_the_graph():
    graph, _ = graph_of()
    made = create_pattern(graph)
    with pytest.raises(RuntimeError, match="has expired"):
        graph.name  # noqa: B018
    with pytest.raises(RuntimeError, match="expired"):
        Pattern(graph)
    assert made.is_valid()


def test_only_graphs_make_patterns():
    with pytest.raises(TypeError, match="Pattern takes a Graph, found str"):
        Pattern("graph")
    with pytest.raises(TypeError, match="create_replacement takes a Graph, found int"):
        create_replacement(3)
    graph, _ = graph_of()
    assert create_replacement(graph) is graph


def test_a_graph_that_breaks_a_rule_stays_the_callers():
    graph = Graph("no_output")
    graph.create_node("Relu", [graph.create_node("Data", attrs={"index": 0})])
    with pytest.raises(RuntimeError, match="output"):
        Pattern(graph)
    assert graph.name == "no_output" and graph.node_count == 2


def test_captures_by_every_kind_of_source():
    graph, total = graph_of()
    node = graph.find_node("input_1")
    made = Pattern(graph)
    assert made.capture_tensor(total).capture_tensor(node).capture_tensor(NodeIo(node)) is made
    assert captured(made) == [(made.get_captured_tensors()[0].node.name, 0), ("input_1", 0), ("input_1", 0)]
    assert made.get_captured_tensors()[0].node.type == "Add"


@pytest.mark.parametrize(
    ("source", "index", "text"),
    [
        (lambda node, holder: NodeIo(node), 0, "has its own index"),
        (lambda node, holder: holder, 0, "has its own index"),
        (lambda node, holder: "x", None, "found str"),
        (lambda node, holder: node, -1, "index must be an int of 0 or more"),
        (lambda node, holder: node, 7, "7"),
    ],
)
def test_wrong_captures(source, index, text):
    graph, total = graph_of()
    node = graph.find_node("input_0")
    made = Pattern(graph)
    with pytest.raises(RuntimeError, match=text):
        made.capture_tensor(source(node, total), index)
    assert made.get_captured_tensors() == []


def test_a_node_of_another_graph_cannot_be_captured():
    made = Pattern(graph_of()[0])
    other = chain("Relu")
    with pytest.raises(RuntimeError, match=r"'n0' \(Relu\) of graph 'g' is no input and no inner node of pattern 'p'"):
        made.capture_tensor(other.find_node("n0"))


def test_a_released_pattern_says_so():
    made = Pattern(graph_of()[0])
    node = made.capture_tensor(made._graph().find_node("input_0")).get_captured_tensors()[0].node
    handle = made.release()
    assert handle >> 56 == 6 and not made.is_valid() and repr(made) == "Pattern(released)"
    for call in (made.get_captured_tensors, made.release, lambda: made.capture_tensor(node)):
        with pytest.raises(RuntimeError, match="Pattern handle has been released"):
            call()
    with pytest.raises(RuntimeError, match="has expired"):
        node.name  # noqa: B018
    from ge.passes._slots import library

    library.call.pattern_release(handle)


# -- matcher configuration


def test_matcher_config():
    none = PatternMatcherConfigBuilder().build()
    const = PatternMatcherConfigBuilder().enable_const_value_match().build()
    both = PatternMatcherConfigBuilder().enable_ir_attr_match().enable_const_value_match().build()
    assert [(c.is_enable_const_value_match(), c.is_enable_ir_attr_match()) for c in (none, const, both)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    assert both == PatternMatcherConfig(3) and both != const and hash(both) == hash(PatternMatcherConfig(3))
    assert PatternFusionPass(both).matcher_config is both
    with pytest.raises(AttributeError, match="cannot be changed"):
        both._flags = 0
