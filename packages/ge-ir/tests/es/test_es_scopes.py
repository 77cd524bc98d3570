"""Scopes that add attributes and control edges."""

from __future__ import annotations

import threading

import pytest
from ge.es import GraphBuilder, attr_scope, control_dependency_scope
from ge.graph import DataType


def test_attributes_add_up_and_inner_ones_win():
    builder = GraphBuilder("g")
    with attr_scope({"a": 1, "b": "outer"}):
        x = builder.create_input(0)
        with attr_scope({"b": "inner", "c": [1, 2], "d": True, "e": 0.5, "f": DataType.DT_INT8}):
            y = x + 1.0
        z = x * 2.0
    after = -x
    assert {key: x.node.get_attr(key) for key in ("a", "b")} == {"a": 1, "b": "outer"}
    inner = {key: y.node.get_attr(key) for key in y.node.attr_names}
    assert inner == {"a": 1, "b": "inner", "c": [1, 2], "d": True, "e": 0.5, "f": DataType.DT_INT8}
    assert y.node.inputs[1][0].get_attr("c") == [1, 2]
    assert z.node.attr_names == ["a", "b"] and z.node.get_attr("b") == "outer"
    assert after.node.attr_names == []


@pytest.mark.parametrize("value", [{}, [1, "a"], [], None, object()])
def test_bad_attribute_values(value):
    with pytest.raises(ValueError, match=r"attribute type|Empty list"), attr_scope({"k": value}):
        raise AssertionError("the block must not start")


def test_bad_attribute_scopes():
    for bad in ([("a", 1)], None, {1: 2}):
        with pytest.raises(TypeError), attr_scope(bad):
            raise AssertionError("the block must not start")


def test_scopes_end_with_an_exception():
    builder = GraphBuilder("g")
    x = builder.create_input(0)
    with pytest.raises(KeyError), attr_scope({"a": 1}), control_dependency_scope([x]):
        raise KeyError
    y = -x
    assert y.node.attr_names == [] and y.node.get_in_control_nodes() == []


def test_control_sources_add_up():
    builder = GraphBuilder("g")
    x, y = builder.create_inputs(2)
    with control_dependency_scope([x]):
        outer = builder.create_scalar_float(1.0)
        with control_dependency_scope((y,)):
            inner = builder._add_op("Split", [outer], output_count=2)
            extra = builder.create_input(2)
    after = -x
    assert outer.node.get_in_control_nodes() == [x.node]
    assert inner[1].node.get_in_control_nodes() == extra.node.get_in_control_nodes() == [x.node, y.node]
    assert after.node.get_in_control_nodes() == []


def test_control_scopes_check_their_tensors():
    x, other = GraphBuilder("g").create_input(0), GraphBuilder("h")
    for bad in (x, "x", [1], None):
        with pytest.raises(TypeError, match="needs a list of TensorHolder"), control_dependency_scope(bad):
            raise AssertionError("the block must not start")
    with control_dependency_scope([x]), pytest.raises(ValueError, match="different GraphBuilders"):
        other.create_input(0)
    assert other._graph.node_count == 0


def test_add_control_dependency():
    builder = GraphBuilder("g")
    x, y, z = builder.create_inputs(3)
    builder.add_control_dependency(z, [x, y])
    assert z.node.get_in_control_nodes() == [x.node, y.node]
    for arguments in ((z, x), (z, [1]), ("z", [x]), (z, None)):
        with pytest.raises(TypeError):
            builder.add_control_dependency(*arguments)


def test_scopes_are_of_one_thread():
    names = []

    def build():
        names.append(GraphBuilder("h").create_input(0).node.attr_names)

    with attr_scope({"a": 1}):
        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
    assert names == [["index"]]
