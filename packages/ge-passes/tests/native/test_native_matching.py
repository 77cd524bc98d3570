"""What matches and what does not. Row numbers are those of the scenario list, B numbers those of the bug list."""

from __future__ import annotations

import pytest
from ge.passes._abi import GeStatus
from passes_harness import CONST_VALUE, IR_ATTR, Passes

ADD_CONST = "@p (%x) { %c = float32[2](1.0, 2.0) %y = Add(%x, %c) return %y }"


def target(constant: str) -> str:
    return f"@g (%x) {{ %k = {constant} %y = Add(%x, %k) return %y }}"


def test_any_constant_matches_by_default(passes: Passes) -> None:
    """Row 59, 66."""
    assert passes.matches(ADD_CONST, target("int8[](3)")) == [["k", "y"]]


@pytest.mark.parametrize(
    "constant, found",
    [
        ("float32[2](1.0, 2.0)", 1),
        ("float32[2](1.0, 2.5)", 0),
        ("float64[2](1.0, 2.0)", 0),
        ("float32[1, 2](1.0, 2.0)", 0),
        ("float32[3](1.0, 2.0, 3.0)", 0),
        ("float32[](1.0)", 0),
    ],
)
def test_constant_values(passes: Passes, constant: str, found: int) -> None:
    """Rows 60, 61."""
    assert len(passes.matches(ADD_CONST, target(constant), CONST_VALUE)) == found


@pytest.mark.parametrize(
    "constant",
    [
        "int32[](7)",
        "int64[2](1, -1)",
        "float32[](0.5)",
        "uint32[3](1, 2, 3)",
        "float32[1, 1, 1, 1, 1, 2]([[[[[1.0, 2.0]]]]])",
        'string[2]("a", "bc")',
    ],
)
def test_equal_constants_of_every_kind(passes: Passes, constant: str) -> None:
    """Row 62."""
    pattern = f"@p (%x) {{ %c = {constant} %y = Add(%x, %c) return %y }}"
    assert passes.matches(pattern, target(constant), CONST_VALUE) == [["k", "y"]]


def test_strings_with_the_same_bytes_but_other_ends_differ(passes: Passes) -> None:
    pattern = '@p (%x) { %c = string[2]("a", "bc") %y = Add(%x, %c) return %y }'
    assert passes.matches(pattern, target('string[2]("ab", "c")'), CONST_VALUE) == []


def test_constants_without_data(passes: Passes) -> None:
    """Rows 63, 64."""
    no_data = "@p (%x) { %c = Const() %y = Add(%x, %c) return %y }"
    assert len(passes.matches(no_data, target("float32[](1.0)"), CONST_VALUE)) == 1
    graph = "@g (%x) { %k = Const() %y = Add(%x, %k) return %y }"
    assert passes.matches(ADD_CONST, graph, CONST_VALUE) == []


def test_the_two_kinds_of_constants_are_one_class(passes: Passes) -> None:
    graph = "@g (%x) { opset 13 %k = Constant() {value_float = 2.0f} %y = Add(%x, %k) return %y }"
    assert passes.matches(ADD_CONST, graph) == [["k", "y"]]
    scalar = "@p (%x) { %c = float32[](2.0) %y = Add(%x, %c) return %y }"
    assert passes.matches(scalar, graph, CONST_VALUE) == [["k", "y"]]


def test_a_constant_around_a_subgraph_is_not_followed(passes: Passes) -> None:
    """Row 65: matching stays inside one graph."""
    graph = passes.graph(
        "@g (%c, %x) { %k = float32[](1.0) %i = If(%c) then_branch: @b { %y = Add(%x, %k) return %y } return %i }"
    )
    body = passes.ir.subgraph_get(passes.node(graph, "i"), "then_branch")
    assert passes.matches(ADD_CONST, body) == []
    assert passes.matches("@p (%a, %b) { %y = Add(%a, %b) return %y }", body) == [["y"]]


def test_two_outputs(passes: Passes) -> None:
    """Row 67."""
    pattern = "@p (%x) { %a = A(%x) %b = B(%a) %c = C(%a) return %b, %c }"
    good = "@g (%x) { %a = A(%x) %b = B(%a) %c = C(%a) %n = Neg(%b) %o = Neg(%c) return %n, %o }"
    assert passes.matches(pattern, good) == [["a", "b", "c"]]
    assert passes.matches(pattern, good.replace("C(%a)", "D(%a)")) == []
    # The other leg reads something else.
    assert passes.matches(pattern, good.replace("C(%a)", "C(%x)")) == []


