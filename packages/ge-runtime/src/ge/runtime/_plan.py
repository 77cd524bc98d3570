"""The order in which the parts of a graph run, and which values they hand over.

A plan is made once from the root graph: every value that crosses parts gets a slot number, every part a step that reads
and writes slots, and each step knows which slots nobody needs after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ge.runtime._errors import CompileError

if TYPE_CHECKING:
    from ge.graph import Graph, Node

__all__ = ["CALL", "Plan", "Step", "make_plan"]

CALL = "PartitionedCall"
_INPUT_TYPES = ("Data", "RefData", "AippData", "AnnData")
_CONST_TYPES = ("Const", "Constant", "ConstantOP")
_OUTPUT = "NetOutput"


@dataclass
class Step:
    """One part.

    Attributes:
        name: Name of the part's call node, or of the graph if it is not split.
        kind: ``static`` or ``dynamic``.
        graph: The part's body.
        reads: Slot of each body input, in order; ``None`` for an absent one.
        writes: Slot of each body output, in order.
        frees: Slots that no later step and no output reads.
    """

    name: str
    kind: str
    graph: Graph
    reads: list[int | None]
    writes: list[int]
    frees: list[int] = field(default_factory=list)


@dataclass
class Plan:
    """Steps and slots of a whole graph.

    Attributes:
        inputs: (name, slot, node) of the graph's inputs in order.
        constants: (slot, Const node) of constants that stand in the root.
        steps: Parts in an order in which they can run.
        outputs: (name, slot) of the graph's outputs in order.
        slot_count: Number of slots.
    """

    inputs: list[tuple[str, int, Node]]
    constants: list[tuple[int, Node]]
    steps: list[Step]
    outputs: list[tuple[str, int]]
    slot_count: int


class _Slots:
    """Hands out slot numbers for values of the root graph."""

    def __init__(self) -> None:
        self._known: dict[tuple[Node, int], int] = {}

    def of(self, node: Node, index: int) -> int:
        """The slot of a value, a new one the first time."""
        return self._known.setdefault((node, index), len(self._known))

    @property
    def count(self) -> int:
        """Number of slots so far."""
        return len(self._known)


def _is_dynamic(call: Node) -> bool:
    return bool(call.has_attr("_is_unknown_shape") and call.get_attr("_is_unknown_shape"))


def _body(call: Node) -> Graph:
    bodies = list(call.subgraphs.values())
    if len(bodies) != 1:
        raise CompileError(f"node {call.name!r} of type {CALL} must own one subgraph, found {len(bodies)}")
    body: Graph = bodies[0]
    return body


def _call_step(call: Node, slots: _Slots) -> Step:
    reads = [None if value is None else slots.of(value[0], value[1]) for value in call.inputs]
    writes = [slots.of(call, index) for index in range(call.get_outputs_size())]
    body = _body(call)
    if len(body.inputs) != len(reads) or len(body.outputs) != len(writes):
        raise CompileError(
            f"node {call.name!r}: has {len(reads)} inputs and {len(writes)} outputs, "
            f"but its subgraph {body.name!r} has {len(body.inputs)} and {len(body.outputs)}"
        )
    return Step(call.name, "dynamic" if _is_dynamic(call) else "static", body, reads, writes)


def _mark_last_uses(plan: Plan) -> None:
    """Fills `Step.frees` from the back, so that each slot is freed right after its last reader."""
    needed = {slot for _name, slot in plan.outputs} | {slot for slot, _node in plan.constants}
    for step in reversed(plan.steps):
        for slot in [*step.reads, *step.writes]:
            if slot is not None and slot not in needed:
                needed.add(slot)
                step.frees.append(slot)


def make_plan(graph: Graph) -> Plan:
    """The plan of a root graph that was split, or the one-step plan of one that was not.

    Raises:
        CompileError: Beside calls there are other operators in the root; the text names the first.
    """
    nodes = graph.topological_order()
    calls = [node for node in nodes if node.type == CALL]
    if not calls:
        return _whole_plan(graph)
    slots = _Slots()
    plan = Plan([], [], [], [], 0)
    names = graph.input_names
    for name, node in zip(names, graph.inputs):
        plan.inputs.append((name, slots.of(node, 0), node))
    for node in nodes:
        if node.type == CALL:
            step = _call_step(node, slots)
            if step.writes:  # a part that gives nothing computes for nobody
                plan.steps.append(step)
        elif node.type in _CONST_TYPES:
            plan.constants.append((slots.of(node, 0), node))
        elif node.type not in _INPUT_TYPES and node.type != _OUTPUT:
            raise CompileError(
                f"node {node.name!r} of type {node.type!r} stands in the root beside partitioned parts; "
                "split the whole graph, or none of it"
            )
    plan.outputs = [(name, slots.of(*value)) for name, value in zip(graph.output_names, graph.outputs)]
    plan.slot_count = slots.count
    _mark_last_uses(plan)
    return plan


def _whole_plan(graph: Graph) -> Plan:
    """A graph that is not split is one part."""
    inputs = list(zip(graph.input_names, graph.inputs))
    outputs = graph.output_names
    unknown = any(
        node.get_output_desc(index).shape.is_unknown_shape()
        for node in graph.get_direct_nodes()
        if node.type not in _CONST_TYPES
        for index in range(node.get_outputs_size())
    )
    step = Step(
        name=graph.name,
        kind="dynamic" if unknown else "static",
        graph=graph,
        reads=list(range(len(inputs))),
        writes=list(range(len(inputs), len(inputs) + len(outputs))),
    )
    return Plan(
        inputs=[(name, slot, node) for slot, (name, node) in enumerate(inputs)],
        constants=[],
        steps=[step],
        outputs=[(name, len(inputs) + position) for position, name in enumerate(outputs)],
        slot_count=len(inputs) + len(outputs),
    )
