"""Short texts written by hand."""

from __future__ import annotations

import text_support as ts
from text_support import call, parse

MODEL = """
graph (%x: float32[N, 4], %w: float32[4, 8]) {
  %y: float32[N, 8] = MatMul(%x, %w)   # a comment
  %z = Relu(%y) {alpha = 0.5}
  return %z
}
"""


def node_types(graph):
    return [call.symbol_text(call.node_op(node)[0]) for node in call.graph_nodes(graph, 0)]


def names(graph):
    return [call.node_name(node) for node in call.graph_nodes(graph, 0)]


def test_a_model_in_seven_lines():
    graph = parse(MODEL)
    assert node_types(graph) == ["Data", "Data", "MatMul", "Relu", "NetOutput"]
    assert names(graph) == ["x", "w", "y", "z", "NetOutput"]
    second = call.graph_find_node(graph, "w")
    assert call.attr_get(second, 0, 0, "index").i == 1
    assert call.graph_name(graph) == "graph"
    report = call.graph_verify(graph)
    assert bytes(call.blob_view(report)) == b""
    call.blob_release(report)
    call.graph_release(graph)


def test_line_breaks_do_not_matter():
    assert ts.printed(" ".join(line.split("#")[0] for line in MODEL.splitlines())) == ts.printed(MODEL)


def test_constants_as_operands():
    text = "graph @g(%x) { %y = Add(%x, float32(1.0)) %z = Mul(%y, int64[2](1, 2)) return %z, float32[3](fill 0) }"
    assert (
        ts.printed(text)
        == """\
graph @g(
    %x,  # 1 use
) {
  %Const = float32(1.0)  # 1 use
  %y = Add(%x, %Const)  # 1 use
  %Const_1 = int64[2](1, 2)  # 1 use
  %z = Mul(%y, %Const_1)  # 1 use
  %Const_2 = float32[3](0.0, 0.0, 0.0)  # 1 use
  return %z, %Const_2
}
"""
    )


def test_made_names_give_way_to_written_ones():
    text = "graph @g { Assert(float32(1)) %Const = Relu(_) %Assert = Relu(_) }"
    graph = parse(text)
    assert sorted(names(graph)) == ["Assert", "Assert_1", "Const", "Const_1"]
    assert names(graph)[2:] == ["Const", "Assert"]
    call.graph_release(graph)


def test_names_may_be_used_before_they_are_defined():
    text = "graph @g { return %b, %a[1] %b = Relu(%a) %a: (?, ?) = Split(%c) %c = Relu(_) after %b }"
    printed = ts.printed(text)
    assert printed.splitlines()[1] == "  %NetOutput: () = NetOutput(%b, %a[1])"
    assert ts.printed(printed) == printed


def test_bodies_take_the_key_as_name():
    text = "graph @g(%x) { %y = If(%x) then_branch: { return %x } else_branch: (%v: bool[]) { return %v } }"
    printed = ts.printed(text)
    assert "    then_branch: graph @then_branch {\n" in printed
    assert "    else_branch: graph @else_branch(\n        %v: bool[],  # 1 use\n    ) {\n" in printed


def test_trailing_commas_and_nested_brackets():
    text = "graph @g(%x,) { %y = Op(%x,) {a = [1, 2,], b = [[1,2],[]],} %w = int8[2, 1, 2]([[1, 2]], [[3, 4]],) }"
    try:
        parse(text)
    except ts.abi.AbiError as error:
        assert "expected ',' or ')' after an element" in str(error)  # rows have exact counts
    else:
        raise AssertionError("a third row was accepted")
    printed = ts.printed(text.replace("]],)", "]])"))
    assert "int8[2, 1, 2]([[1, 2]], [[3, 4]])" in printed
    assert "{a = [1, 2], b = [[1, 2], []]}" in printed


def test_return_without_values():
    assert ts.printed("graph @g { return () }") == "graph @g {\n  return ()\n}\n"
    assert ts.printed("graph @g { return }") == "graph @g {\n  return ()\n}\n"
