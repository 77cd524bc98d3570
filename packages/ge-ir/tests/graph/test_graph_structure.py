"""Nodes, edges, order and interface of graphs."""

from __future__ import annotations

import copy
import pickle

import pytest
from ge.graph import DataType, Graph, Node, TensorDesc


@pytest.fixture
def graph():
    """``x, y -> Add -> Relu -> NetOutput``, with a control edge Add -> Relu."""
    graph = Graph("g")
    x = graph.create_node(
        "Data", name="x", attrs={"index": 0}, output_descs=[TensorDesc([2], data_type=DataType.DT_FLOAT)]
    )
    y = graph.create_node("Data", name="y", attrs={"index": 1})
    add = graph.create_node("Add", [x, (y, 0)], name="add", domain="d", op_version=14)
    relu = graph.create_node("Relu", [add], name="relu")
    graph.create_node("NetOutput", [relu, add], name="out", output_count=0)
    graph.add_control_edge(add, relu)
    return graph


def names(items):
    return [item.name for item in items]


def test_reading_nodes(graph):
    add = graph.find_node_by_name("add")
    assert (add.name, add.type, add.domain, add.op_version) == ("add", "Add", "d", 14)
    assert (add.get_inputs_size(), add.get_outputs_size()) == (2, 1)
    assert names(graph.get_direct_nodes()) == names(graph.get_all_nodes()) == ["x", "y", "add", "relu", "out"]
    assert add.graph is graph
    assert repr(add) == "Node('add', type='Add')"


def test_edges(graph):
    x, y, add, relu, out = graph.get_direct_nodes()
    assert add.inputs == [(x, 0), (y, 0)]
    assert add.get_in_data_nodes_and_port_indexes(1) == (y, 0)
    assert add.get_out_data_nodes_and_port_indexes(0) == [(relu, 0), (out, 1)] == add.users() == add.users(index=0)
    assert add.use_count(0) == 2
    assert relu.get_in_control_nodes() == [add] and add.get_out_control_nodes() == [relu]
    assert out.users.__name__ == "users" and out.get_outputs_size() == 0


def test_identity_of_nodes(graph):
    again = graph.find_node_by_name("add")
    add = graph.get_direct_nodes()[2]
    assert again is not add
    assert again == add and hash(again) == hash(add) and again in {add} and again in [add]
    assert again != graph.get_direct_nodes()[0]
    assert add != "add" and add != 1


def test_a_node_cannot_be_made_by_hand():
    with pytest.raises(RuntimeError, match="Node cannot be constructed"):
        Node()


@pytest.mark.parametrize("take", [copy.copy, copy.deepcopy])
def test_copying_is_refused(graph, take):
    with pytest.raises(RuntimeError, match=r"Graph cannot be copied .*clone"):
        take(graph)
    with pytest.raises(RuntimeError, match="Node cannot be copied"):
        take(graph.find_node_by_name("x"))


def test_pickling_is_refused(graph):
    for item in (graph, graph.find_node_by_name("x")):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(item)


def test_graph_interface(graph):
    graph.create_node("RefData", name="first", attrs={"index": -1})
    assert names(graph.inputs) == graph.input_names == ["first", "x", "y"]
    assert [(node.name, index) for node, index in graph.outputs] == [("relu", 0), ("add", 0)]
    assert graph.output_names == ["relu", "add"]
    graph.find_node_by_name("out").set_attr("output_names", ["a", "b"])
    assert graph.output_names == ["a", "b"]
    assert Graph("empty").outputs == [] and Graph("empty").output_names == [] and Graph("empty").inputs == []


def test_names(graph):
    graph.name = "other"
    assert graph.name == "other"
    node = graph.find_node_by_name("add")
    node.name = "sum"
    assert graph.find_node_by_name("sum") == node and graph.find_node("add") is None
    assert graph.unique_name("sum") == "sum_1" and graph.unique_name("free") == "free"
    with pytest.raises(RuntimeError, match="'x'"):
        node.name = "x"
    with pytest.raises(TypeError, match="node name must be str, found int: 1"):
        node.name = 1
    with pytest.raises(TypeError, match="graph name must be str, found int: 1"):
        graph.name = 1
    with pytest.raises(TypeError, match="graph name must be str, found bytes"):
        Graph(b"g")
    node.set_output_name(0, "total")
    assert node.output_name(0) == "total"


def test_finding_by_name(graph):
    with pytest.raises(RuntimeError, match="graph 'g' has no node named 'nope'"):
        graph.find_node_by_name("nope")
    with pytest.raises(TypeError, match="node name must be str"):
        graph.find_node_by_name(None)


