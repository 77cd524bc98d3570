"""Replacing: what stands there afterwards. Row and B numbers as in test_native_matching.py."""

from __future__ import annotations

import pytest
from ge.passes._abi import GeStatus
from passes_harness import Passes

FUSE = "@fuse (%a, %b, %c) { %m = MatMul(%a, %b) %s = Add(%m, %c) return %s }"
GEMM = "@gemm (%a, %b, %c) { %g = Gemm(%a, %b, %c) return %g }"
RELU = "@relu (%x) { %y = Relu(%x) return %y }"
TANH = "@tanh (%x) { %y = Tanh(%x) return %y }"


def test_two_nodes_become_one(passes: Passes) -> None:
    """Rows 99, 119, 121: wiring, names of values, provenance."""
    graph = passes.graph("@g (%x, %w, %b) { %mm = MatMul(%x, %w) %add as y = Add(%mm, %b) %r = Relu(%add) return %r }")
    passes.rewrite(graph, FUSE, GEMM)
    assert passes.body(graph)[-3:] == ["%mm_Gemm as y = Gemm(%x, %w, %b)", "%r = Relu(%mm_Gemm)", "return %r"]
    node = passes.node(graph, "mm_Gemm")
    assert passes.strings(node, "_origin_nodes") == ["mm", "add"]
    assert passes.strings(node, "_pass_names") == ["pass0"]


def test_types_come_along(passes: Passes) -> None:
    """Row 99 after shape inference: the type of the old value, unless the replacement says one."""
    graph = passes.rewrite("@g (%x) { %y: float32[2] = Relu(%x) return %y }", RELU, TANH)
    assert "%y_Tanh: float32[2] = Tanh(%x)" in passes.text(graph)
    passes.rewrite(graph, TANH, "@t (%x) { %y: int8[3] = Sign(%x) return %y }")
    assert "%y_Sign: int8[3] = Sign(%x)" in passes.text(graph)


def test_everything_of_a_new_node_is_copied(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %y = Relu(%x) return %y }")
    attributes = '{k = 1, out[1].o = "s", in[2].i = [0.5]}'
    made = f"@r (%x) {{ %a: (float32[2], ?) = Foo@7(%x: int8[1], _, %x) {attributes} return %a[0] }}"
    passes.rewrite(graph, RELU, made)
    line = next(line for line in passes.text(graph).splitlines() if "Foo" in line)
    assert "%y_Foo: (float32[2], ?) = Foo(%x: int8[1], _, %x) {k = 1" in line
    assert "opset 7" in passes.text(graph)
    assert 'out[1].o = "s"' in line and "in[2].i = [0.5]" in line


def test_a_shared_constant_stays(passes: Passes) -> None:
    """Row 100: it neither blocks nor goes; one that nobody else reads goes."""
    graph = passes.graph("@g (%x) { %k = float32[](1.0) %a = Add(%x, %k) %b = Mul(%x, %k) return %a, %b }")
    pattern = "@p (%x) { %c = Const() %y = Add(%x, %c) return %y }"
    passes.rewrite(graph, pattern, TANH)
    assert passes.types(graph) == ["Data", "Const", "Tanh", "Mul", "NetOutput"]
    passes.rewrite(graph, pattern.replace("Add", "Mul"), TANH)
    assert passes.types(graph) == ["Data", "Tanh", "Tanh", "NetOutput"]


def test_a_constant_of_two_matches_goes_with_the_last(passes: Passes) -> None:
    """B13: nobody writes into it; the second match still finds it."""
    graph = passes.graph("@g (%x) { %k = float32[](1.0) %a = Add(%x, %k) %b = Add(%a, %k) return %b }")
    passes.rewrite(graph, "@p (%x) { %c = Const() %y = Add(%x, %c) return %y }", TANH)
    assert passes.types(graph) == ["Data", "Tanh", "Tanh", "NetOutput"]


