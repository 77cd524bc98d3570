"""The split by shape: who is dynamic, what merges, what is absorbed and demoted, and the reason of each."""

from __future__ import annotations

import json

import pytest
from ge.graph import Graph
from ge.partition import DynamicShapePartitioner, PartitionError, PartitionReport, PartitionRules
from partition_graphs import DYNAMIC, chain, data, kinds, operators, relu


def split(graph: Graph, limit: int = 1, **rules: str) -> PartitionReport:
    report = DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=limit, **rules)).partition(graph)
    assert graph.verify() is None
    return report


# ---------------------------------------------------------------- who is dynamic


def test_a_graph_of_known_shapes_is_not_split() -> None:
    graph = chain("SSS")
    before = graph.to_text()
    report = split(graph)
    assert report.decision == "ALL_STATIC"
    assert [(part.kind, part.nodes) for part in report.parts] == [("static", 3)]
    assert graph.to_text() == before
    assert report.explain("n0").rule == "STATIC"


@pytest.mark.parametrize(
    ("line", "rule", "text"),
    [
        ("%y: float32[N, 4] = Relu(%x)", "UNKNOWN_SHAPE", "output 0 'y' has unknown dimension 0 (N)"),
        ("%y: float32[?, 4] = Relu(%x)", "UNKNOWN_SHAPE", "output 0 'y' has unknown dimension 0"),
        ("%y: float32[*] = Relu(%x)", "UNKNOWN_SHAPE", "output 0 'y' has an unknown rank"),
        ("%y: float32 = Relu(%x)", "UNKNOWN_SHAPE", "output 0 'y' has no known shape"),
        ("%y: float32[4, 4] = Relu(%n)", "UNKNOWN_SHAPE", "input 0 has unknown dimension 0 (M)"),
        ('%y: type "seq(tensor(float))" = Relu(%x)', "UNKNOWN_SHAPE", "output 0 'y' is seq(tensor(float))"),
        ("%y: float32[4, 4] = Relu(%x) {_force_unknown_shape = true}", "FORCED", "_force_unknown_shape is true"),
        ("%y: float32[4, 4] = Relu(%x) {_is_unknown_shape = true}", "FORCED", "_is_unknown_shape is true"),
        ('%y: float32[4, 4] = Relu(%x) {_engine_name = "DNN_VM_HOST_CPU"}', "HOST_ENGINE", "DNN_VM_HOST_CPU"),
        ("%y: float32[4, 4] = Relu(%x) {_dynamic_tiling_depend_op = true}", "TILING", "value of an input"),
        ("%y: float32[4, 4] = Relu(%x) {_is_support_addr_refresh = false}", "ADDRESS", "cannot be refreshed"),
        ("%y: float32[4, 4] = Relu(%x) {_force_unknown_shape = false}", "STATIC", "all its shapes are known"),
        ('%y: float32[4, 4] = Relu(%x) {_engine_name = "ort"}', "STATIC", "all its shapes are known"),
        ("%y: float32[4, 4] = Relu(%x) {_is_support_addr_refresh = true}", "STATIC", "all its shapes are known"),
    ],
)
def test_each_rule_says_why(line: str, rule: str, text: str) -> None:
    line = line.replace(" = Relu", " as y = Relu", 1)
    graph = Graph.parse(f"graph @g (%x: float32[4, 4], %n: float32[M, 4]) {{\n  {line}\n  return %y\n}}")
    reason = split(graph).explain("y")
    assert (reason.rule, text in reason.text) == (rule, True), reason


def test_a_dynamic_node_in_a_body_makes_the_owner_dynamic() -> None:
    graph = Graph.parse(
        """graph @g(%c: bool[], %x: float32[4]) {
             %y: float32[4] = If(%c)
               then_branch: graph @t { %a: float32[4] = Relu(%x)  return %a }
               else_branch: graph @e { %b: float32[K] = Compress(%x, %c)  return %b }
             return %y
           }"""
    )
    reason = split(graph).explain("y")
    assert reason.rule == "SUBGRAPH"
    assert "node 'b' in its subgraph 'e' is dynamic: output 0 has unknown dimension 0 (K)" in reason.text


