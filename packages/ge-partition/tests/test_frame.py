"""What a split builds: calls, bodies, borders; and that flattening gives the graph back."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from ge.graph import Graph, _abi, _library
from ge.partition import DynamicShapePartitioner, PartitionReport, PartitionRules, flatten
from hypothesis import given, settings
from hypothesis import strategies as st
from partition_graphs import chain, data, kinds, layered, operators, relu


def split(graph: Graph, limit: int = 1) -> PartitionReport:
    report = DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=limit)).partition(graph)
    assert graph.verify() is None
    return report


def flattened(graph: Graph) -> str:
    """Flattens and checks the graph; its text."""
    flatten(graph)
    assert graph.verify() is None
    text: str = graph.to_text()
    return text


def borders(report: PartitionReport) -> list[tuple[list[str], int]]:
    """Names of what each call reads, and its number of outputs."""
    return [
        ([value[0].name for value in part.call.inputs], part.call.get_outputs_size())
        for part in report.parts
        if part.call is not None
    ]


def test_names_marks_and_places() -> None:
    graph = chain("SD")
    report = split(graph)
    first, second = (part.call for part in report.parts)
    assert first is not None and second is not None
    assert [first.name, second.name] == ["g_sub_0_know_PartitionedCall_0", "g_sub_1_unknow_PartitionedCall_1"]
    assert [part.graph.name for part in report.parts] == ["g_sub_0_know", "g_sub_1_unknow"]
    assert [first.get_attr("_is_unknown_shape"), second.get_attr("_is_unknown_shape")] == [False, True]
    assert graph.get_attr("_dynamic_shape_partitioned") is True
    (inner,) = report.parts[1].graph.inputs
    assert (inner.name, inner.get_attr("_parent_node_index")) == ("g_sub_1_unknow_Data_0", 0)
    assert report.parts[1].graph.find_node_by_name("n1").get_attr("OwnerGraphIsUnknown") is True
    assert [node.type for node in graph.get_direct_nodes()] == [
        "Data",
        "PartitionedCall",
        "PartitionedCall",
        "NetOutput",
    ]


def test_a_value_crosses_once_however_often_it_is_read() -> None:
    graph = Graph("g")
    x = data(graph, "x", 0)
    a = relu(graph, "a", [x])
    d = relu(graph, "d", [a, a], "D")
    e = relu(graph, "e", [d, a], "D")
    graph.create_node("NetOutput", [e, a], name="out", output_count=0)
    report = split(graph)
    assert borders(report) == [(["x"], 1), (["g_sub_0_know_PartitionedCall_0"], 1)]


def test_only_results_that_somebody_reads_cross() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[6]) {
             %s: (float32[2], float32[2], float32[2]) = Split(%x) {_force_unknown_shape = true}
             %a: float32[2] = Relu(%s[0])
             %b: float32[2] = Relu(%s[2])
             return %b, %s[2], %a
           }"""
    )
    report = split(graph)
    assert borders(report)[0] == (["x"], 2)
    assert [index for _node, index in report.parts[0].graph.outputs] == [0, 2]


def test_absent_inputs_stay_absent_and_never_cross() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[1, 1, 4], %sizes: int64[3]) {
             %e: float32[1, 1, 4] = Relu(%x)
             %y: float32[1, 1, K] = Resize(%e, _, _, %sizes)
             return %y
           }"""
    )
    report = split(graph)
    resize = report.parts[1].graph.find_node_by_name("y")
    assert [value is None for value in resize.inputs] == [False, True, True, False]
    assert borders(report)[1] == (["g_sub_0_know_PartitionedCall_0", "sizes"], 1)


def test_a_constant_goes_along_with_each_reader_and_shares_its_data() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[2]) {
             %w = float32[2](1.0, 2.0)
             %a: float32[2] = Add(%x, %w)
             %d: float32[2] = Add(%a, %w) {_force_unknown_shape = true}
             return %d
           }"""
    )
    report = split(graph)
    copies = [part.graph.find_node_by_name("w").get_attr("value") for part in report.parts]
    addresses = {copy.numpy().__array_interface__["data"][0] for copy in copies}
    assert len(addresses) == 1
    assert graph.find_node("w") is None


def test_outputs_without_names_of_their_own_are_called_the_same() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[6]) {
             %s: (float32[3], float32[3]) = Split(%x)
             %d: float32[3] = Relu(%s[0]) {_force_unknown_shape = true}
             return %d, %s[1]
           }"""
    )
    names = (graph.input_names, graph.output_names)
    assert names == (["x"], ["d", "s:1"])
    split(graph)
    assert (graph.input_names, graph.output_names) == names


def test_outputs_that_are_inputs_or_constants_stay_in_the_root() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[2]) {
             %w = float32[2](1.0, 2.0)
             %d: float32[2] = Add(%x, %w) {_force_unknown_shape = true}
             return %w, %x, %d, %d {output_names = ["w", "x", "d", "again"]}
           }"""
    )
    split(graph)
    assert graph.output_names == ["w", "x", "d", "again"]
    assert [node.type for node, _index in graph.outputs] == ["Const", "Data", "PartitionedCall", "PartitionedCall"]


CAPTURING = """graph @g(%c: bool[], %x: float32[4], %k: float32[4]) {
  %s: float32[4] = Relu(%x)
  %w = float32[4](1.0, 2.0, 3.0, 4.0)
  %y: float32[4] = If(%c) {_force_unknown_shape = true}
    then_branch: graph @t {
      %a: float32[4] = Add(%s, %k)
      return %a
    }
    else_branch: graph @e {
      %b: float32[4] = If(%c)
        then_branch: graph @et { %p: float32[4] = Add(%w, %s)  return %p }
        else_branch: graph @ee { %q: float32[4] = Neg(%k)  return %q }
      return %b
    }
  return %y
}"""