def test_two_outputs_and_several_readers(passes: Passes) -> None:
    """Row 101, 102."""
    graph = passes.graph(
        "@g (%x) { %a = A(%x) %b = B(%a) %c = C(%a) %n = Neg(%x) %d = D(%b, %c) %e = E(%c, %b, %b) return %d, %e, %n }"
    )
    passes.rewrite(
        graph,
        "@p (%x) { %a = A(%x) %b = B(%a) %c = C(%a) return %b, %c }",
        "@r (%x) { %s: (?, ?) = S(%x) return %s[1], %s[0] }",
    )
    assert passes.body(graph)[-4:] == [
        "%n = Neg(%x)",
        "%d = D(%a_S[1], %a_S[0])",
        "%e = E(%a_S[0], %a_S[1], %a_S[1])",
        "return %d, %e, %n",
    ]


def test_an_output_that_is_an_input(passes: Passes) -> None:
    """Rows 103, B22: the readers move to the producer; the graph's output name stays."""
    graph = passes.graph('@g (%a) { %u = Unsqueeze(%a) %s as y = Squeeze(%u) return %s {output_names = ["y"]} }')
    passes.rewrite(graph, "@p (%x) { %u = Unsqueeze(%x) %s = Squeeze(%u) return %s }", "@r (%x) { return %x }")
    assert passes.body(graph)[-1] == 'return %a {output_names = ["y"]}'
    assert passes.names(graph) == ["a", "NetOutput"]


def test_deleting_a_chain(passes: Passes) -> None:
    graph = passes.graph(
        "@g (%x) { %a = Identity(%x) %b = Identity(%a) %c = Identity(%b) %r = Relu(%c) return %r, %c }"
    )
    passes.rewrite(graph, "@p (%x) { %y = Identity(%x) return %y }", "@r (%x) { return %x }")
    assert passes.body(graph)[-2:] == ["%r = Relu(%x)", "return %r, %x"]


@pytest.mark.parametrize(
    "replacement, found",
    [
        ("@r (%x, %z) { %y = Add(%x, %z) return %y }", "has 2 inputs and 1 outputs"),
        ("@r { %k = float32[](1.0) return %k }", "has 0 inputs and 1 outputs"),
        ("@r (%x) { %y = Neg(%x) return %y, %x }", "has 1 inputs and 2 outputs"),
        ("@r (%x) { %y = Neg(%x) }", "has 1 inputs and 0 outputs"),
    ],
)
def test_counts_that_do_not_fit(passes: Passes, replacement: str, found: str) -> None:
    """Row 105: both counts, and the graph as it was."""
    graph = passes.graph("@g (%x) { %a = Relu(%x) %b = Relu(%a) return %b }")
    text = passes.text(graph)
    wanted = ("pass 'pass0', pattern 'relu', node 'a' (Relu) of graph 'g'", found, "has 1 inputs and 1 outputs")
    with passes.fails(GeStatus.CALLBACK_FAILED, *wanted):
        passes.rewrite(graph, RELU, replacement)
    assert passes.text(graph) == text


@pytest.mark.parametrize(
    "replacement, found",
    [
        ("@r (%x) { %a = A(%b) %b = B(%a, %x) return %b }", "cycle"),
        ("@r (%x) { return _ }", "output 0 of replacement graph 'r' is absent"),
        ("@r { %d = Data() {index = 5} %y = A(%d) return %y }", "1 inputs and 1 outputs"),
        ("@r (%x) { %d = Data() {index = 0} %y = A(%d) return %y }", "both have input index 0"),
    ],
)
def test_broken_replacements(passes: Passes, replacement: str, found: str) -> None:
    """Row 106."""
    graph = passes.graph("@g (%x) { %a = Relu(%x) return %a }")
    with passes.fails(GeStatus.CALLBACK_FAILED, "pattern 'relu'", found):
        passes.rewrite(graph, RELU, replacement)
    assert passes.types(graph) == ["Data", "Relu", "NetOutput"]


