"""Graphs at the edge: what is refused, what is kept, and what flattening does with edited parts."""

from __future__ import annotations

import pytest
from ge.graph import DataType, Graph, Tensor
from ge.partition import DynamicShapePartitioner, PartitionError, PartitionReport, PartitionRules, flatten
from graph_meaning import Meaning
from partition_graphs import chain, data, operators, relu


def split(graph: Graph, limit: int = 1) -> PartitionReport:
    report = DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=limit)).partition(graph)
    graph.verify()
    return report


@pytest.mark.parametrize("limit", [-1, 0, 4])
def test_an_empty_graph(limit: int) -> None:
    graph = Graph("g")
    report = split(graph, limit)
    assert report.decision == ("ALL_DYNAMIC" if limit < 0 else "ALL_STATIC")
    assert (report.reasons(), flatten(graph), graph.to_text()) == ([], 0, Graph("g").to_text())


def test_a_graph_of_an_input_and_a_constant() -> None:
    graph = Graph("g")
    data(graph, "x", 0)
    graph.create_node("Const", name="w", attrs={"value": Tensor([1.0], data_type=DataType.DT_FLOAT, shape=[1])})
    assert split(graph).decision == "ALL_STATIC"


def test_an_input_behind_an_operator_is_refused_as_a_whole() -> None:
    graph = chain("SD")
    other = data(graph, "late", 1)
    graph.add_control_edge(graph.find_node_by_name("n1"), other)
    text, version = graph.to_text(), graph.version
    with pytest.raises(
        NotImplementedError, match="the edge from 'n1' to 'late' puts an input of the graph behind an op"
    ):
        split(graph)
    assert (graph.to_text(), graph.version) == (text, version)


def test_a_node_behind_the_output_is_refused_as_a_whole() -> None:
    graph = chain("SD")
    last = relu(graph, "late", [graph.find_node_by_name("x")])
    graph.add_control_edge(graph.find_node_by_name("out"), last)
    text = graph.to_text()
    with pytest.raises(NotImplementedError, match="the edge from 'out' to 'late' puts a node behind an output"):
        split(graph)
    assert graph.to_text() == text


def test_an_input_behind_an_input_is_fine() -> None:
    graph = chain("SD")
    graph.add_control_edge(graph.find_node_by_name("x"), data(graph, "late", 1))
    text = graph.to_text()
    split(graph)
    assert [node.name for node in graph.find_node_by_name("late").control_inputs] == ["x"]
    flatten(graph)
    assert graph.to_text() == text


def test_an_output_that_waits_for_an_operator_waits_for_its_part() -> None:
    graph = chain("SDS")
    graph.add_control_edge(graph.find_node_by_name("n0"), graph.find_node_by_name("out"))
    text = graph.to_text()
    report = split(graph)
    assert [node.name for node in graph.find_node_by_name("out").control_inputs] == [report.parts[0].call.name]  # type: ignore[union-attr]
    flatten(graph)
    assert graph.to_text() == text


def test_a_constant_that_others_wait_for_stays_and_is_copied() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[1]) {
             %w = float32[1](1.0)
             %a: float32[1] = Add(%x, %w)
             %b: float32[1] = Neg(%a) {_force_unknown_shape = true} after %w
             return %b
           }"""
    )
    text = graph.to_text()
    report = split(graph)
    assert [node.name for node in report.parts[1].call.control_inputs] == ["w"]  # type: ignore[union-attr]
    flatten(graph)
    assert graph.to_text() == text


def test_a_constant_that_waits_is_an_operator() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[1]) {
             %a: float32[1] = Neg(%x)
             %w: float32[1] = Const() {value = float32[1](1.0)} after %a
             %b: float32[1] = Add(%a, %w) {_force_unknown_shape = true}
             %c: float32[1] = Add(%b, %w)
             return %c
           }"""
    )
    text = graph.to_text()
    report = split(graph)
    assert [name for part in report.parts for name in [n.name for n in part.graph.get_direct_nodes()]].count("w") == 1
    flatten(graph)
    assert graph.to_text() == text


def test_calls_of_the_user_are_operators() -> None:
    text = """graph @g(%x: float32[1]) {
      %a: float32[1] = PartitionedCall(%x)
        body: graph @g_sub_0_know { %p: float32[1] = Neg(%x)  return %p }
      %b: float32[1] = Neg(%a) {_force_unknown_shape = true}
      return %b
    }"""
    graph = Graph.parse(text)
    before = graph.to_text()
    assert flatten(graph) == 0
    assert graph.to_text() == before
    report = split(graph)
    assert operators(report) == [["a"], ["b"]]
    assert flatten(graph) == 2
    assert graph.to_text() == before