def test_an_input_used_twice(passes: Passes) -> None:
    """Row 68, and defect 3 of the reference: the output index counts."""
    pattern = "@p (%x) { %y = Add(%x, %x) return %y }"
    assert passes.matches(pattern, "@g (%x) { %y = Add(%x, %x) return %y }") == [["y"]]
    assert passes.matches(pattern, "@g (%x, %z) { %y = Add(%x, %z) return %y }") == []
    split = "@g (%x) { %s: (?, ?) = Split(%x) %y = Add(%s[0], %s[1]) return %y }"
    assert passes.matches(pattern, split) == []


def test_one_input_feeding_two_nodes(passes: Passes) -> None:
    pattern = "@p (%x) { %a = A(%x) %b = B(%x) %y = Add(%a, %b) return %y }"
    assert len(passes.matches(pattern, "@g (%q) { %a = A(%q) %b = B(%q) %y = Add(%a, %b) return %y }")) == 1
    assert passes.matches(pattern, "@g (%q, %r) { %a = A(%q) %b = B(%r) %y = Add(%a, %b) return %y }") == []


def test_outputs_of_a_producer_must_agree(passes: Passes) -> None:
    pattern = "@p (%x) { %s: (?, ?) = Split(%x) %y = Relu(%s[1]) return %y }"
    assert passes.matches(pattern, "@g (%x) { %s: (?, ?) = Split(%x) %y = Relu(%s[1]) return %y }") == [["s", "y"]]
    assert passes.matches(pattern, "@g (%x) { %s: (?, ?) = Split(%x) %y = Relu(%s[0]) return %y }") == []


PARTIAL = "@p (%x) { %s: (?, ?) = Split(%x) {axis = 1} return %s[0] }"


def test_some_outputs_of_a_node(passes: Passes) -> None:
    """Rows 73, B17: an output that is not declared must be unread, else it blocks."""
    unread = "@g (%x) { %s: (?, ?) = Split(%x) {axis = 1} %y = Relu(%s[0]) return %y }"
    for flags in (0, IR_ATTR):
        assert passes.matches(PARTIAL, unread, flags) == [["s"]]
    assert passes.matches(PARTIAL, unread.replace("axis = 1", "axis = 2"), IR_ATTR) == []
    read = "@g (%x) { %s: (?, ?) = Split(%x) {axis = 1} %y = Add(%s[0], %s[1]) return %y }"
    assert passes.matches(PARTIAL, read) == []
    one_output = "@p (%x) { %m = MaxPool(%x) return %m }"
    pool = "@g (%x) { %m: (?, ?) = MaxPool(%x) return %m[0], %m[1] }"
    assert passes.matches(one_output, pool) == []


MIDDLE = "@g (%x) { %a = A(%x) %b = B(%a) %r = Relu(%a) return %b, %r }"


def test_a_value_read_outside_blocks(passes: Passes) -> None:
    """B02, row 75: unless it is declared."""
    assert passes.matches("@p (%x) { %a = A(%x) %b = B(%a) return %b }", MIDDLE) == []
    assert passes.matches("@p (%x) { %a = A(%x) %b = B(%a) return %b, %a }", MIDDLE) == [["a", "b"]]


def test_a_graph_output_is_a_reader(passes: Passes) -> None:
    """B01."""
    pattern = "@p (%x) { %s = Sigmoid(%x) %y = Mul(%x, %s) return %y }"
    assert passes.matches(pattern, "@g (%x) { %s = Sigmoid(%x) %y = Mul(%x, %s) return %y }") == [["s", "y"]]
    assert passes.matches(pattern, "@g (%x) { %s = Sigmoid(%x) %y = Mul(%x, %s) return %y, %s }") == []


def test_a_capture_is_a_reader(passes: Passes) -> None:
    """B40."""
    pattern = "@p (%x) { %a = Identity(%x) %b = B(%a) return %b }"
    lines = "%a = Identity(%x) %b = B(%a) %i = If(%c) then_branch: @t { %n = Neg(%a) return %n }"
    graph = f"@g (%c, %x) {{ {lines} return %b, %i }}"
    assert passes.matches(pattern, graph) == []
    assert passes.matches(pattern, graph.replace("Neg(%a)", "Neg(%b)")) == [["a", "b"]]


def test_a_node_with_subgraphs_is_not_matched(passes: Passes) -> None:
    graph = "@g (%c, %x) { %i = If(%c) then_branch: @t { return %x } return %i }"
    assert passes.matches("@p (%c) { %i = If(%c) return %i }", graph) == []