def test_earlier_rewrites_of_a_failing_pass_are_undone(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %a = Relu(%x) %b = Relu(%a) %c = Relu(%b) return %c }")
    text, version = passes.text(graph), passes.ir.graph_version(graph)
    calls: list[int] = []

    def replacement(_match: int, context: int) -> int:
        calls.append(1)
        if len(calls) == 3:
            passes.call.context_set_error_message(context, "too many of them")
            raise ValueError("no more")
        return passes.loose("@r (%x) { %i = If(%x) then_branch: @t { return %x } return %i }")

    parts = (
        "pattern 'relu'",
        "node 'c' (Relu)",
        "replacement: ValueError: no more",
        "message of the pass: too many of them",
    )
    with passes.fails(GeStatus.CALLBACK_FAILED, *parts):
        passes.rewrite(graph, RELU, replacement)
    assert (passes.text(graph), passes.ir.graph_version(graph), len(calls)) == (text, version, 3)


def test_a_hook_that_gives_no_graph(passes: Passes) -> None:
    """Row 112; and graphs that are not the hook's to give are refused, not released."""
    graph = passes.graph("@g (%x, %c) { %a = Relu(%x) %i = If(%c) then_branch: @t { return %c } return %a, %i }")
    body = passes.ir.subgraph_get(passes.node(graph, "i"), "then_branch")
    pattern_graph = passes.call.pattern_graph(passes.pattern(TANH))
    for given, text in (
        (0, "no graph"),
        (passes.node(graph, "a"), "expected a graph"),
        (graph, "the pass runs on"),
        (body, "subgraph"),
        (pattern_graph, "pattern"),
    ):
        with passes.fails(GeStatus.CALLBACK_FAILED, "replacement: gave", text):
            passes.rewrite(graph, RELU, lambda _match, _context, given=given: given)
    assert passes.types(graph) == ["Data", "Data", "Relu", "If", "NetOutput"]


def test_requirement_false(passes: Passes) -> None:
    """Row 113."""
    graph = passes.graph("@g (%x) { %a = Relu(%x) %b = Relu(%a) return %b }")
    text = passes.text(graph)
    passes.register("p", patterns=[RELU], replacement=TANH, meet=lambda _m, _c: False)
    executor = passes.executor()
    assert passes.run(graph, executor=executor) == 0
    assert passes.text(graph) == text and passes.stats(executor) == [("p", 2, 0, 2, 1)]
    only_b = passes.register(
        "q",
        patterns=[RELU],
        replacement=TANH,
        meet=lambda m, _c: passes.ir.node_name(passes.call.match_nodes(m)[0]) == "b",
    )
    assert passes.run(graph, executor=executor) == 1
    assert passes.types(graph) == ["Data", "Relu", "Tanh", "NetOutput"]
    assert passes.stats(executor) == [("p", 4, 0, 4, 2), ("q", 2, 1, 1, 1)] and only_b.created


def test_patterns_in_order_and_new_nodes_for_later_ones(passes: Passes) -> None:
    """Rows 72, 117."""
    graph = passes.graph("@g (%x) { %a = A(%x) return %a }")
    names: list[str] = []

    def replacement(match: int, _context: int) -> int:
        _, name = passes.call.match_pattern(match)
        names.append(name)
        return passes.loose(
            "@r (%x) { %y = B(%x) return %y }" if name == "first" else "@r (%x) { %y = C(%x) return %y }"
        )

    patterns = ["@first (%x) { %y = A(%x) return %y }", "@second (%x) { %y = B(%x) return %y }"]
    passes.register("p", patterns=patterns, replacement=replacement)
    passes.run(graph)
    assert names == ["first", "second"]
    assert passes.body(graph)[-2:] == ["%a_C = C(%x)", "return %a_C"]
    assert passes.strings(passes.node(graph, "a_C"), "_origin_nodes") == ["a"]


def test_adjacent_matches(passes: Passes) -> None:
    """B19: the second match is found in the graph as it is then."""
    graph = passes.graph("@g (%a, %b, %c) { %i = Concat(%a, %b) %o = Concat(%i, %c) return %o }")
    passes.rewrite(
        graph, "@p (%x, %y) { %c = Concat(%x, %y) return %c }", "@r (%x, %y) { %j = Join(%x, %y) return %j }"
    )
    assert passes.body(graph)[-3:] == ["%i_Join = Join(%a, %b)", "%o_Join = Join(%i_Join, %c)", "return %o_Join"]


