"""What the parser says: the place, the line, a caret, what was expected and found, what was meant."""

from __future__ import annotations

import pytest
import text_support as ts
from text_support import abi, call

G = "graph @g {\n"


def error_of(text, source="m.txt"):
    with pytest.raises(abi.AbiError) as caught:
        ts.parse(text, source)
    assert caught.value.status == abi.GeStatus.PARSE_ERROR
    return caught.value.message


def test_the_whole_message():
    assert error_of(G + "  %y = Relu(%x {alpha = 0.5}\n}\n") == (
        "m.txt:2:16: expected ',' or ')' after an operand, found '{'\n"
        "    %y = Relu(%x {alpha = 0.5}\n"
        "                 ^"
    )


CASES = [
    ("", "1:1: expected 'graph' at the start of the text, found the end of the text"),
    ("grph @g {}", "1:1: expected 'graph' at the start of the text, found 'grph' (did you mean 'graph'?)"),
    ("graph @ g {}", "1:9: expected a graph name after '@', found 'g'"),
    ("graph @g", "1:9: expected '{' and the nodes of the graph, found the end of the text"),
    ("graph @g {} graph", "1:13: expected the end of the text: it holds one graph, found 'graph'"),
    (G + "  %x = ", "2:8: expected an operator, found the end of the text"),
    (G + "  %x: flaot32 = A()", "2:7: expected a type, found 'flaot32' (did you mean 'float32'?)"),
    (G + "  %x: half[2] = A()", "2:7: expected a type, found 'half' (did you mean 'float16'?)"),
    (G + "  %x: float32[2 3] = A()", "2:17: expected ',' or ']' after a dimension, found '3'"),
    (
        G + "  %x: float32[1.5] = A()",
        "2:15: expected a dimension: a size, a symbol or '?' from -9223372036854775808 to ",
    ),
    (
        G + "  %x: float32@NCWH = A()",
        "2:15: expected a format: its name or number, found 'NCWH' (did you mean 'NCHW'?)",
    ),
    (G + "  %x = A(%y)\n}", "2:10: %y is defined nowhere in this graph or around it (did you mean 'x'?)"),
    (
        G + "  %conv1 = A()\n %b = B(%covn1)\n}",
        "3:9: %covn1 is defined nowhere in this graph or around it (did you mean 'conv1'?)",
    ),
    (G + "  %x = A()\n  %x = B()\n}", "3:3: %x is defined in this graph already, in line 2"),
    (G + "  %x = A()\n  %b = B(%x[1])\n}", "3:10: %x has 1 output, there is no output 1"),
    (G + "  %b = B(%x[2])\n  %x: (?, ?) = A()\n}", "2:10: %x has 2 outputs, there is no output 2"),
    (G + "  %x = A() after %q\n}", "2:18: %q is defined nowhere in this graph or around it"),
    (G + "  retrun %x\n}", "2:10: expected '(' after operator retrun, found '%x' (did you mean 'return'?)"),
    (G + "  ! \n}", "2:3: expected a statement such as '%name = Operator(...)' or 'return ...', or '}', found '!'"),
    (G + "  %x = A() {a 1}", "2:15: expected '=' after an attribute name, found '1'"),
    (G + "  %x = A() {a = treu}", "2:17: expected an attribute value, found 'treu' (did you mean 'true'?)"),
    (G + "  %x = A() {a = 1, a = 2}", "2:20: attribute 'a' was given before"),
    (G + "  %x = A() {in[1].a = 2}", "2:13: "),
    (G + "  %x = A() {a = [1, 2.0]}", "2:21: the items of a list have one kind: this list is [int], the item is float"),
    (G + "  %x = A() {a = []}", "2:17: an empty list needs the kind of its items: []: int"),
    (
        G + "  %x = A() {a = []: itn}",
        "2:21: expected an attribute kind such as int, float, string or [int], found 'itn' (did you mean 'int'?)",
    ),
    (G + "  %x = A() {a = ref(b)}", "2:22: expected ':' and an attribute kind in 'ref(name: kind)', found ')'"),
    (
        G + "  %x = A() {a = 9223372036854775808}",
        "2:17: expected an integer from -9223372036854775808 to 9223372036854775807",
    ),
    (G + "  %x = A() {a = 1.}", "2:19: expected a digit in this number"),
    (G + "  %x = A() {a = 1x}", "2:17: this is no number: unexpected 'x' behind 1"),
    (G + "  %x = A() {a = 1e39f}", "2:17: 1e39 is no number of float32"),
    (G + '  %x = A() {a = "abc}\n}', "2:17: this string is not closed: expected '\"' before the end of the line"),
    (G + '  %x = A() {a = "\\q"}', "2:18: unknown escape: expected one of"),
    (G + '  %x = A() {a = "\\xZ1"}', "2:18: \\x needs two hex digits"),
    (G + '  %x = A() {a = "\\u{d800}"}', "2:18: \\u needs a code point in braces"),
    (G + '  %x = A() {a = hex"012"}', "2:23: expected two hex digits or '\"' in a hex block"),
    (G + "  %x = float32[3](1, 2)\n}", "2:23: expected 3 elements, which the shape asks for, found ')' after 2"),
    (G + "  %x = float32[1](1, 2)\n}", "2:22: expected 1 elements, which the shape asks for, found '2' after 1"),
    (
        G + "  %x = float32[2, 2]([1, 2], [3])\n}",
        "2:32: expected 2 elements in this row, which the shape asks for, found ']' after 1",
    ),
    (G + "  %x = int8[1](300)\n}", "2:16: 300 does not fit int8 (-128 .. 127)"),
    (G + "  %x = uint8[1](-1)\n}", "2:17: -1 does not fit uint8 (0 .. 255)"),
    (G + "  %x = int8[1](1.5)\n}", "2:16: int8 elements are whole numbers, found 1.5"),
    (G + "  %x = float16[1](1e6)\n}", "2:19: 1e6 does not fit float16 (largest is 65504.0)"),
    (G + "  %x = float32[1](1f)\n}", "2:19: elements have no suffix 'f': their type is float32"),
    (G + "  %x = bool[1](1)\n}", "2:16: expected true or false, found '1'"),
    (G + '  %x = float32[2](hex"00")\n}', "2:8: expected 8 bytes for shape [2] of FLOAT, found 1"),
    (G + "  %x = float32[N](1)\n}", "2:8: a constant has no symbolic dimensions"),
    (G + "  %x = float32[*](1)\n}", "2:8: a constant needs a known shape, found [*]"),
    (G + "  %x = float32[99999999999](fill 1)\n}", "2:8: 'fill' makes at most 268435456 bytes"),
    (
        G + "  %x = float32[4294967296, 4294967296, 4](1)\n}",
        "2:8: the shape of this constant has more than 2^64 elements",
    ),
    (
        G + "  %x = float32[9](...)\n}",
        "2:19: '...' stands for text that was left out: only text printed without ELIDE can be parsed",
    ),
    (G + "  ... 5 nodes ...\n}", "2:3: '...' stands for text that was left out"),
    (G + "  %x = A()\n  opset 13\n}", "3:9: 'opset' stands at the top of the outermost graph, before its first node"),
    (G + "  opset 13\n  opset 14\n}", "3:9: the version of domain '' was said before"),
    (G + "  attr a = 1\n  attr a = 2\n}", "3:8: the graph has an attribute 'a' already"),
    (G + "  %x = If() b: {} b: {}\n}", "2:19: "),
    (G + "  %x: (?, ?) = float32(1)\n}", "2:3: a constant has one output"),
    (G + '  %"" = A()\n}', "2:3: a node name must not be empty"),
    ("graph @g(%x %y) {}", "1:13: expected ',' or ')' after a parameter, found '%y'"),
    ("graph @g(x) {}", "1:10: expected a parameter: '%name', found 'x'"),
]