def test_all_instances_whatever_the_candidate_counts(passes: Passes) -> None:
    """Row 76: output 0 has 5 candidates, output 1 has 4."""
    lines = [f"%a{i} = A(%x{i}) %b{i} = B(%x{i})" for i in range(4)]
    inputs = ", ".join(f"%x{i}" for i in range(5))
    outputs = ", ".join(f"%a{i}, %b{i}" for i in range(4))
    graph = f"@g ({inputs}) {{ %a4 = A(%x4) {' '.join(lines)} return %a4, {outputs} }}"
    assert passes.matches("@p (%x) { %a = A(%x) %b = B(%x) return %a, %b }", graph) == [
        [f"a{i}", f"b{i}"] for i in range(4)
    ]


ATTRS = {
    "int": ("k = 1", "k = 2"),
    "float": ("k = 0.5", "k = 0.25"),
    "float32": ("k = 0.5f", "k = 0.25f"),
    "dtype": ("k = int8", "k = bool"),
    "list": ("k = [1, 2]", "k = [1, 3]"),
    "list length": ("k = [1, 2]", "k = [1]"),
    "strings": ('k = ["a", "bc"]', 'k = ["ab", "c"]'),
    "several": ('a = 1, b = "s", c = [0.5]', 'a = 1, b = "t", c = [0.5]'),
    "tensor": ("k = float32[2](1.0, 2.0)", "k = float32[2](1.0, 3.0)"),
    "lists of lists": ("k = [[1], [2, 3]]", "k = [[1, 2], [3]]"),
    "kind": ("k = 1", "k = true"),
}


@pytest.mark.parametrize("same, other", ATTRS.values(), ids=ATTRS)
def test_attributes(passes: Passes, same: str, other: str) -> None:
    """Row 77."""
    pattern = f"@p (%x) {{ %y = Op(%x) {{{same}}} return %y }}"
    assert passes.matches(pattern, f"@g (%x) {{ %y = Op(%x) {{{same}}} return %y }}", IR_ATTR) == [["y"]]
    different = f"@g (%x) {{ %y = Op(%x) {{{other}}} return %y }}"
    assert passes.matches(pattern, different, IR_ATTR) == []
    assert passes.matches(pattern, different) == [["y"]]


def test_attribute_names(passes: Passes) -> None:
    """Row 78 and defect 7: compared by name, in whatever order; provenance marks do not count."""
    pattern = passes.pattern("@p (%x) { %y = Op(%x) {a = 1, b = 2} return %y }", IR_ATTR)
    for attributes, found in (
        ("b = 2, a = 1", 1),
        ("a = 1", 0),
        ("a = 1, b = 2, c = 3", 0),
        ("a = 2, b = 1", 0),
        ("a = 1, c = 2", 0),
    ):
        assert len(passes.matches(pattern, f"@g (%x) {{ %y = Op(%x) {{{attributes}}} return %y }}")) == found, (
            attributes
        )
    marked = '@g (%x) { %y = Op(%x) {_origin_nodes = ["q"], a = 1, b = 2, _pass_names = ["p"]} return %y }'
    assert passes.matches(pattern, marked) == [["y"]]


def test_the_type_counts_with_attributes_too(passes: Passes) -> None:
    """Defect 1: for inner nodes as well."""
    pattern = "@p (%x) { %f = Foo(%x) {axis = 1} %y = Relu(%f) return %y }"
    graph = "@g (%x) { %f = Bar(%x) {axis = 1} %y = Relu(%f) return %y }"
    assert passes.matches(pattern, graph, IR_ATTR) == []


def test_the_domain_counts(passes: Passes) -> None:
    pattern = "@p (%x) { %y = com.a::Op(%x) return %y }"
    assert passes.matches(pattern, "@g (%x) { %y = com.a::Op(%x) return %y }") == [["y"]]
    assert passes.matches(pattern, "@g (%x) { %y = Op(%x) return %y }") == []
    assert passes.matches(pattern, "@g (%x) { %y = com.b::Op(%x) return %y }") == []


def test_an_input_matches_a_constant(passes: Passes) -> None:
    """Row 80."""
    assert passes.matches("@p (%x, %c) { %y = Add(%x, %c) return %y }", target("float32[](1.0)")) == [["y"]]


def test_missing_inputs_stay_missing(passes: Passes) -> None:
    """B18 and defect 2: slots pair by index; absent ones at the end are not there."""
    high = passes.pattern("@p (%x, %h) { %y = Clip(%x, _, %h) return %y }")
    low = passes.pattern("@p (%x, %l) { %y = Clip(%x, %l) return %y }")
    none = passes.pattern("@p (%x) { %y = Clip(%x, _) return %y }")
    both = passes.pattern("@p (%x, %l, %h) { %y = Clip(%x, %l, %h) return %y }")
    for call, fits in (
        ("%x, _, %z", high),
        ("%x, %z", low),
        ("%x, %z, _", low),
        ("%x", none),
        ("%x, _, _", none),
        ("%x, %z, %z", both),
    ):
        graph = passes.graph(f"@g (%x, %z) {{ %y = Clip({call}) return %y }}")
        assert [p for p in (high, low, none, both) if passes.matches(p, graph)] == [fits], call