def test_a_chain_folds_into_one(passes: Passes) -> None:
    """Each match takes the node that the last one made; that is no endless rule, however long the chain."""
    chain = " ".join(f"%n{i} = Relu(%n{i - 1})" for i in range(1, 300))
    graph = passes.graph(f"@g (%x) {{ %n0 = Relu(%x) {chain} return %n299 }}")
    passes.rewrite(graph, "@p (%x) { %a = Relu(%x) %b = Relu(%a) return %b }", RELU)
    assert passes.types(graph) == ["Data", "Relu", "NetOutput"]
    names = passes.strings(passes.ir.graph_nodes(graph, 0)[1], "_origin_nodes")
    assert names == [f"n{i}" for i in range(16)]  # bounded


def test_a_rule_that_makes_what_it_looks_for(passes: Passes) -> None:
    """B23."""
    graph = passes.graph("@g (%x) { %a = Relu(%x) return %a }")
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'pass0'", "pattern 'relu'", "(Relu) of graph 'g'", "never end"):
        passes.rewrite(graph, RELU, "@r (%x) { %y = Relu(%x) %z = Identity(%y) return %z }")
    assert passes.types(graph) == ["Data", "Relu", "NetOutput"]


def test_the_bound_of_rewrites(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %a = Relu(%x) %b = Relu(%a) %c = Relu(%b) return %c }")
    passes.register("p", patterns=[RELU], replacement=TANH)
    with passes.fails(GeStatus.CALLBACK_FAILED, "made 2 rewrites", "max_rewrites", "node 'c'"):
        passes.run(graph, executor=passes.executor(max_rewrites="2"))
    assert passes.types(graph) == ["Data", "Relu", "Relu", "Relu", "NetOutput"]
    assert passes.run(graph, executor=passes.executor(max_rewrites="3")) == 1


def test_a_match_that_would_close_a_cycle_is_skipped(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %a = A(%x) %m = Neg(%a) %b = B(%x, %m) return %a, %b }")
    pattern = "@p (%x, %m) { %a = A(%x) %b = B(%x, %m) return %a, %b }"
    passes.register("p", patterns=[pattern], replacement="@r (%x, %m) { %s: (?, ?) = S(%x, %m) return %s[0], %s[1] }")
    executor = passes.executor()
    assert passes.run(graph, executor=executor) == 0
    assert passes.stats(executor) == [("p", 1, 0, 1, 1)]


def test_a_cycle_through_a_control_edge(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %a = A(%x) %m = Neg(%x) after %a %b = B(%a, %m) return %b, %m }")
    passes.register(
        "p",
        patterns=["@p (%x, %m) { %a = A(%x) %b = B(%a, %m) return %b }"],
        replacement="@r (%x, %m) { %s = S(%x, %m) return %s }",
    )
    assert passes.run(graph) == 0


def test_list_order_stays_topological(passes: Passes) -> None:
    """Nodes between the first and the last old node that depend on the region move behind the new ones."""
    graph = passes.graph(
        "@g (%x, %y) { %a = A(%x) %c = Neg(%a) %d = Abs(%y) %e = Exp(%c) %b = B(%d) %f = Add(%e, %b) return %f, %d }"
    )
    passes.rewrite(
        graph,
        "@p (%x, %y) { %a = A(%x) %b = B(%y) return %a, %b }",
        "@r (%x, %y) { %s: (?, ?) = S(%x, %y) return %s[0], %s[1] }",
    )
    assert passes.body(graph)[-6:] == [
        "%d = Abs(%y)",
        "%a_S: (?, ?) = S(%x, %d)",
        "%c = Neg(%a_S[0])",
        "%e = Exp(%c)",
        "%f = Add(%e, %a_S[1])",
        "return %f, %d",
    ]


