"""Transactions: kept or undone as a whole."""

from __future__ import annotations

import pytest
from ge.graph import Graph, Tensor


def sample():
    graph = Graph("g")
    x = graph.create_node("Data", name="x", attrs={"index": 0})
    relu = graph.create_node("Relu", [x], name="relu")
    graph.create_node("NetOutput", [relu], name="out", output_count=0)
    return graph


def test_commit(no_leak):
    graph = sample()
    with graph.transaction() as transaction:
        graph.create_node("Neg", name="neg")
        assert transaction.active
    assert graph.find_node("neg") is not None and not transaction.active


def test_rollback_is_exact(no_leak):
    graph = sample()
    text, version = graph.to_text(), graph.version
    relu, x = graph.find_node_by_name("relu"), graph.find_node_by_name("x")
    with pytest.raises(ZeroDivisionError), graph.transaction():
        new = graph.create_node("Neg", [x], name="neg", attrs={"t": Tensor([1.0])})
        graph.replace_all_uses(relu, new)
        graph.remove_node(relu)
        x.set_attr("k", [1, 2])
        x.name = "other"
        graph.name = "h"
        assert not relu.is_live
        _ = 1 / 0
    assert graph.to_text() == text and graph.version == version
    assert relu.is_live and relu.name == "relu" and not new.is_live
    with pytest.raises(RuntimeError, match="has expired"):
        _ = new.name


def test_nesting(no_leak):
    graph = sample()
    with graph.transaction():
        graph.create_node("Neg", name="kept")
        with pytest.raises(KeyError), graph.transaction():
            graph.create_node("Neg", name="dropped")
            raise KeyError
        with graph.transaction():
            graph.create_node("Neg", name="inner")
    assert [graph.find_node(name) is not None for name in ("kept", "dropped", "inner")] == [True, False, True]


def test_outer_rollback_undoes_inner_commits(no_leak):
    graph = sample()
    text = graph.to_text()
    with graph.transaction() as outer:
        with graph.transaction():
            graph.create_node("Neg", name="inner")
        outer.rollback()
        assert not outer.active
    assert graph.to_text() == text


def test_ending_by_hand(no_leak):
    graph = sample()
    with graph.transaction() as transaction:
        graph.create_node("Neg", name="a")
        transaction.commit()
        graph.create_node("Neg", name="b")
        with pytest.raises(RuntimeError, match="has ended or has not begun"):
            transaction.rollback()
    assert graph.find_node("a") is not None and graph.find_node("b") is not None
    with pytest.raises(RuntimeError, match="has ended or has not begun"):
        graph.transaction().commit()
    with graph.transaction() as again, pytest.raises(RuntimeError, match="already active"):
        again.__enter__()


def test_a_subgraph_belongs_to_the_transaction_of_its_root(no_leak):
    graph = sample()
    node = graph.create_node("If")
    body = Graph("body")
    node.add_subgraph("then_branch", body)
    with pytest.raises(KeyError), body.transaction():
        body.create_node("Relu")
        graph.create_node("Relu", name="r2")
        raise KeyError
    assert body.node_count == 0 and graph.find_node("r2") is None


def test_a_graph_given_away_comes_back_with_a_rollback(no_leak):
    graph = sample()
    body, kept = Graph("body"), Graph("kept")
    with pytest.raises(KeyError), graph.transaction():
        node = graph.create_node("If")
        node.add_subgraph("then_branch", body)
        dropped = Graph("dropped")
        node.add_subgraph("else_branch", dropped)
        del dropped
        raise KeyError
    with graph.transaction():
        graph.add_subgraph(kept)
    body.create_node("Relu")
    assert body.node_count == 1
    graph.add_subgraph(body)
    assert graph.get_all_subgraphs() == [kept, body]


def test_a_graph_taken_back_returns_with_a_rollback(no_leak):
    graph = sample()
    child = Graph("child")
    graph.add_subgraph(child)
    with pytest.raises(KeyError), graph.transaction():
        graph.remove_subgraph("child")
        raise KeyError
    assert graph.get_all_subgraphs() == [child]
    with pytest.raises(RuntimeError, match="already owned"):
        Graph("other").add_subgraph(child)
    del graph
    assert child.name == "child"