def test_marks_that_were_there_come_back() -> None:
    graph = chain("SD")
    graph.find_node_by_name("n0").set_attr("OwnerGraphIsUnknown", True)
    graph.find_node_by_name("x").set_attr("OwnerGraphIsUnknown", False)
    graph.set_attr("_dynamic_shape_partitioned", False)
    text = graph.to_text()
    report = split(graph)
    assert report.parts[0].graph.find_node_by_name("n0").get_attr("OwnerGraphIsUnknown") is False
    flatten(graph)
    assert graph.to_text() == text


def test_a_reference_to_a_reference_follows_the_dynamic_consumer() -> None:
    graph = Graph.parse(
        """graph @g() {
             %v: float32[1] = Variable() {ref_var_src_var_name = "s"}
             %w: float32[1] = Variable(%v) {ref_var_src_var_name = "v"}
             %y: float32[1] = Neg(%w) {_force_unknown_shape = true}
             return %y
           }"""
    )
    report = split(graph)
    assert [report.explain(name).rule for name in "vw"] == ["REFERENCE", "REFERENCE"]


# ---------------------------------------------------------------- edits between split and flattening

SHARED = """graph @g(%x: float32[1]) {
  %w = float32[1](1.0)
  %a: float32[1] = Add(%x, %w)
  %b: float32[1] = Add(%a, %w) {_force_unknown_shape = true}
  return %b
}"""


def test_copies_of_a_constant_that_were_edited_apart_stay_apart() -> None:
    graph = Graph.parse(SHARED)
    report = split(graph)
    folded = Tensor([7.0], data_type=DataType.DT_FLOAT, shape=[1])
    report.parts[1].graph.find_node_by_name("w").set_attr("value", folded)
    meaning = Meaning(graph)
    flatten(graph)
    graph.verify()
    assert Meaning(graph).results == meaning.results
    assert sorted(node.get_attr("value").numpy()[0] for node in graph.get_direct_nodes() if node.type == "Const") == [
        1,
        7,
    ]


def test_nodes_that_were_added_or_removed_in_a_part() -> None:
    graph = Graph.parse(SHARED)
    graph.add_control_edge(graph.find_node_by_name("a"), graph.find_node_by_name("b"))
    report = split(graph)
    body = report.parts[0].graph
    a = body.find_node_by_name("a")
    added = body.create_node("Neg", [a], name="added", output_descs=[a.get_output_desc(0)])
    body.find_node_by_name("g_sub_0_know_Node_Output").set_input(0, added)
    flatten(graph)
    graph.verify()
    assert {"added", "a", "b"} <= {node.name for node in graph.get_direct_nodes()}
    assert [node.name for node in graph.find_node_by_name("b").control_inputs] == ["a"]
    report = split(graph)
    body = report.parts[0].graph
    end = body.find_node_by_name("g_sub_0_know_Node_Output")
    end.set_input(0, body.find_node_by_name("g_sub_0_know_Data_0"))
    for name in ("added", "a"):
        body.remove_node(body.find_node_by_name(name))
    flatten(graph)
    graph.verify()
    assert list(graph.find_node_by_name("b").control_inputs) == []


@pytest.mark.parametrize("index", [1, -1, 2**40])
def test_a_body_that_does_not_fit_its_call_is_refused(index: int) -> None:
    graph = Graph.parse(SHARED)
    report = split(graph)
    report.parts[1].graph.find_node_by_name("g_sub_1_unknow_Data_0").set_attr("index", index)
    text = graph.to_text()
    with pytest.raises(PartitionError, match=f"'g_sub_1_unknow_Data_0' has index {index}, but the call has 1 inputs"):
        flatten(graph)
    assert graph.to_text() == text


def test_a_body_without_the_result_that_is_read_is_refused() -> None:
    graph = Graph.parse(SHARED)
    report = split(graph)
    body = report.parts[0].graph
    body.remove_node(body.find_node_by_name("g_sub_0_know_Node_Output"))
    text = graph.to_text()
    with pytest.raises(PartitionError, match="output 0 of the call is read, but its body has no such result"):
        flatten(graph)
    assert graph.to_text() == text