def test_control_edges_are_carried(passes: Passes) -> None:
    """Before all that starts, after all that ends; nothing in between is tied."""
    graph = passes.graph("@g (%x) { %p = P(%x) %a = A(%x) after %p %q = Q(%x) after %a return %a, %q, %p }")
    passes.rewrite(
        graph,
        "@a (%x) { %a = A(%x) return %a }",
        "@r (%x) { %u = U(%x) %v = V(%u) %w = W(%x) %k = K(%v, %w) after %u return %k }",
    )
    names = {n.split("_")[-1]: passes.node(graph, n) for n in passes.names(graph) if n.startswith("a_")}
    before = {k: [passes.ir.node_name(n) for n in passes.ir.control_inputs(v)] for k, v in names.items()}
    assert before == {"U": ["p"], "V": [], "W": ["p"], "K": ["a_U"]}
    assert [passes.ir.node_name(n) for n in passes.ir.control_inputs(passes.node(graph, "q"))] == ["a_K"]
    passes.rewrite(graph, "@k (%v, %w) { %k = K(%v, %w) return %k }", "@r (%v, %w) { return %v }")
    assert [passes.ir.node_name(n) for n in passes.ir.control_inputs(passes.node(graph, "q"))] == ["a_U"]


def test_names_are_unique_and_the_same_each_time(passes: Passes) -> None:
    """B20, and names are bounded."""
    text = "@g (%x) { %a_K = Neg(%x) %a = A(%a_K) %b = A(%a) return %b }"
    pattern = "@p (%x) { %a = A(%x) return %a }"
    made = "@r (%x) { %s = float32[](1.0) %t = float32[](2.0) %k = K(%x, %s, %t) return %k }"
    first = passes.rewrite(text, pattern, made)
    second = passes.rewrite(text, pattern, made)
    assert passes.names(first) == passes.names(second)
    assert passes.names(first) == [
        "x",
        "a_K",
        "a_Const",
        "a_Const_1",
        "a_K_1",
        "b_Const",
        "b_Const_1",
        "b_K",
        "NetOutput",
    ]
    long = passes.rewrite(f"@g (%x) {{ %{'n' * 5000} = A(%x) return %{'n' * 5000} }}", pattern, TANH)
    assert passes.names(long)[1] == "n" * 96 + "_Tanh"


CHOICE = """@r (%c, %x) {
  %n = Neg(%x)
  %i = If(%c) {note = "kept"}
    then_branch: @then {
      %i2 = If(%c)
        then_branch: @inner {
          %s = Add(%n, %x)
          return %s
        }
      return %i2
    }
    else_branch: @else {
      %r as inside = Relu(%late)
      %late = Abs(%x) after %q
      %q = Abs(%n)
      return %r
    }
  return %i
}"""


def test_subgraphs_come_along(passes: Passes) -> None:
    graph = passes.graph("@g (%c, %x) { %z = Exp(%x) %a = Select(%c, %z) return %a }")
    passes.rewrite(graph, "@p (%c, %x) { %a = Select(%c, %x) return %a }", CHOICE)
    text = passes.text(graph)
    for part in (
        "%a_Neg = Neg(%z)",
        "%i2 = If(%c)",
        "%s = Add(%a_Neg, %z)",
        "as inside = Relu(%late)",
        "%late = Abs(%z) after %q",
        "%q = Abs(%a_Neg)",
        'note = "kept"',
    ):
        assert part in text, text
    assert passes.ir.value_use_count(passes.node(graph, "z"), 0) == 3


def test_a_pass_runs_in_subgraphs(passes: Passes) -> None:
    """Row 135."""
    inner = "%j = If(%c) then_branch: @u { %r = Relu(%x) return %r } return %j"
    text = f"@g (%c, %x) {{ %i = If(%c) then_branch: @t {{ {inner} }} return %i }}"
    graph = passes.graph(text)
    passes.register("p", patterns=[RELU], replacement=TANH)
    executor = passes.executor()
    assert passes.run(graph, executor=executor) == 1
    assert "%r_Tanh = Tanh(%x)" in passes.text(graph)
    assert passes.stats(executor) == [("p", 1, 1, 0, 3)]