def test_creation_errors_leave_nothing_behind(graph):
    before = graph.version
    x = graph.find_node_by_name("x")
    other = Graph("h").create_node("Data")
    with pytest.raises(RuntimeError, match="'x'"):
        graph.create_node("Data", name="x")
    with pytest.raises(RuntimeError, match="graph"):
        graph.create_node("Relu", [other])
    with pytest.raises(RuntimeError, match="1"):
        graph.create_node("Relu", [(x, 1)])
    with pytest.raises(ValueError, match="attribute 'k': Unsupported attribute type dict"):
        graph.create_node("Relu", [x], attrs={"k": {}})
    with pytest.raises(TypeError, match=r"output_descs\[0\] must be a TensorDesc"):
        graph.create_node("Relu", [x], output_descs=[[2]])
    with pytest.raises(ValueError, match="entry for output 1, but output_count is 1"):
        graph.create_node("Relu", [x], output_descs=[None, TensorDesc()])
    for arguments in (("Relu", ["x"]), ("Relu", [(x, "0")]), (1, [x]), ("Relu", [(x, 0, 0)])):
        with pytest.raises(TypeError):
            graph.create_node(*arguments)
    assert graph.version == before and graph.node_count == 5


def test_a_node_can_stand_before_another(graph):
    graph.create_node("Cast", [graph.find_node_by_name("x")], name="cast", before=graph.find_node_by_name("add"))
    assert names(graph.get_direct_nodes()) == ["x", "y", "cast", "add", "relu", "out"]


def test_removing(graph):
    add, relu = graph.find_node_by_name("add"), graph.find_node_by_name("relu")
    with pytest.raises(RuntimeError, match="'relu'"):
        graph.remove_node(add)
    with pytest.raises(TypeError, match="node must be a Node, found str"):
        graph.remove_node("add")
    with pytest.raises(RuntimeError, match="in graph 'g', not in graph 'h'"):
        Graph("h").remove_node(add)
    graph.remove_node(add, drop_uses=True)
    assert relu.inputs == [None]
    assert not add.is_live and repr(add) == "Node(expired)"
    graph.remove_node(graph.find_node_by_name("out"))
    assert names(graph.get_direct_nodes()) == ["x", "y", "relu"]


def test_absent_inputs(graph):
    relu = graph.create_node("Clip", [None, graph.find_node_by_name("x")], name="clip")
    assert relu.inputs[0] is None and relu.input(0) is None
    with pytest.raises(RuntimeError, match=r"input 0 of node 'clip' \(Clip\) is absent"):
        relu.get_in_data_nodes_and_port_indexes(0)
    with pytest.raises(RuntimeError, match="is absent and has no descriptor"):
        relu.get_input_desc(0)


@pytest.mark.parametrize("index", [5, 2**31])
def test_indexes_out_of_range(graph, index):
    add = graph.find_node_by_name("add")
    for call in (
        add.get_in_data_nodes_and_port_indexes,
        add.get_out_data_nodes_and_port_indexes,
        add.get_input_desc,
        add.get_output_desc,
        add.input,
        add.users,
        add.use_count,
    ):
        with pytest.raises(RuntimeError, match=rf"{index}"):
            call(index)


def test_index_types(graph):
    add = graph.find_node_by_name("add")
    for call in (
        add.get_in_data_nodes_and_port_indexes,
        add.get_out_data_nodes_and_port_indexes,
        add.get_input_desc,
        add.get_output_desc,
        add.input,
        add.users,
        add.use_count,
    ):
        with pytest.raises(TypeError):
            call("0")
    for index in (-1, 2**32):
        with pytest.raises(RuntimeError, match=rf"index of 0 or more, found {index}"):
            add.get_output_desc(index)
        for call in (add.users, add.input, add.use_count):
            with pytest.raises(RuntimeError, match=rf"{index}"):
                call(index)


def test_data_edges(graph):
    x, y, add, relu, _ = graph.get_direct_nodes()
    with pytest.raises(RuntimeError, match="already reads output 0 of 'x'"):
        graph.add_data_edge(y, 0, add, 0)
    graph.remove_edge(x, 0, add, 0)
    assert add.inputs == [None, (y, 0)]
    with pytest.raises(RuntimeError, match="no edge from output 0 of 'x' to input 0 of 'add'"):
        graph.remove_edge(x, 0, add, 0)
    graph.add_data_edge(y, 0, add, 0)
    assert add.inputs == [(y, 0), (y, 0)]
    with pytest.raises(RuntimeError, match="7"):
        graph.add_data_edge(x, 0, add, 7)
    for arguments in ((x, 0, "add", 0), ("x", 0, add, 0), (x, "0", add, 0), (x, 0, add, None)):
        with pytest.raises(TypeError):
            graph.add_data_edge(*arguments)
        with pytest.raises(TypeError):
            graph.remove_edge(*arguments)
    relu.set_input(0, x)
    assert relu.inputs == [(x, 0)]
    relu.resize(inputs=3)
    assert relu.inputs == [(x, 0), None, None]


