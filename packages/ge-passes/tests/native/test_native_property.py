"""Random graphs and patterns cut out of them: every match is found, and equivalent rewrites keep the meaning."""

from __future__ import annotations

import itertools
import random
from typing import Optional

import pytest
from passes_harness import Passes

Value = tuple[str, int]
INPUTS = {"A": 1, "B": 2, "S": 1}
OUTPUTS = {"A": 1, "B": 1, "S": 2}


class Node:
    """One line of a random graph."""

    def __init__(self, name: str, type: str, inputs: list[Optional[Value]]) -> None:
        self.name, self.type, self.inputs = name, type, inputs
        self.outputs = OUTPUTS[type]


def random_graph(chance: random.Random) -> tuple[list[Node], list[Value]]:
    values: list[Value] = [("x", 0), ("y", 0)]
    nodes = []
    for i in range(chance.randrange(4, 14)):
        type = chance.choice("AABBS")
        inputs: list[Optional[Value]] = [chance.choice(values[-5:]) for _ in range(INPUTS[type])]
        if type == "B" and chance.random() < 0.2:
            inputs[chance.randrange(2)] = None
        nodes.append(Node(f"n{i}", type, inputs))
        values += [(f"n{i}", k) for k in range(OUTPUTS[type])]
    return nodes, chance.sample(values[2:], min(len(values) - 2, chance.randrange(1, 4)))


def text_of(nodes: list[Node], outputs: list[Value], inputs: list[str], suffix: str = "") -> str:
    counts = {node.name: node.outputs for node in nodes}

    def value(v: Optional[Value]) -> str:
        return "_" if v is None else f"%{v[0]}[{v[1]}]" if counts.get(v[0], 1) > 1 else f"%{v[0]}"

    def line(node: Node) -> str:
        types = ": (?, ?)" if node.outputs > 1 else ""
        return f"%{node.name}{types} = {node.type}{suffix}({', '.join(map(value, node.inputs))})"

    body = "\n".join(map(line, nodes))
    return f"@t ({', '.join('%' + i for i in inputs)}) {{\n{body}\nreturn {', '.join(map(value, outputs))}\n}}"


def uses_of(nodes: list[Node], outputs: list[Value]) -> dict[Value, list[str]]:
    uses: dict[Value, list[str]] = {}
    for node in nodes:
        for value in node.inputs:
            if value is not None:
                uses.setdefault(value, []).append(node.name)
    for value in outputs:
        uses.setdefault(value, []).append("NetOutput")
    return uses


def cut(chance: random.Random, nodes: list[Node], outputs: list[Value]) -> tuple[list[Node], list[Value], list[str]]:
    """A pattern that some nodes of the graph fit: its nodes, outputs and inputs."""
    picked = [chance.choice(nodes)]
    for _ in range(chance.randrange(3)):
        near = [n for n in nodes if n not in picked and any(touch(n, p) for p in picked)]
        picked.append(chance.choice(near if near and chance.random() < 0.9 else [n for n in nodes if n not in picked]))
    picked.sort(key=nodes.index)
    inside = {node.name for node in picked}
    uses = uses_of(nodes, outputs)
    declared = []
    for node in picked:
        values = [(node.name, k) for k in range(node.outputs)]
        outer = [v for v in values if any(u not in inside for u in uses.get(v, []))]
        inner = any(u in inside for v in values for u in uses.get(v, []))
        declared += outer or ([] if inner else values[:1])
    names: dict[Value, str] = {}
    lines = []
    for node in picked:
        read = [v if v is None or v[0] in inside else (names.setdefault(v, f"d{len(names)}"), 0) for v in node.inputs]
        lines.append(Node(node.name, node.type, read))
    return lines, declared, list(names.values())


def touch(a: Node, b: Node) -> bool:
    return (
        any(v is not None and v[0] == b.name for v in a.inputs)
        or any(v is not None and v[0] == a.name for v in b.inputs)
        or bool(set(a.inputs) & set(b.inputs) - {None})
    )