@pytest.mark.parametrize(("text", "message"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_errors(text, message):
    error = error_of(text)
    assert error.startswith("m.txt:" + message)
    first, line, caret = error.split("\n")
    row, column = (int(part) for part in first.split(":")[1:3])
    # The caret stands below the place that the numbers name, in the line as it is.
    assert line == "  " + (text.split("\n")[row - 1] if text else "")
    assert caret == " " * (column + 1) + "^"


def test_store_errors_keep_their_reason():
    message = error_of(G + "  %x = A() {in[1].a = 2}\n}").split("\n")[0]
    assert "1" in message
    message = error_of(G + "  %x = If() b: {} b: {}\n}").split("\n")[0]
    assert "b" in message


def test_columns_count_characters_and_tabs_stay():
    message = error_of('graph @g {\n\t%"卷积🙂" = Relu(!)\n}')
    assert message.startswith("m.txt:2:16: expected an operand")
    assert message.split("\n")[1:] == ['  \t%"卷积🙂" = Relu(!)', "  \t" + " " * 14 + "^"]


def test_long_lines_are_shown_around_the_place():
    line = "%x = A() {a = [" + "1, " * 500 + "!" + ", 1" * 500 + "]}"
    _, shown, caret = error_of("graph {\n" + line + "\n}").split("\n")
    assert len(shown) < 140
    assert shown.startswith("  ...") and shown.endswith("...")
    assert shown[len(caret) - 1] == "!"


def test_bytes_that_are_no_text():
    message = error_of(b'graph @g {\n  %"\xff" = A()\n}')
    assert message.startswith("m.txt:2:5: this byte cannot stand in a string as it is: write it as \\xNN")
    assert message.split("\n")[1] == '    %"\ufffd" = A()'
    assert error_of(b"\x00").startswith("m.txt:1:1: expected 'graph' at the start of the text, found '\ufffd'")


def test_a_source_without_name():
    assert error_of("x", "").startswith("<text>:1:1: ")


def nested(depth):
    return "graph @g {" + "%n = If() b: {" * depth + "}" * depth + "}"


def test_nesting_has_an_end():
    graph = ts.parse(nested(199))
    assert ts.again(graph).count(b"If()") == 199
    call.graph_release(graph)
    assert "graphs stand more than 200 deep: the text form ends there" in error_of(nested(200))
    assert "graphs stand more than 200 deep" in error_of(nested(100_000))
    assert "expected an integer, found '['" in error_of("graph { attr a = " + "[" * 100_000)
    rows = "attr a = int8[" + "1, " * 900 + "1](" + "[" * 900
    assert "brackets stand more than 200 deep" in error_of("graph {" + rows)


def test_deep_graphs_are_refused_by_the_printer():
    root = call.graph_create("g")
    graph = root
    for _ in range(300):
        node = ts.make_node(graph, "If", name=b"n")
        graph = call.graph_create("b")
        call.subgraph_attach(node, "b", graph)
    with pytest.raises(abi.AbiError) as caught:
        ts.text_of(root)
    assert caught.value.status == abi.GeStatus.REFUSED
    assert "more than 200 graphs deep" in caught.value.message
    assert b"{ ... }" in ts.text_of(root, ts.ELIDE)
    call.graph_release(root)


def test_bad_handles_and_flags(graph):
    for handle in (0, 12345, graph + 1):
        with pytest.raises(abi.AbiError):
            call.graph_print(handle, 0)
    with pytest.raises(abi.AbiError, match="ge_ir_print_flags"):
        call.graph_print(graph, 4)
