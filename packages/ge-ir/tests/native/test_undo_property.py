"""Random edits, then a rollback: nothing observable may differ, handles and version included."""

from __future__ import annotations

import random

import pytest
from ge.graph._abi import AbiError, ge_ir_attr
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_harness import INPUT, OUTPUT, Ir, data_pointer


class Editor:
    """Makes random edits of one tree; an edit that the library refuses is an edit that changes nothing."""

    def __init__(self, ir: Ir, root: int, chance: random.Random) -> None:
        self.ir, self.root, self.chance = ir, root, chance
        self.loose: list[int] = []
        self.made: dict[str, int] = {}
        for i in range(4):
            ir.node(root, inputs=ir.call.graph_nodes(root, 0)[-2:], type="AB"[i % 2])
        edits = [name for name in dir(self) if name.startswith("edit_")]
        self.edits = [getattr(self, name) for name in sorted(edits)]

    def graphs(self) -> list[int]:
        found, pending = [], [self.root]
        while pending:
            graph = pending.pop()
            found.append(graph)
            pending += self.ir.call.subgraph_list(graph)
            for node in self.ir.call.graph_nodes(graph, 0):
                pending += self.ir.call.subgraph_list(node)
        return found

    def pick_graph(self) -> int:
        return self.chance.choice(self.graphs())

    def pick_node(self) -> int:
        nodes = [n for graph in self.graphs() for n in self.ir.call.graph_nodes(graph, 0)]
        return self.chance.choice(nodes)

    def step(self) -> None:
        edit = self.chance.choice(self.edits)
        before = self.ir.dump(self.root)
        try:
            edit()
            self.made[edit.__name__] = self.made.get(edit.__name__, 0) + 1
        except (AbiError, IndexError):
            assert self.ir.dump(self.root) == before

    def small(self, limit: int = 4) -> int:
        return self.chance.randrange(limit)

    def edit_create(self) -> None:
        inputs = [self.pick_node() if self.small() else None for _ in range(self.small())] if self.small() else []
        self.ir.node(self.pick_graph(), inputs=inputs, outputs=self.small(3), type=self.chance.choice("AB"))

    def edit_create_before(self) -> None:
        anchor = self.pick_node()
        self.ir.node(self.ir.call.node_graph(anchor), before=anchor, name=f"n{self.small(50)}")

    def edit_remove(self) -> None:
        self.ir.call.node_remove(self.pick_node(), self.small(2))

    def edit_rename(self) -> None:
        self.ir.call.node_set_name(self.pick_node(), f"a long enough name {self.small(6)}")

    def edit_op(self) -> None:
        self.ir.call.node_set_op(self.pick_node(), self.ir.call.symbol_intern("C"), 0, self.small())

    def edit_move(self) -> None:
        self.ir.call.node_move_before(self.pick_node(), self.pick_node() if self.small() else 0)

    def edit_arity(self) -> None:
        self.ir.call.node_set_arity(self.pick_node(), self.small(5), self.small(4))

    def edit_input(self) -> None:
        self.ir.call.node_set_input(self.pick_node(), self.small(), self.pick_node() if self.small() else 0, 0)

    def edit_replace(self) -> None:
        self.ir.call.value_replace_uses(self.pick_node(), 0, self.pick_node(), 0)

    def edit_value_name(self) -> None:
        self.ir.call.value_set_name(self.pick_node(), 0, f"value {self.small()}")

    def edit_control(self) -> None:
        self.ir.call.control_add(self.pick_node(), self.pick_node())

    def edit_control_remove(self) -> None:
        node = self.pick_node()
        self.ir.call.control_remove(node, self.chance.choice(self.ir.call.control_outputs(node)))

    def edit_desc(self) -> None:
        scope = self.chance.choice([OUTPUT, INPUT])
        self.ir.call.desc_set(self.pick_node(), scope, self.small(2), self.ir.desc(dims=[self.small(), -1]))

    def edit_attr(self) -> None:
        self.ir.set_int(self.pick_node(), f"key{self.small(5)}", self.small(), self.small(3), self.small(2))

    def edit_graph_attr(self) -> None:
        text = b"some bytes"[: self.small(10)]
        value = ge_ir_attr(kind=7, data=data_pointer(text), count=len(text))
        self.ir.set_attr(self.pick_graph(), f"key{self.small(5)}", value)

    def edit_attr_remove(self) -> None:
        owner = self.pick_node() if self.small() else self.pick_graph()
        self.ir.call.attr_remove(owner, 0, 0, f"key{self.small(5)}")

    def edit_graph_name(self) -> None:
        self.ir.call.graph_set_name(self.pick_graph(), f"graph {self.small()}")

    def edit_sort(self) -> None:
        self.ir.call.graph_sort(self.pick_graph())

    def edit_unique_name(self) -> None:
        self.ir.call.graph_unique_name(self.pick_graph(), self.chance.choice("AB"))

    def edit_attach(self) -> None:
        child = self.loose.pop() if self.loose and self.small() else self.ir.graph("sub")
        owner = self.pick_node() if self.small() else self.pick_graph()
        try:
            self.ir.call.subgraph_attach(owner, f"key{self.small()}", child)
        except AbiError:
            if child not in self.loose:
                self.loose.append(child)
            raise

    def edit_detach(self) -> None:
        child = self.chance.choice(self.graphs()[1:])
        owner, key = self.ir.call.graph_owner(child)
        self.ir.call.subgraph_detach(owner, key)
        self.ir.call.graph_set_name(child, "edited while detached")
        if self.small(2):
            self.ir.call.graph_release(child)
        else:
            self.loose.append(child)


