"""Writing graphs out and reading text back."""

from __future__ import annotations

import pytest
from ge.graph import DumpFormat, Graph, Tensor


def sample(name="g"):
    graph = Graph(name)
    x = graph.create_node("Data", name="x", attrs={"index": 0})
    c = graph.create_node("Const", name="c", attrs={"value": Tensor([1.0, 2.0])})
    add = graph.create_node("Add", [x, c], name="add")
    graph.create_node("NetOutput", [add], output_count=0)
    return graph


def test_text_parses_back(no_leak):
    graph = sample()
    again = Graph.parse(graph.to_text(), source_name="sample.txt")
    assert again.to_text() == graph.to_text()
    assert [node.type for node in again.topological_order()] == ["Data", "Const", "Add", "NetOutput"]


def test_dump_to_stream():
    graph = sample()
    assert graph.dump_to_stream() == graph.to_text() == graph.dump_to_stream(DumpFormat.kReadable)
    assert "Add" in str(graph) and repr(graph) == "Graph('g', 4 nodes)"


def test_elided_text_leaves_out_big_constants():
    graph = Graph("g")
    graph.create_node("Const", attrs={"value": Tensor(list(range(5000)))})
    assert len(str(graph)) < 1000 < len(graph.to_text(data=True))


def test_parse_errors_have_the_place(no_leak):
    with pytest.raises(RuntimeError, match=r"sample\.txt:2"):
        Graph.parse("graph @g() {\n  %x = = Add()\n}\n", source_name="sample.txt")
    with pytest.raises(TypeError, match="text must be str"):
        Graph.parse(b"graph")
    with pytest.raises(TypeError, match="source_name must be str"):
        Graph.parse("graph", source_name=None)


def test_dump_to_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = sample("a/b c")
    assert graph.dump_to_file() == "a_b_c.txt"
    assert graph.dump_to_file(suffix="after pass") == "a_b_c_after_pass.txt"
    assert (tmp_path / "a_b_c.txt").read_text(encoding="utf-8") == graph.to_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a_b_c.txt", "a_b_c_after_pass.txt"]


def test_dump_to_onnx(tmp_path, monkeypatch):
    import onnx

    monkeypatch.chdir(tmp_path)
    assert sample().dump_to_file(DumpFormat.kOnnx) == "g.onnx"
    model = onnx.load("g.onnx")
    assert [node.op_type for node in model.graph.node if node.op_type != "Constant"] == ["Add"]


@pytest.mark.parametrize("call", ["dump_to_file", "dump_to_stream"])
def test_dump_errors(call):
    with pytest.raises(TypeError, match="format must be a DumpFormat, found str: 'kTxt'"):
        getattr(sample(), call)("kTxt")
    with pytest.raises(NotImplementedError, match=r"kTxt is not implemented; use DumpFormat.kReadable"):
        getattr(sample(), call)(DumpFormat.kTxt)


def test_more_dump_errors(tmp_path, monkeypatch):
    with pytest.raises(NotImplementedError, match=r"ONNX is binary; use dump_to_file"):
        sample().dump_to_stream(DumpFormat.kOnnx)
    with pytest.raises(TypeError, match="suffix must be str"):
        sample().dump_to_file(suffix=1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.txt").mkdir()
    with pytest.raises(RuntimeError, match=r"cannot write .*g\.txt: Is a directory"):
        sample().dump_to_file()


def test_air_is_not_built_and_says_so(tmp_path):
    graph = sample()
    with pytest.raises(NotImplementedError, match=r"save_to_air is not implemented yet .*to_text"):
        graph.save_to_air(str(tmp_path / "g.air"))
    (tmp_path / "g.air").write_bytes(b"")
    with pytest.raises(NotImplementedError, match=r"load_from_air is not implemented yet .*Graph.parse"):
        graph.load_from_air(str(tmp_path / "g.air"))
    with pytest.raises(RuntimeError, match="does not exist"):
        graph.save_to_air(str(tmp_path / "none" / "g.air"))
    with pytest.raises(RuntimeError, match="there is no such file"):
        graph.load_from_air(str(tmp_path / "none.air"))
    for call in (graph.save_to_air, graph.load_from_air):
        with pytest.raises(TypeError, match="file_path must be str"):
            call(1)
