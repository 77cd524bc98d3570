"""Abstract graphs that every contestant builds in its own way.

A spec is a list of ``(op, inputs, label)``. Values 0 to 3 are the graph's inputs ``x, W0, W1, B``; node ``i`` makes
value ``4 + i``. Every tensor is float32[4, 4], so that no time goes into weights.
"""

from __future__ import annotations

import random
from typing import List, Tuple

Spec = List[Tuple[str, Tuple[int, ...], int]]

INPUT_NAMES = ("x", "W0", "W1", "B")
SHAPE = (4, 4)
# One- and two-operand operator of each label of `layered`.
LABEL_OPS = (("Relu", "Add"), ("Sigmoid", "Mul"), ("Tanh", "Sub"), ("Exp", "Max"))


def triples(n: int, middle: str = "Add") -> Spec:
    """``n // 3`` times MatMul, ``middle`` and Relu in a chain; with ``middle="Sub"`` no MatMul feeds an Add."""
    spec: Spec = []
    value = 0
    for number in range(n // 3):
        first = 4 + len(spec)
        spec += [
            ("MatMul", (value, 1 + number % 2), number),
            (middle, (first, 3), number),
            ("Relu", (first + 1,), number),
        ]
        value = first + 2
    return spec


def layered(n: int, labels: int, width: int = 16, seed: int = 7) -> Spec:
    """A random layered DAG: every node reads one or two nodes of the layer before, about 1.5 edges a node.

    The label decides the operator. With two labels 30 % of the nodes have label 1; with four they are even.
    """
    rnd = random.Random(seed)
    spec: Spec = []
    for number in range(n):
        label = int(rnd.random() < 0.3) if labels == 2 else rnd.randrange(labels)
        layer = number // width
        if layer == 0:
            inputs: Tuple[int, ...] = (0,) if rnd.random() < 0.5 else (0, 3)
        else:
            first = 4 + (layer - 1) * width
            inputs = tuple(rnd.sample(range(first, first + width), 1 if rnd.random() < 0.5 else 2))
        spec.append((LABEL_OPS[label][len(inputs) - 1], inputs, label))
    return spec


def chain(n: int, every: int = 0) -> Spec:
    """A chain of Relu. Every ``every``-th node has label 1; with 0, the last tenth has it."""
    first = n - max(1, n // 10)
    return [
        ("Relu", (number + 3 if number else 0,), int(number % every == every - 1 if every else number >= first))
        for number in range(n)
    ]


def wide(n: int, depth: int = 10) -> Spec:
    """A few layers, each a ``depth``-th of the nodes; every node adds two neighbours of the layer before.

    The last layer has label 1.
    """
    width = max(1, n // depth)
    spec: Spec = []
    for number in range(n):
        layer, column = divmod(number, width)
        before = 4 + (layer - 1) * width
        inputs = (before + column, before + (column + 1) % width) if layer else (0, 3)
        spec.append(("Add", inputs, int(number >= n - width)))
    return spec


def star(n: int) -> Spec:
    """One node that all others read; every second of those has label 1."""
    return [("Relu", (0,), 0), *(("Relu", (4,), number % 2) for number in range(n - 1))]


def sinks(spec: Spec) -> List[int]:
    """Values that no node reads: the outputs of the graph."""
    read = {value for _, inputs, _ in spec for value in inputs}
    return [4 + number for number in range(len(spec)) if 4 + number not in read]
