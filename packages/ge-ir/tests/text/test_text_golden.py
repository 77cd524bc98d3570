"""What is printed, to the byte."""

from __future__ import annotations

import struct

import text_support as ts
from text_support import Dtype, Kind, call

MLP = """\
graph @mlp(
    %x: float32[N, 4],  # 1 use
) {
  %w as fc.weight = float32[4, 2]([1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.5])  # 1 use
  %fc: float32[N, 2] = MatMul@13(%x, %w)  # 2 uses
  %act = LeakyRelu@6(%fc) {alpha = 0.01f}  # 1 use
  %split: (float32[N, 1], float32[N, 1] as right) = Split@2(%act) {axis = -1, split = [1, 1]}  # 1, 0 uses
  %sum = com.microsoft::Fused@1(%split[0], _, %fc)  # 1 use
  return %sum
}
"""


def test_a_small_model(graph):
    x = ts.make_node(graph, "Data", name=b"x")
    ts.set_desc(x, ts.make_desc(Dtype.FLOAT, [-1, 4], ["N", None]))
    ts.set_attr(x, "index", Kind.INT, 0)
    w = ts.make_node(graph, "Const", name=b"w")
    tensor = ts.make_tensor(Dtype.FLOAT, [4, 2], struct.pack("<8f", 1, 2, 3, 4, 5, 6, 7, 8.5))
    ts.set_attr(w, "value", Kind.TENSOR, tensor)
    call.tensor_release(tensor)
    ts.set_desc(w, ts.make_desc(Dtype.FLOAT, [4, 2]))
    call.value_set_name(w, 0, "fc.weight")
    fc = ts.make_node(graph, "MatMul", [(x, 0), (w, 0)], name=b"fc", version=13)
    ts.set_desc(fc, ts.make_desc(Dtype.FLOAT, [-1, 2], ["N", None]))
    act = ts.make_node(graph, "LeakyRelu", [(fc, 0)], name=b"act", version=6)
    ts.set_attr(act, "alpha", Kind.FLOAT32, 0.009999999776482582)
    split = ts.make_node(graph, "Split", [(act, 0)], 2, name=b"split", version=2)
    for i in range(2):
        ts.set_desc(split, ts.make_desc(Dtype.FLOAT, [-1, 1], ["N", None]), index=i)
    call.value_set_name(split, 1, "right")
    ts.set_attr(split, "axis", Kind.INT, -1)
    ts.set_attr(split, "split", Kind.LIST_INT, [1, 1])
    total = ts.make_node(graph, "Fused", [(split, 0), None, (fc, 0)], name=b"sum", domain=b"com.microsoft", version=1)
    ts.make_node(graph, "NetOutput", [(total, 0)], 0, name=b"NetOutput")
    call.graph_set_name(graph, "mlp")
    # Each version is that of one node; the most frequent one, the newest of equals, is said at the top.
    expected = MLP.replace(") {\n", ") {\n  opset 13\n  opset com.microsoft 1\n\n")
    expected = expected.replace("MatMul@13", "MatMul").replace("Fused@1", "Fused")
    assert ts.again(graph).decode() == expected


def test_empty_graph(graph):
    assert ts.again(graph) == b"graph @g {\n}\n"


def test_types():
    text = """\
graph @types(
    %scalar: float32[],  # unused
    %unset: float32,  # unused
    %unknown_rank: float32[*],  # unused
    %unknown: ?,  # unused
    %dims: int8[?, N, N=4, "2*H", 0],  # unused
    %layout: float16[1, 3, 8, 8]@NCHW origin([1, 8, 8, 3]@NHWC),  # unused
    %other: bfloat16@29 origin(@HWCN),  # unused
    %sequence: type "seq(tensor(float))",  # unused
    %both: ?[2] type "optional(x)",  # unused
) {
}
"""
    assert ts.printed(text) == text.replace("%unknown: ?,", "%unknown,")


CONTROL_FLOW = """\
graph @main(
    %c: bool[],  # 1 use
    %x: float32[2],  # 3 uses
) {
  opset 16
  attr producer = "test"
  library gelu: graph @gelu(
      %v,  # 1 use
  ) {
    %y = Erf(%v)  # 1 use
    return %y
  }

  %z = Print(%x)  # unused
  %y = If(%c) {note = "both read x"} after %z  # 1 use
    then_branch: graph @then {
      %x = Neg(%^x)  # 1 use
      return %x
    }
    else_branch: graph @else {
      %t = Loop(_, _)  # 1 use
        body: graph @"loop body"(
            %i,  # 1 use
        ) {
          %s = Add(%x, %i)  # unused
        }
      return %t
    }
  return %y
}
"""


def test_subgraphs_captures_and_control():
    assert ts.printed(CONTROL_FLOW) == CONTROL_FLOW


def test_value_names_are_written_from_the_node_name():
    text = """\
graph @g {
  %/a/Relu: float32[2] as ~_output_0 = Relu(_)  # unused
  %b as ~ = Relu(_)  # unused
  %c as "~" = Relu(_)  # unused
  %d as "d e" = Relu(_)  # unused
}
"""
    assert ts.printed(text) == text


def test_elided_graph():
    nodes = "".join(f"%n{i} = Relu(_) " for i in range(100))
    lines = ts.printed(f"graph @g {{ {nodes} }}", ts.ELIDE).splitlines()
    assert lines[1] == "  %n0 = Relu(_)  # unused"
    assert lines[25] == "  ... 52 nodes ..."
    assert lines[26] == "  %n76 = Relu(_)  # unused"
    assert len(lines) == 1 + 48 + 1 + 1


def test_elided_values():
    text = f"""graph @g {{
      %w = float32[9](1, 2, 3, 4, 5, 6, 7, 8, 9)
      %s = Op() {{l = {list(range(20))}, t = "{"a" * 100}", small = int8[2](1, 2)}}
    }}"""
    elided = ts.printed(text, ts.ELIDE)
    assert "%w = float32[9](...)  # unused" in elided
    assert "l = [0, 1, 2, 3, 4, 5, 6, 7, ... 20 items ...]" in elided
    assert 't = "' + "a" * 80 + '" ... 100 bytes ...' in elided
    assert "small = int8[2](1, 2)" in elided
    assert "(1.0, 2.0, 3.0" in ts.printed(text, ts.ELIDE | ts.DATA)


def test_big_constants_are_hex_and_equal_elements_fill():
    text = "graph @g { %a = int16[65](" + ", ".join(map(str, range(65))) + ") %b = float32[1000](fill 0.5) }"
    lines = ts.printed(text).splitlines()
    assert lines[1].startswith('  %a = int16[65](hex"000001000200')
    assert lines[2] == "  %b = float32[1000](fill 0.5)  # unused"
    assert 'float32[1000](hex"0000003f' in ts.printed(text, ts.DATA)


def test_two_spellings_of_a_version():
    text = """\
graph @g {
  opset 13
  opset "my.domain-x" 2

  %a = Relu(_)  # unused
  %b = Relu(_)  # unused
  %c = Relu@6(_)  # unused
  %d = If@0(_)  # unused
  %e = "my.domain-x"::"my op"(_)  # unused
  %f = "float32"::"int8"(_)  # unused
  %g = Data(_)  # unused
}
"""
    assert ts.printed(text) == text
