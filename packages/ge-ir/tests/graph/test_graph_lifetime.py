"""Objects in any order of death; what is gone says so."""

from __future__ import annotations

import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from ge.es import GraphBuilder
from ge.graph import Graph, Tensor


def test_a_node_keeps_its_graph(no_leak):
    node = Graph("g").create_node("Relu", name="r")
    assert node.graph.name == "g" and node.name == "r"


def test_neighbours_keep_the_graph(no_leak):
    graph = Graph("g")
    user = graph.create_node("Relu", [graph.create_node("Data", name="d")])
    producer = user.inputs[0][0]
    del graph, user
    assert producer.name == "d" and producer.users()[0][0].type == "Relu"


def test_many_graphs_leave_nothing_behind(no_leak):
    for _ in range(50):
        graph = Graph("g")
        nodes = [graph.create_node("Data", attrs={"value": Tensor([1.0, 2.0])}) for _ in range(20)]
        graph.create_node("Concat", nodes)
        assert len(graph.get_all_nodes()) == 21


def test_a_removed_node_has_expired(no_leak):
    graph = Graph("g")
    node = graph.create_node("Relu", name="r")
    graph.remove_node(node)
    new = graph.create_node("Relu", name="r")
    assert new != node and not node.is_live
    uses = [
        lambda: node.name,
        lambda: node.type,
        lambda: node.domain,
        lambda: node.graph,
        lambda: node.inputs,
        lambda: node.users(),
        lambda: node.input_count,
        lambda: node.attr_names,
        lambda: node.get_attr("k"),
        lambda: node.set_attr("k", 1),
        lambda: node.has_attr("k"),
        lambda: node.get_output_desc(0),
        lambda: node.subgraphs,
        lambda: node.get_in_control_nodes(),
        lambda: graph.remove_node(node),
        lambda: graph.add_control_edge(node, new),
        lambda: graph.create_node("Neg", [node]),
        lambda: graph.replace_all_uses(node, new),
        lambda: node.set_op("Neg"),
        lambda: node.move_before(None),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match="has expired"):
            use()


def test_a_moved_graph_has_expired(no_leak):
    graph = Graph("g")
    node = graph.create_node("Relu")
    other = Graph._adopt(graph._release())
    assert repr(graph) == "Graph(expired)"
    for use in (
        lambda: graph.name,
        lambda: graph.node_count,
        lambda: graph.version,
        lambda: graph.get_all_nodes(),
        lambda: graph.to_text(),
        lambda: graph.verify(),
        lambda: graph.clone(),
        lambda: graph.get_attr("k"),
        lambda: graph.create_node("Neg"),
        lambda: graph.find_node("x"),
        lambda: other.add_subgraph(graph),
        lambda: graph.transaction().__enter__(),
    ):
        with pytest.raises(RuntimeError, match="Graph has expired"):
            use()
    with pytest.raises(RuntimeError, match="Node has expired"):
        _ = node.name
    assert not node.is_live
    assert other.node_count == 1
    assert graph != other and graph != Graph._adopt(0) and graph == graph


def test_a_view_expires_with_its_nodes(no_leak):
    graph = Graph("g")
    graph.create_node("If").add_subgraph("then_branch", Graph("body"))
    view = Graph._wrap(graph._handle, None)
    node = view.get_direct_nodes()[0]
    body = view.get_all_subgraphs()[0]
    assert node.graph is view and body.name == "body"
    view._expire()
    for use in (
        lambda: view.name,
        lambda: node.type,
        lambda: node.users(0),
        lambda: node.get_attr("k"),
        lambda: body.name,
    ):
        with pytest.raises(RuntimeError, match="has expired"):
            use()
    assert graph.node_count == 1


def test_handles_that_never_were(no_leak):
    graph = Graph("g")
    from ge.graph import Node

    for handle in (1, 2**63, graph._handle, (2 << 56) | 12345):
        node = Node._wrap(handle, graph)
        assert not node.is_live
        with pytest.raises(RuntimeError):
            _ = node.name
        with pytest.raises(RuntimeError):
            node.get_attr("k")


def test_threads_read_at_the_same_time(no_leak):
    graph = Graph("g")
    nodes = [graph.create_node("Relu", name=f"node_{index}", attrs={"index": index}) for index in range(200)]
    wrong = []

    def read(seed):
        for step in range(2000):
            index = (step * 7 + seed) % len(nodes)
            node = nodes[index]
            if node.name != f"node_{index}" or node.get_attr("index") != index or node.type != "Relu":
                wrong.append(index)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_tensors_outlive_their_graph(no_leak):
    node = Graph("g").create_node("Const", attrs={"value": Tensor([1.0, 2.0])})
    array = node.get_attr("value").numpy()
    del node
    assert array.tolist() == [1.0, 2.0]


def test_borrowed_arrays_live_as_long_as_the_constant(no_leak):
    class Memory(bytearray):
        pass

    dropped = []
    memory = Memory(np.arange(4.0).tobytes())
    alive = weakref.finalize(memory, dropped.append, True)
    array = np.frombuffer(memory)
    del memory
    graph = Graph("g")
    graph.create_node("Const", attrs={"value": Tensor.from_numpy(array)})
    del array
    assert alive.alive and dropped == []
    assert graph.get_direct_nodes()[0].get_attr("value").numpy().tolist() == [0.0, 1.0, 2.0, 3.0]
    graph.remove_node(graph.get_direct_nodes()[0])
    del graph
    assert dropped == [True]


def test_a_borrowed_array_may_be_dropped_in_another_thread(no_leak):
    box = [Graph("g")]
    box[0].create_node("Const", attrs={"value": Tensor.from_numpy(np.zeros(8))})
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert box == []


def test_constructors_that_fail_leave_nothing_to_clean_up(monkeypatch, no_leak):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    for cls in (Graph, Tensor, GraphBuilder):
        for arguments in ((1, 2, 3, 4, 5, 6, 7, 8), ({},)):
            with pytest.raises(TypeError):
                cls(*arguments)
    assert seen == []


EXIT = """
import numpy as np, sys, threading
from ge.es import GraphBuilder
from ge.graph import Graph, Tensor
graph = Graph("g")
node = graph.create_node("Const", attrs={"value": Tensor.from_numpy(np.zeros(1000))})
tensor, view = Tensor.from_numpy(np.ones(10)), Tensor([1.0]).numpy()
sys.modules["kept"] = graph          # dies after the modules it needs
class Cycle: pass
cycle = Cycle(); cycle.self = cycle; cycle.graph = Graph("h"); cycle.node = node
sys.stdout.write("end")
"""


def test_the_interpreter_may_end_with_objects_alive():
    done = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end", "")