def test_an_optional_result_that_nobody_wants_says_nothing() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[4, 4]) {
             %y: (float32[4, 4], ?) = Dropout(%x)
             return %y
           }"""
    )
    assert split(graph).decision == "ALL_STATIC"


def test_a_reference_variable_goes_with_its_consumer() -> None:
    graph = Graph.parse(
        """graph @g(%x: float32[4, 4]) {
             %v: float32[4, 4] = Variable() {ref_var_src_var_name = "w"}
             %y: float32[4, 4] = Add(%x, %v) {_force_unknown_shape = true}
             return %y
           }"""
    )
    report = split(graph)
    assert report.explain("v").rule == "REFERENCE"
    assert operators(report) == [["v", "y"]]


# ---------------------------------------------------------------- what merges


@pytest.mark.parametrize(
    ("nodes", "limit", "parts"),
    [
        ("D", 1, [["n0"]]),
        ("SSDD", 1, [["n0", "n1"], ["n2", "n3"]]),
        ("DSD", 1, [["n0", "n1", "n2"]]),  # absorbed: any path, however long
        ("DSSSSSSD", 1, [["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]]),
        ("SSDSS", 1, [["n0", "n1"], ["n2"], ["n3", "n4"]]),
        ("SSDSS", 2, [["n0", "n1"], ["n2"], ["n3", "n4"]]),
        ("SSDSS", 3, [["n0", "n1", "n2", "n3", "n4"]]),  # both static parts are demoted
        ("SSSSDSS", 3, [["n0", "n1", "n2", "n3"], ["n4", "n5", "n6"]]),
        ("SSDSS", 0, [["n0", "n1"], ["n2"], ["n3", "n4"]]),
    ],
)
def test_chains(nodes: str, limit: int, parts: list[list[str]]) -> None:
    assert operators(split(chain(nodes), limit)) == parts


def test_the_default_limit_is_four() -> None:
    assert operators(DynamicShapePartitioner().partition(chain("SSSDSSSS"))) == [
        ["n0", "n1", "n2", "n3"],
        ["n4", "n5", "n6", "n7"],
    ]


def test_absorbed_and_demoted_nodes_say_so() -> None:
    report = split(chain("SDSDSS"), 2)
    assert report.explain("n2").rule == "ABSORBED"
    assert report.explain("n2").text == "it lies on a path from 'n1' to 'n3', both dynamic"
    assert report.explain("n0").rule == "DEMOTED"
    assert report.explain("n0").text == "its static part of 1 node is below the limit of 2"
    assert report.explain("n4").rule == "STATIC"
    assert (report.absorbed, report.demoted) == (1, 1)


def test_static_nodes_before_and_behind_dynamic_ones_do_not_merge() -> None:
    """a -> d -> c and a -> c: merging a with c would make the part wait for itself."""
    graph = Graph("g")
    x = data(graph, "x", 0)
    a = relu(graph, "a", [x])
    d = relu(graph, "d", [a], "D")
    c = relu(graph, "c", [a, d])
    graph.create_node("NetOutput", [c], name="out", output_count=0)
    report = split(graph)
    assert operators(report) == [["a"], ["d"], ["c"]]


def test_dynamic_nodes_without_a_connection_stay_apart() -> None:
    graph = Graph("g")
    x = data(graph, "x", 0)
    ends = [relu(graph, name, [x], "D") for name in ("a", "b")]
    graph.create_node("NetOutput", ends, name="out", output_count=0)
    assert operators(split(graph)) == [["a"], ["b"]]


def test_minus_one_makes_everything_dynamic_without_a_split() -> None:
    graph = chain("SSD")
    report = split(graph, -1)
    assert report.decision == "ALL_DYNAMIC"
    assert [(part.kind, part.nodes) for part in report.parts] == [("dynamic", 3)]
    assert "PartitionedCall" not in graph.to_text()


def test_a_graph_may_refuse() -> None:
    graph = chain("SSD")
    graph.set_attr("_no_need_dynamic_shape_partition", True)
    assert split(graph).decision == "NOT_ASKED"


def test_an_unknown_input_alone_stays_in_the_root() -> None:
    graph = Graph("g")
    x = data(graph, "x", 0, DYNAMIC)
    y = relu(graph, "y", [x])
    graph.create_node("NetOutput", [y], name="out", output_count=0)
    report = split(graph)
    assert kinds(report) == "D"
    assert report.explain("x").rule == "BOUNDARY"


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("limit", [-2, -100])
def test_a_limit_below_minus_one_names_option_and_value(limit: int) -> None:
    graph = chain("SD")
    before = graph.to_text()
    with pytest.raises(PartitionError, match=rf"E10001: the value '{limit}' of option static_model_ops_lower_limit"):
        split(graph, limit)
    assert graph.to_text() == before


def test_a_limit_of_another_type() -> None:
    with pytest.raises(TypeError, match="static_model_ops_lower_limit must be an int, found str: '4'"):
        PartitionRules(static_model_ops_lower_limit="4")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rules",
    [{"preset": "ge_code"}, {"absorption": "adjacent"}, {"reference_variables": "input"}, {"constants": "shared_part"}],
)
def test_what_is_not_built_says_so(rules: dict[str, str]) -> None:
    graph = chain("SD")
    before = graph.to_text()
    with pytest.raises(NotImplementedError, match="not implemented yet"):
        split(graph, 1, **rules)
    assert graph.to_text() == before


@pytest.mark.parametrize("mark", ["_stage_level", "_control_flow_group"])
def test_a_mark_of_a_split_that_is_not_built_is_refused(mark: str) -> None:
    graph = chain("SD")
    graph.find_node_by_name("n0").set_attr(mark, 1)
    before = graph.to_text()
    with pytest.raises(NotImplementedError, match=f"node 'n0' has the attribute {mark}; .* not implemented yet"):
        split(graph)
    assert graph.to_text() == before


def test_an_unknown_choice_lists_the_choices() -> None:
    with pytest.raises(ValueError, match="preset must be one of documented, ge_code, found 'other'"):
        PartitionRules(preset="other")


def test_a_split_graph_is_not_split_again() -> None:
    graph = chain("SD")
    split(graph)
    before = graph.to_text()
    with pytest.raises(PartitionError, match="graph 'g' is split already; flatten it"):
        split(graph)
    assert graph.to_text() == before


def test_a_subgraph_is_refused() -> None:
    graph = chain("S")
    graph.add_subgraph(chain("D", "inner"))
    with pytest.raises(PartitionError, match="'inner' is a subgraph"):
        split(graph.subgraphs["inner"])


def test_a_cycle_names_its_nodes() -> None:
    graph = Graph("g")
    x = data(graph, "x", 0)
    a = relu(graph, "a", [x, x], "D")
    b = relu(graph, "b", [a])
    graph.remove_edge(x, 0, a, 1)
    graph.add_data_edge(b, 0, a, 1)
    with pytest.raises(PartitionError, match=r"cycle.*'a'.*'b'|cycle.*'b'.*'a'"):
        DynamicShapePartitioner().partition(graph)


@pytest.mark.parametrize("wrong", [None, 7, "graph"])
def test_no_graph(wrong: object) -> None:
    with pytest.raises(TypeError, match="graph must be a Graph"):
        DynamicShapePartitioner().partition(wrong)  # type: ignore[arg-type]


def test_rules_of_another_type() -> None:
    with pytest.raises(TypeError, match="rules must be PartitionRules"):
        DynamicShapePartitioner({})  # type: ignore[arg-type]


# ---------------------------------------------------------------- the report


def test_the_report_in_words_and_json() -> None:
    report = split(chain("SSDSS"), 2)
    assert report.summary() == (
        "3 parts: 4 operators static, 1 dynamic (0 absorbed, 0 in too small static parts); 3 values leave a part"
    )
    assert "g_sub_1_unknow  dynamic      1  'n2': its attribute _force_unknown_shape is true" in report.to_table()
    content = json.loads(report.to_json())
    assert [part["nodes"] for part in content["parts"]] == [2, 1, 2]
    assert {item["name"]: item["part"] for item in content["nodes"]} == {
        "x": None, "n0": 0, "n1": 0, "n2": 1, "n3": 2, "n4": 2, "out": None,
    }  # fmt: skip


def test_explaining_a_node_that_is_not_there() -> None:
    report = split(chain("SD"))
    with pytest.raises(KeyError, match="no node named 'n9' before the split"):
        report.explain("n9")
    with pytest.raises(TypeError, match="expected a node or its name"):
        report.explain(3)  # type: ignore[arg-type]