def present(inputs: list[Optional[Value]]) -> list[Optional[Value]]:
    inputs = list(inputs)
    while inputs and inputs[-1] is None:
        inputs.pop()
    return inputs


def all_matches(
    nodes: list[Node], outputs: list[Value], pattern: list[Node], declared: list[Value]
) -> set[tuple[str, ...]]:
    """By trying every assignment, following the rules as they are written down."""
    uses = uses_of(nodes, outputs)
    found = set()
    for choice in itertools.permutations(nodes, len(pattern)):
        if all(p.type == t.type for p, t in zip(pattern, choice)) and fits(pattern, declared, list(choice), uses):
            found.add(tuple(t.name for t in choice))
    return found


def fits(pattern: list[Node], declared: list[Value], targets: list[Node], uses: dict[Value, list[str]]) -> bool:
    to = {p.name: t.name for p, t in zip(pattern, targets)}
    bound: dict[str, Value] = {}
    for p, t in zip(pattern, targets):
        wanted, given = present(p.inputs), present(t.inputs)
        if len(wanted) != len(given):
            return False
        for w, g in zip(wanted, given):
            if (w is None) != (g is None):
                return False
            if w is None or g is None:
                continue
            if w[0] in to:
                if g != (to[w[0]], w[1]):
                    return False
            elif bound.setdefault(w[0], g) != g:
                return False
    inside = set(to.values())
    if any(v[0] in inside for v in bound.values()):
        return False
    open_values = [(to[p.name], k) for p in pattern for k in range(p.outputs) if (p.name, k) not in declared]
    return not any(user not in inside for v in open_values for user in uses.get(v, []))


def meaning(passes: Passes, graph: int) -> list[object]:
    """What the outputs compute, as nested tuples; A2 means A."""
    known: dict[tuple[int, int], object] = {}
    for node in passes.ir.graph_nodes(graph, 1):
        type = passes.ir.symbol_text(passes.ir.node_op(node)[0]).rstrip("2")
        producers, indices = passes.ir.node_inputs(node)
        read = [known[pair] if pair[0] else None for pair in zip(producers, indices)]
        while read and read[-1] is None:
            read.pop()
        if type == "NetOutput":
            return read
        label = passes.ir.node_name(node) if type == "Data" else type
        for k in range(passes.ir.node_arity(node)[1]):
            known[node, k] = hash((label, k, tuple(read)))
    raise AssertionError("no NetOutput")


def list_is_ordered(passes: Passes, graph: int) -> bool:
    return bool(passes.ir.graph_nodes(graph, 0) == passes.ir.graph_nodes(graph, 1))


@pytest.mark.parametrize("seed", range(250))
def test_cut_out_patterns(passes: Passes, seed: int) -> None:
    chance = random.Random(seed)
    nodes, outputs = random_graph(chance)
    pattern, declared, inputs = cut(chance, nodes, outputs)
    graph = passes.graph(text_of(nodes, outputs, ["x", "y"]))
    text = text_of(pattern, declared, inputs)
    handle = passes.pattern(text)
    inner = [passes.node(passes.call.pattern_graph(handle), node.name) for node in pattern]
    found = passes.visit(
        handle, graph, lambda m: tuple(passes.ir.node_name(passes.call.match_node_of(m, n)) for n in inner)
    )
    assert set(found) == all_matches(nodes, outputs, pattern, declared)
    assert len(found) == len(set(found))
    assert tuple(node.name for node in pattern) in found

    before = meaning(passes, graph)
    passes.register("p", patterns=[text], replacement=text_of(pattern, declared, inputs, suffix="2"))
    executor = passes.executor()
    changed = passes.run(graph, executor=executor)
    _, matches, rewrites, skipped, _ = passes.stats(executor)[0]
    assert changed == (rewrites > 0) and matches == rewrites + skipped and matches > 0
    assert meaning(passes, graph) == before
    assert list_is_ordered(passes, graph)