@pytest.mark.parametrize("nested", [False, True])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), warm_up=st.integers(0, 80), edits=st.integers(1, 80))
def test_rollback_restores_everything(nested: bool, seed: int, warm_up: int, edits: int) -> None:
    ir = Ir()
    before = ir.live()
    root = ir.graph("root")
    editor = Editor(ir, root, random.Random(seed))
    for _ in range(warm_up):
        editor.step()
    editor.loose.clear()
    assert ir.verify(root) == "" or "cycle" in ir.verify(root)
    start = ir.dump(root)
    ir.call.transaction_begin(root)
    for _ in range(edits):
        editor.step()
    if nested:
        middle = ir.dump(root)
        loose = list(editor.loose)
        assert ir.call.transaction_begin(root) == 2
        for _ in range(edits):
            editor.step()
        ir.call.transaction_rollback(root)
        assert ir.dump(root) == middle
        editor.loose[:] = loose
        for _ in range(3):
            ir.call.transaction_begin(root)
            editor.step()
            ir.call.transaction_commit(root)
    ir.call.transaction_rollback(root)
    assert ir.dump(root) == start
    for line in ir.verify(root).splitlines():
        assert "cycle" in line
    ir.release_all()
    assert ir.live() == before


def test_the_editor_makes_every_kind_of_edit(ir: Ir) -> None:
    editor = Editor(ir, ir.graph(), random.Random(1))
    for _ in range(1500):
        editor.step()
    assert set(editor.made) == {edit.__name__ for edit in editor.edits}


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 80))
def test_commit_equals_editing_without_a_transaction(seed: int, edits: int) -> None:
    ir = Ir()
    before = ir.live()
    results = []
    for transaction in (False, True):
        root = ir.graph("root")
        editor = Editor(ir, root, random.Random(seed))
        if transaction:
            ir.call.transaction_begin(root)
        for _ in range(edits):
            editor.step()
        if transaction:
            ir.call.transaction_commit(root)
        assert all("cycle" in line for line in ir.verify(root).splitlines())
        results.append([ir.names(graph) for graph in editor.graphs()])
        results[-1].append([ir.call.graph_version(root)])
        ir.release_all()
    assert results[0] == results[1]
    assert ir.live() == before