def test_control_edges(graph):
    x, _, add, relu, _ = graph.get_direct_nodes()
    graph.add_control_edge(x, relu)
    graph.add_control_edge(x, relu)
    assert relu.get_in_control_nodes() == [add, x]
    graph.remove_edge(add, -1, relu, -1)
    assert relu.get_in_control_nodes() == [x]
    with pytest.raises(RuntimeError, match="control"):
        graph.remove_edge(add, -1, relu, -1)
    with pytest.raises(TypeError):
        graph.add_control_edge(x, None)
    with pytest.raises(RuntimeError, match="not in graph 'g'"):
        graph.add_control_edge(x, Graph("h").create_node("Data"))


def test_replacing_all_uses(graph):
    x, _, add, relu, out = graph.get_direct_nodes()
    graph.replace_all_uses(add, (x, 0))
    assert relu.inputs == [(x, 0)] and out.inputs == [(relu, 0), (x, 0)]
    assert add.use_count() == 0 and add.inputs[0] == (x, 0)
    with pytest.raises(TypeError, match="needs two values"):
        graph.replace_all_uses(add, None)
    with pytest.raises(TypeError, match="value 1 must be a Node"):
        graph.replace_all_uses(add, "x")
    with pytest.raises(RuntimeError):
        graph.replace_all_uses(x, Graph("h").create_node("Data"))
    assert relu.inputs == [(x, 0)]


def test_order(graph):
    x, _, add, relu, _ = graph.get_direct_nodes()
    cast = graph.create_node("Cast", [x], name="cast")
    add.set_input(0, cast)
    order = names(graph.topological_order())
    assert order.index("cast") < order.index("add")
    assert names(graph.get_direct_nodes())[-1] == "cast"
    graph.sort()
    assert names(graph.get_direct_nodes()) == order
    relu.move_before(x)
    assert names(graph.get_direct_nodes())[0] == "relu"
    cast.set_input(0, relu)
    with pytest.raises(RuntimeError, match=r"cycle"):
        graph.topological_order()
    with pytest.raises(RuntimeError, match=r"cycle"):
        graph.sort()


def test_changing_the_operator(graph):
    add = graph.find_node_by_name("add")
    add.set_op("Sub", "", 13)
    assert (add.type, add.domain, add.op_version) == ("Sub", "", 13)
    with pytest.raises(TypeError, match="op_type must be str"):
        add.set_op(None)


def test_descriptors(graph):
    x, _, add, _, _ = graph.get_direct_nodes()
    assert add.get_input_desc(0) == x.get_output_desc(0) == TensorDesc([2])
    unset = add.get_output_desc(0)
    assert unset.data_type is DataType.DT_UNDEFINED and unset.shape.is_unset
    own = TensorDesc([4, -1], data_type=DataType.DT_INT8).set_origin_shape([8])
    add.update_input_desc(0, own)
    add.update_output_desc(0, own)
    assert add.get_input_desc(0) == own == add.get_output_desc(0)
    assert x.get_output_desc(0) == TensorDesc([2])
    with pytest.raises(TypeError, match="desc must be a TensorDesc"):
        add.update_output_desc(0, [2])
    with pytest.raises(RuntimeError, match="9"):
        add.update_output_desc(9, own)


def test_verify(graph):
    graph.verify()
    relu = graph.find_node_by_name("relu")
    relu.set_input(0, relu)
    with pytest.raises(RuntimeError, match=r"graph 'g' is not valid:\n.*relu"):
        graph.verify()


def test_version_grows_with_changes_alone(graph):
    before = graph.version
    assert graph.find_node_by_name("x").type == "Data" and graph.version == before
    graph.set_attr("k", 1)
    assert graph.version > before


def test_clone(graph, no_leak):
    copy_ = graph.clone("copy")
    assert copy_.name == "copy" and graph.clone().name == "g"
    assert copy_.to_text().replace("@copy", "@g") == graph.to_text()
    copy_.remove_node(copy_.find_node_by_name("out"))
    assert graph.node_count == 5 and copy_.node_count == 4
    del copy_