def test_what_bodies_capture_becomes_an_input_of_the_part() -> None:
    graph = Graph.parse(CAPTURING)
    report = split(graph)
    assert borders(report)[1] == (["c", "g_sub_0_know_PartitionedCall_0", "k"], 1)
    body = report.parts[1].graph
    outside = {
        node.name
        for inner in body.get_all_subgraphs()
        for node in inner.get_direct_nodes()
        for value in node.inputs
        if value is not None and value[0].graph not in (body, *body.get_all_subgraphs())
    }
    assert outside == set()
    assert body.find_node_by_name("w").type == "Const"


def test_control_edges_are_carried() -> None:
    graph = chain("SSDS")
    n0, n1, n2, n3 = (graph.find_node_by_name(f"n{at}") for at in range(4))
    graph.add_control_edge(n0, n1)
    graph.add_control_edge(n1, n3)
    before = graph.to_text()
    report = split(graph)
    inner = report.parts[0].graph.find_node_by_name("n1")
    assert [node.name for node in inner.control_inputs] == ["n0"]
    last = report.parts[2].call
    assert last is not None
    assert [node.name for node in last.control_inputs] == [report.parts[0].call.name]  # type: ignore[union-attr]
    assert flattened(graph) == before
    assert n2 != n3


def test_everything_of_a_node_goes_along() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[2, M]) {
             %n: float32[2, M] as "out of n" = my.domain::Op@7(%x) {k = 3, s = "t", l = [1, 2], out[0].mark = 1}
             return %n
           }"""
    )
    before = graph.find_node_by_name("n")
    seen = (before.domain, before.op_version, before.get_attr("k"), before.get_attr("l"), before.get_output_desc(0))
    report = split(graph)
    after = report.parts[0].graph.find_node_by_name("n")
    assert (after.domain, after.op_version, after.get_attr("k"), after.get_attr("l"), after.get_output_desc(0)) == seen
    assert after.get_output_attr("mark", 0) == 1
    call = report.parts[0].call
    assert call is not None
    assert call.get_output_desc(0) == seen[-1]


@pytest.mark.parametrize("text", [CAPTURING])
def test_flattening_restores_bodies(text: str) -> None:
    graph = Graph.parse(text)
    before = graph.to_text()
    split(graph)
    assert flattened(graph) == before


@pytest.mark.parametrize("nodes", ["S", "D", "SD", "DS", "DSD", "SSDSSDSS", "DDSSDD"])
@pytest.mark.parametrize("limit", [1, 2, 4])
def test_flattening_restores_chains(nodes: str, limit: int) -> None:
    graph = chain(nodes)
    before = graph.to_text()
    split(graph, limit)
    assert flattened(graph) == before


def test_flattening_a_graph_that_is_not_split_does_nothing() -> None:
    graph = chain("SS")
    before = graph.to_text()
    assert flatten(graph) == 0
    assert graph.to_text() == before


def test_a_split_is_one_transaction() -> None:
    graph = chain("SDS")
    before = graph.to_text()
    with pytest.raises(RuntimeError, match="stop"), graph.transaction():
        split(graph)
        raise RuntimeError("stop")
    assert graph.to_text() == before
    assert graph.verify() is None


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 60),
    width=st.integers(1, 8),
    share=st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]),
    seed=st.integers(0, 10_000),
    limit=st.integers(0, 6),
)
def test_properties_of_every_split(count: int, width: int, share: float, seed: int, limit: int) -> None:
    """Each operator in exactly one part, no cycle, no small static part, no static node between dynamic ones."""
    graph = layered(count, width, share, seed)
    before = graph.to_text()
    names = sorted(node.name for node in graph.get_direct_nodes() if node.type in ("Relu", "Sum"))
    again = layered(count, width, share, seed)
    report = split(graph, limit)
    assert sorted(name for part in operators(report) for name in part) == names
    assert graph.verify() is None
    graph.topological_order()  # raises on a cycle
    if report.decision == "SPLIT":
        static = [part.nodes for part in report.parts if part.kind == "static"]
        assert all(size >= limit for size in static)
        forced = [item for item in report.reasons() if item.rule == "FORCED"]
        assert all(report.parts[item.part].kind == "dynamic" for item in forced if item.part is not None)
    other = split(again, limit)
    assert (operators(other), kinds(other), again.to_text()) == (operators(report), kinds(report), graph.to_text())
    assert flattened(graph) == before


def test_the_cost_grows_with_the_graph_and_no_faster() -> None:
    steps = {}
    for count in (1000, 10_000):
        steps[count] = split(layered(count, 16), 4).steps
    assert steps[10_000] <= 11 * steps[1000]


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_nodes() -> None:
    report = split(chain("S" * 50_000 + "D" + "S" * 50_000), 4)
    assert [part.nodes for part in report.parts] == [50_000, 1, 50_000]


def test_nothing_is_left_behind() -> None:
    stats = _abi.load(_library.find_library()).call.library_stats

    def live() -> tuple[int, int, int]:
        gc.collect()
        found = stats()
        return found.graphs, found.nodes, found.blobs

    before = live()
    for _ in range(50):
        graph: Any = Graph.parse(CAPTURING)
        report: Any = split(graph)
        flatten(graph)
        del graph, report
    assert live() == before
