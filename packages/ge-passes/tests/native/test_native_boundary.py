"""rewrite_replace: boundaries drawn by hand."""

from __future__ import annotations

import ctypes
from typing import Any, Sequence

import pytest
from ge.passes import _abi
from ge.passes._abi import GeStatus
from passes_harness import Passes

GRAPH = "@g (%x, %w) { %a = A(%x, %w) %b = B(%a, %x) %c = C(%b) %n = Neg(%x) return %c, %n }"


def boundary(
    passes: Passes, graph: int, inputs: Sequence[tuple[str, int, int]], outputs: Sequence[tuple[str, int]]
) -> Any:
    def column(kind: Any, values: Sequence[int]) -> Any:
        return (kind * len(values))(*values)

    return _abi.ge_passes_boundary(
        input_nodes=column(ctypes.c_uint64, [passes.node(graph, n) for n, _, _ in inputs]),
        input_slots=column(ctypes.c_uint32, [s for _, s, _ in inputs]),
        input_groups=column(ctypes.c_uint32, [g for _, _, g in inputs]),
        input_count=len(inputs),
        output_nodes=column(ctypes.c_uint64, [passes.node(graph, n) for n, _ in outputs]),
        output_indices=column(ctypes.c_uint32, [i for _, i in outputs]),
        output_count=len(outputs),
    )


def replace(passes: Passes, graph: int, inputs: Any, outputs: Any, replacement: str, context: int = 0) -> None:
    passes.call.rewrite_replace(boundary(passes, graph, inputs, outputs), passes.graph(replacement), context)


REGION = [("a", 0, 0), ("a", 1, 1), ("b", 1, 0)]
TWO = "@r (%x, %w) { %f = F(%x, %w) return %f }"


def test_a_region(passes: Passes) -> None:
    """Rows 102, 125: slots of one input read one value."""
    graph = passes.graph(GRAPH)
    replace(passes, graph, REGION, [("b", 0)], TWO)
    assert passes.body(graph)[-4:] == ["%a_F = F(%x, %w)", "%c = C(%a_F)", "%n = Neg(%x)", "return %c, %n"]
    assert passes.strings(passes.node(graph, "a_F"), "_origin_nodes") == ["a", "b"]


def test_inside_a_pass(passes: Passes) -> None:
    """With a context the new nodes are marked; whatever fails later undoes it."""
    graph = passes.graph(GRAPH)

    def run(_graph: int, context: int) -> None:
        passes.call.context_set_pass_name(context, "renamed")
        replace(passes, graph, REGION, [("b", 0)], TWO, context)

    passes.register("p", kind=1, run=run)
    assert passes.run(graph) == 1
    assert passes.strings(passes.node(graph, "a_F"), "_pass_names") == ["renamed"]


def test_inside_a_subgraph(passes: Passes) -> None:
    """Values from around the subgraph may be inputs."""
    graph = passes.graph("@g (%c, %x) { %i = If(%c) then_branch: @t { %a = A(%x) %b = B(%a) return %b } return %i }")
    body = passes.ir.subgraph_get(passes.node(graph, "i"), "then_branch")
    replace(passes, body, [("a", 0, 0)], [("b", 0)], "@r (%x) { %f = F(%x) return %f }")
    assert "%a_F = F(%x)" in passes.text(graph)
    with passes.fails(GeStatus.INVALID_ARGUMENT, "input slot 0 of node 'a_F'", "in another graph"):
        replace(passes, body, [], [("a_F", 0)], "@r { %f = float32[](1.0) return %f }")


