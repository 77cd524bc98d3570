"""Names of values in a file: unique in their graph and the graphs around it, graph inputs and outputs first."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Optional, Tuple

from ge.graph import Graph, Node
from ge.onnx._errors import OnnxExportError

__all__ = ["Names", "OutputPlan", "OutputRule", "default_name"]

ValueKey = Tuple[int, int]  # node handle, output index


def default_name(node: Node, index: int) -> str:
    """Name of a value that has none."""
    name: str = node._value_name(index)
    return name or (node.name if index == 0 else f"{node.name}:{index}")


class OutputRule(enum.Enum):
    """What the outputs of a graph may be."""

    #: Names are a contract. An output may be an input, and one value may be several outputs.
    ROOT = "root"
    #: Names are labels. An output may be an input; a value that is output twice is copied, because runtimes give wrong
    #: results for an If branch that lists one value twice.
    BODY = "body"
    #: Names are labels. Every output must be a value of its own: ONNX refuses repeated ones, runtimes those that are
    #: inputs.
    FUNCTION = "function"


class OutputPlan(NamedTuple):
    """One graph output: its name, the value, and whether an Identity must stand between them."""

    name: str
    key: ValueKey
    copied: bool


class Names:
    """Names of the values of one graph."""

    def __init__(self, graph: Graph, outer: Optional[Names]) -> None:
        self._where = graph.name
        self._outer = outer
        self._taken: set[str] = set()
        self._counters: dict[str, int] = {}
        self.values: dict[ValueKey, str] = {}

    def find(self, key: ValueKey) -> str | None:
        """Name of a value here or in a graph around; None if it is in none of them."""
        scope: Names | None = self
        while scope is not None:
            name = scope.values.get(key)
            if name is not None:
                return name
            scope = scope._outer
        return None

    def is_taken(self, name: str) -> bool:
        """True if a value here or in a graph around has the name."""
        scope: Names | None = self
        while scope is not None:
            if name in scope._taken:
                return True
            scope = scope._outer
        return False

    def reserve(self, base: str) -> str:
        """A name that nothing has yet: ``base``, or ``base_<n>``."""
        made = base
        number = self._counters.get(base, 0)
        while not made or self.is_taken(made):
            number += 1
            made = f"{base}_{number}"
        self._counters[base] = number
        self._taken.add(made)
        return made

    def name_value(self, node: Node, index: int) -> str:
        """Names a value that is not an output of the graph."""
        key = (node._handle, index)
        name = self.values.get(key)
        if name is None:
            name = self.values[key] = self.reserve(default_name(node, index))
        return name

    def plan_outputs(self, values: list[Any], wanted: list[str], local: set[int], rule: OutputRule) -> list[OutputPlan]:
        """Names the outputs of the graph, before any other value but the inputs is named.

        An output that is a value from outside, or a value that already has another name, is copied by an Identity, so
        that every output keeps its name and every value has one name. What else is copied, the rule says.

        Args:
            values: Pairs (node, output index) that the output node reads; None where it reads nothing.
            wanted: A name for each, empty where there is none.
            local: Handles of the nodes of the graph.
            rule: What the graph is.

        Raises:
            OnnxExportError: An output reads nothing, or two different values want one name.
        """
        plans: list[OutputPlan] = []
        given: dict[str, ValueKey] = {}
        for position, value in enumerate(values):
            if value is None:
                raise OnnxExportError(f"output {position} of graph {self._where!r} reads nothing")
            node, index = value
            key = (node._handle, index)
            name = wanted[position] or default_name(node, index)
            if rule is OutputRule.ROOT and given.get(name, key) != key:
                raise OnnxExportError(f"two different values of graph {self._where!r} are outputs named {name!r}")
            if self._stays(name, key, given, rule):
                plans.append(OutputPlan(name, key, copied=False))
            else:
                plans.append(self._plan_output(name, key, node._handle in local, rule))
            given.setdefault(plans[-1].name, key)
        return plans

    def _stays(self, name: str, key: ValueKey, given: dict[str, ValueKey], rule: OutputRule) -> bool:
        """True for an output that already has its name: an input, or (root graphs only) an earlier output once more."""
        if rule is OutputRule.ROOT:
            return self.values.get(key) == name or given.get(name) == key
        return rule is OutputRule.BODY and self.values.get(key) == name and name not in given

    def _plan_output(self, name: str, key: ValueKey, is_local: bool, rule: OutputRule) -> OutputPlan:
        if self.is_taken(name):
            if rule is OutputRule.ROOT:
                raise OnnxExportError(
                    f"output {name!r} of graph {self._where!r} has the name of another value, an input"
                )
            name = self.reserve(name)
        else:
            self._taken.add(name)
        if is_local and key not in self.values:
            self.values[key] = name
            return OutputPlan(name, key, copied=False)
        return OutputPlan(name, key, copied=True)