def test_different_pattern_nodes_are_different_nodes(passes: Passes) -> None:
    """B21, defect 4."""
    pattern = "@p (%x, %s) { %a = Reshape(%x, %s) %b = Reshape(%x, %s) return %a, %b }"
    assert passes.matches(pattern, "@g (%x, %s) { %a = Reshape(%x, %s) return %a }") == []
    twice = "@g (%x, %s) { %a = Reshape(%x, %s) %b = Reshape(%x, %s) return %a, %b }"
    assert passes.matches(pattern, twice) == [["a", "b"], ["a", "b"]]  # either may be the first output
    assert passes.matches(pattern, twice, most=1) == [["a", "b"]]


def test_outputs_that_share_nothing(passes: Passes) -> None:
    pattern = "@p (%x, %y) { %a = A(%x) %b = B(%y) return %a, %b }"
    graph = "@g (%x) { %a = A(%x) %b = B(%x) %c = B(%x) return %a, %b, %c }"
    assert passes.matches(pattern, graph) == [["a", "b"], ["a", "c"]]


def test_an_output_that_is_reached_through_a_chain(passes: Passes) -> None:
    pattern = "@p (%x, %y) { %a = A(%x) %b = B(%x) %c = C(%b, %y) %d = D(%c) return %a, %d }"
    lines = "%b0 = B(%x) %a = A(%x) %b = B(%x) %c = C(%b, %y) %c0 = E(%b0, %y) %d = D(%c)"
    graph = f"@g (%x, %y) {{ {lines} return %a, %d, %c0 }}"
    assert passes.matches(pattern, graph) == [["a", "b", "c", "d"]]


def test_an_input_bound_to_a_matched_value_is_no_match(passes: Passes) -> None:
    """The value would go, and the replacement could not read it."""
    pattern = "@p (%x, %y) { %r = Relu(%x) %s = Add(%r, %y) return %r, %s }"
    assert passes.matches(pattern, "@g (%x) { %r = Relu(%x) %s = Add(%r, %r) return %r, %s }") == []


def test_nothing_to_find(passes: Passes) -> None:
    """Row 92."""
    pattern = passes.pattern("@p (%x) { %a = A(%x) %b = A(%a) return %b }")
    assert passes.matches(pattern, "@g { }") == []
    assert passes.matches(pattern, "@g (%x) { %a = A(%x) return %a }") == []


def test_order_of_matches(passes: Passes) -> None:
    """Row 94: topological, whatever the list order; the same again."""
    graph = passes.graph("@g (%x) { %c = A(%b) %b = A(%a) %a = A(%x) %d = A(%x) return %c, %d }")
    pattern = passes.pattern("@p (%x) { %a = A(%x) return %a }")
    assert passes.matches(pattern, graph) == [["a"], ["b"], ["c"], ["d"]]
    assert passes.matches(pattern, graph) == passes.matches(pattern, graph)


def test_overlapping_matches_are_all_listed(passes: Passes) -> None:
    graph = "@g (%x) { %a = A(%x) %b = A(%a) %c = A(%b) return %c }"
    assert passes.matches("@p (%x) { %a = A(%x) %b = A(%a) return %b }", graph) == [["a", "b"], ["b", "c"]]


def test_matching_changes_nothing(passes: Passes) -> None:
    """Defect 6."""
    graph = passes.graph("@g (%x) { %y = Op(%x) {a = 1} return %y }")
    text, version = passes.text(graph), passes.ir.graph_version(graph)
    assert passes.matches("@p (%x) { %y = Op(%x) {a = 1, b = 2} return %y }", graph, IR_ATTR) == []
    assert passes.matches("@p (%x) { %y = Op(%x) {a = 1} return %y }", graph, IR_ATTR) == [["y"]]
    assert (passes.text(graph), passes.ir.graph_version(graph)) == (text, version)