@pytest.mark.parametrize(
    "inputs, outputs, status, text",
    [
        ([], [], GeStatus.INVALID_ARGUMENT, "no outputs"),
        (REGION, [("b", 0), ("b", 0)], GeStatus.INVALID_ARGUMENT, "outputs 0 and 1 are the same value"),
        (REGION, [("b", 1)], GeStatus.OUT_OF_RANGE, "output 1 of node 'b'"),
        (
            [("a", 0, 0), ("a", 1, 0), ("b", 1, 0)],
            [("b", 0)],
            GeStatus.INVALID_ARGUMENT,
            "input 0 read different values",
        ),
        ([*REGION, ("a", 0, 1)], [("b", 0)], GeStatus.INVALID_ARGUMENT, "stands in it twice"),
        ([("a", 0, 0), ("a", 1, 2), ("b", 1, 0)], [("b", 0)], GeStatus.INVALID_ARGUMENT, "input 1 has no slot"),
        ([("a", 0, 0), ("a", 1, 9), ("b", 1, 0)], [("b", 0)], GeStatus.INVALID_ARGUMENT, "belongs to input 9"),
        ([("a", 7, 0)], [("b", 0)], GeStatus.OUT_OF_RANGE, "input slot 7 of node 'a'"),
        ([("a", 0, 0), ("a", 1, 1)], [("b", 0)], GeStatus.INVALID_ARGUMENT, "it is open: node 'x' (Data)"),
        ([*REGION, ("n", 0, 0)], [("b", 0)], GeStatus.INVALID_ARGUMENT, "input slot 0 of node 'n' (Neg)"),
        ([("c", 0, 0)], [("c", 0), ("b", 0)], GeStatus.INVALID_ARGUMENT, "it is open"),
    ],
)
def test_boundaries_that_break_a_rule(passes: Passes, inputs: Any, outputs: Any, status: GeStatus, text: str) -> None:
    """Rows 107, 126."""
    graph = passes.graph(GRAPH)
    before = passes.text(graph)
    with passes.fails(status, text):
        replace(passes, graph, inputs, outputs, TWO)
    assert passes.text(graph) == before


def test_a_value_read_outside(passes: Passes) -> None:
    """Row 107."""
    graph = passes.graph("@g (%x) { %a = A(%x) %b = B(%a) %n = Neg(%a) return %b, %n }")
    with passes.fails(GeStatus.REFUSED, "output 0 of node 'a'", "node 'n' (Neg)"):
        replace(passes, graph, [("a", 0, 0)], [("b", 0)], "@r (%x) { return %x }")


def test_an_input_made_inside(passes: Passes) -> None:
    graph = passes.graph("@g (%x) { %a = A(%x) %b = B(%a) %c = C(%a, %b) return %c, %b }")
    with passes.fails(GeStatus.INVALID_ARGUMENT, "input 1 is output 0 of node 'a'", "lies inside"):
        replace(passes, graph, [("a", 0, 0), ("c", 0, 1)], [("c", 0), ("b", 0)], "@r (%x, %y) { return %x, %y }")


def test_two_graphs(passes: Passes) -> None:
    """Row 108."""
    graph, other = passes.graph(GRAPH), passes.graph(GRAPH)
    wrong = boundary(passes, graph, REGION, [("b", 0)])
    wrong.input_nodes[2] = passes.node(other, "b")
    with passes.fails(GeStatus.FOREIGN, "input slot 2", "is not in graph 'g'"):
        passes.call.rewrite_replace(wrong, passes.graph(TWO), 0)


def test_a_cycle_is_always_found(passes: Passes) -> None:
    """Row 110: with the way of it."""
    graph = passes.graph("@g (%x) { %a = A(%x) %m = Neg(%a) %k = Abs(%m) %b = B(%k) return %a, %b }")
    before = passes.text(graph)
    with passes.fails(GeStatus.CYCLE, "'a' -> 'm' -> 'k' -> 'b'"):
        replace(passes, graph, [("a", 0, 0), ("b", 0, 1)], [("a", 0), ("b", 0)], "@r (%x, %y) { return %x, %y }")
    assert passes.text(graph) == before


def test_counts_and_wrong_replacements(passes: Passes) -> None:
    """Row 105."""
    graph = passes.graph(GRAPH)
    with passes.fails(GeStatus.INVALID_ARGUMENT, "has 1 inputs and 1 outputs", "has 2 inputs and 1 outputs"):
        replace(passes, graph, REGION, [("b", 0)], "@r (%x) { return %x }")
    with passes.fails(GeStatus.INVALID_ARGUMENT, "part of a graph"):
        passes.call.rewrite_replace(boundary(passes, graph, REGION, [("b", 0)]), graph, 0)
    with passes.fails(GeStatus.EXPIRED, "CONTEXT"):
        passes.call.rewrite_replace(boundary(passes, graph, REGION, [("b", 0)]), passes.graph(TWO), 8 << 56)