def test_a_failure_in_a_subgraph_undoes_the_root_too(passes: Passes) -> None:
    text = "@g (%c, %x) { %q = Relu(%x) %i = If(%c) then_branch: @t { %r = Relu(%q) return %r } return %i }"
    graph = passes.graph(text)
    before = passes.text(graph)

    def replacement(match: int, _context: int) -> int:
        if passes.ir.graph_name(passes.call.match_graph(match)) == "t":
            raise ValueError("not here")
        return passes.loose(TANH)

    with passes.fails(GeStatus.CALLBACK_FAILED, "of graph 't'", "not here"):
        passes.rewrite(graph, RELU, replacement)
    assert passes.text(graph) == before


def test_a_subgraph_that_goes_with_its_node_is_skipped(passes: Passes) -> None:
    """Row 136: the list of graphs was made before the node was replaced."""
    graph = passes.graph("@g (%c, %x) { %i = If(%c) then_branch: @t { %r = Relu(%x) return %r } return %i }")
    passes.register("p", kind=3, op_types=["If", "Relu"], replacement="@r (%c) { %y = Not(%c) return %y }")
    executor = passes.executor()
    assert passes.run(graph, executor=executor) == 1
    assert passes.types(graph) == ["Data", "Data", "Not", "NetOutput"]
    assert passes.stats(executor) == [("p", 1, 1, 0, 1)]


def test_captures_move_with_the_value(passes: Passes) -> None:
    graph = passes.graph(
        "@g (%c, %x) { %a = Relu(%x) %i = If(%c) then_branch: @t { %n = Neg(%a) return %n } return %i }"
    )
    passes.rewrite(graph, RELU, TANH)
    assert "%n = Neg(%a_Tanh)" in passes.text(graph)


def test_decompose(passes: Passes) -> None:
    """Row 114; new nodes of the type are not visited."""
    graph = passes.graph("@g (%x) { %a = Gelu(%x) %b = Gelu(%a) return %b }")
    made = "@r (%x) { %e = Erf(%x) %g = Gelu(%e) return %g }"
    passes.register(
        "p", kind=3, op_types=["Gelu"], replacement=made, meet=lambda node, _c: passes.ir.node_name(node) == "b"
    )
    executor = passes.executor()
    assert passes.run(graph, executor=executor) == 1
    assert passes.body(graph)[-4:] == ["%a = Gelu(%x)", "%b_Erf = Erf(%a)", "%b_Gelu = Gelu(%b_Erf)", "return %b_Gelu"]
    assert passes.stats(executor) == [("p", 2, 1, 1, 1)]


def test_inputs_of_a_decomposed_node_are_its_slots(passes: Passes) -> None:
    """Two slots with one producer are two inputs; an absent slot keeps its number, and stays absent."""
    graph = passes.graph("@g (%x, %h) { %a = Clip(%x, _, %h) %b = Pair(%x, %x) return %a, %b }")
    passes.register("p", kind=3, op_types=["Clip"], replacement="@r (%x, %l, %h) { %m = MinMax(%l, %x, %h) return %m }")
    passes.register("q", kind=3, op_types=["Pair"], replacement="@r (%x, %y) { %m = Two(%y, %x) return %m }")
    passes.run(graph)
    assert passes.body(graph)[-3:] == [
        "%a_MinMax = MinMax(_, %x, %h)",
        "%b_Two = Two(%x, %x)",
        "return %a_MinMax, %b_Two",
    ]
    passes.register("r", kind=3, op_types=["Two"], replacement="@r (%x) { return %x }")
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'r'", "has 1 inputs", "has 2 inputs"):
        passes.run(graph)


def test_a_broken_graph_is_found_after_each_pass(passes: Passes, monkeypatch: pytest.MonkeyPatch) -> None:
    """GE_VERIFY=1 (set by the fixture); row 110."""
    graph = passes.graph("@g (%x) { %a = A(%x) %b = B(%a) return %b }")
    text = passes.text(graph)

    def run(_graph: int, _context: int) -> None:
        passes.ir.node_set_input(passes.node(graph, "a"), 0, passes.node(graph, "b"), 0)

    passes.register("loop", kind=1, run=run)
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'loop'", "left a broken graph behind", "cycle"):
        passes.run(graph)
    assert passes.text(graph) == text
    monkeypatch.delenv("GE_VERIFY")
    assert passes.run(graph) == 1