def test_captures(passes: Passes) -> None:
    """Rows 95, 96, and defect 8: one value captured twice has both numbers."""
    pattern = passes.pattern(
        "@p (%x) { %s: (?, ?) = Split(%x) %y = Add(%s[0], %s[1]) return %y }",
        captures=[("s", 1), ("x", 0), ("y", 0), ("s", 1)],
    )
    graph = passes.graph(
        "@g (%q) { %t: (?, ?) = Split(%q) %u: (?, ?) = Split(%t[1]) %v = Add(%u[0], %u[1]) return %t[0], %v }"
    )

    def read(match: int) -> list[tuple[str, int]]:
        values = [passes.call.match_captured(match, i) for i in range(4)]
        with passes.fails(GeStatus.OUT_OF_RANGE, "capture 4", "'p'", "4 captures"):
            passes.call.match_captured(match, 4)
        return [(passes.ir.node_name(node), index) for node, index in values]

    assert passes.visit(pattern, graph, read) == [[("u", 1), ("t", 1), ("v", 0), ("u", 1)]]


def test_reading_a_match(passes: Passes) -> None:
    """Row 97, and the rest of the view."""
    pattern = passes.pattern("@named (%x, %z) { %y = Sub(%z, %x) return %y }")
    graph = passes.graph("@g (%a, %b) { %d = Sub(%a, %b) return %d }")
    pattern_graph = passes.call.pattern_graph(pattern)
    seen: list[int] = []

    def read(match: int) -> tuple[object, ...]:
        seen.append(match)
        nodes, indices = passes.call.match_inputs(match)
        with passes.fails(GeStatus.FOREIGN, "'named'"):
            passes.call.match_node_of(match, passes.node(graph, "d"))
        return (
            [passes.ir.node_name(n) for n in nodes],
            indices,
            passes.call.match_pattern(match),
            passes.call.match_graph(match),
            passes.ir.node_name(passes.call.match_node_of(match, passes.node(pattern_graph, "y"))),
            passes.ir.node_name(passes.call.match_node_of(match, passes.node(pattern_graph, "z"))),
        )

    assert passes.visit(pattern, graph, read) == [(["b", "a"], [0, 0], (pattern, "named"), graph, "d", "a")]
    with passes.fails(GeStatus.EXPIRED, "MATCH"):
        passes.call.match_nodes(seen[0])


@pytest.mark.parametrize(
    "text, rule",
    [
        ("@p (%x) { %y = A(%x) }", "no output"),
        ("@p (%x) { return %x }", "output 0 is input 0"),
        ("@p (%x) { %y = A(%x) return %y, %y }", "output 1 is the value of an earlier output"),
        ("@p (%x) { %y = A(%x) %z = B(%x) return %y }", "'z' (B)"),
        ("@p (%x, %z) { %y = A(%x) return %y }", "input 1 leads to no output"),
        ("@p (%x) { %a = A(%x) %y = B(%x) after %a return %y, %a }", "control edge from node 'a'"),
        ("@p (%x) { %a = A(%b) %b = B(%a) return %b }", "cycle"),
        ("@p (%x) { %y = If(%x) then_branch: @t { return () } return %y }", "'y' (If) of graph 'p' owns subgraphs"),
        ("@p { %d = Data() {index = 1} %y = A(%d) return %y }", "input 0 is missing"),
        ("@p (%x) { %y = A(%x) return _ }", "output 0 is absent"),
    ],
)
def test_patterns_that_break_a_rule(passes: Passes, text: str, rule: str) -> None:
    with passes.fails(GeStatus.INVALID_ARGUMENT, "pattern graph 'p'", rule):
        passes.pattern(text)


def test_a_graph_belongs_to_one_pattern(passes: Passes) -> None:
    pattern = passes.pattern("@p (%x) { %y = A(%x) return %y }")
    with passes.fails(GeStatus.INVALID_STATE, "belongs to a pattern already"):
        passes.call.pattern_create(passes.call.pattern_graph(pattern))


def test_captures_are_checked(passes: Passes) -> None:
    pattern = passes.pattern("@p (%x) { %y = A(%x) return %y }")
    graph = passes.graph("@g (%x) { return %x }")
    with passes.fails(GeStatus.FOREIGN, "'p'"):
        passes.call.pattern_capture(pattern, passes.node(graph, "x"), 0)
    with passes.fails(GeStatus.OUT_OF_RANGE, "output 1", "has 1"):
        passes.call.pattern_capture(pattern, passes.node(passes.call.pattern_graph(pattern), "y"), 1)
    assert passes.call.pattern_captures(pattern) == ([], [])


def test_a_visitor_that_edits_is_refused(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %a = A(%x) %b = A(%a) return %b }")
    pattern = passes.pattern("@p (%x) { %y = A(%x) return %y }")
    with passes.fails(GeStatus.INVALID_STATE, "visit changed graph 'g'"):
        passes.visit(pattern, graph, lambda _: passes.ir.node_set_name(passes.node(graph, "b"), "c"))
