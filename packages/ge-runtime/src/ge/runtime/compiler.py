"""Compiles a graph, split or whole, into something that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ge.runtime._engine_ort import make_session
from ge.runtime._errors import CompileError
from ge.runtime._feed import input_spec
from ge.runtime._part_model import part_model, set_input_types
from ge.runtime._plan import make_plan
from ge.runtime.executor import CompiledModel, Part, PartInfo

if TYPE_CHECKING:
    from ge.graph import Graph
    from ge.runtime._plan import Step

__all__ = ["CompileError", "compile_model"]

# Nodes that carry values or order and compute nothing.
_NOT_OPERATORS = frozenset(("Data", "RefData", "AippData", "AnnData", "Const", "NetOutput"))


def _session_types(step: Step, session: Any) -> dict[int, Any]:
    """ONNX types of the slots that a step writes, as ONNX Runtime infers them."""
    from ge.runtime._ort_types import type_proto

    found = {slot: type_proto(output.type) for slot, output in zip(step.writes, session.get_outputs())}
    return {slot: kind for slot, kind in found.items() if kind is not None}


def _compile_step(step: Step, root: Graph, slot_types: dict[int, Any], threads: int) -> Part:
    model = part_model(step.graph, root)
    set_input_types(model, {at: slot_types[slot] for at, slot in enumerate(step.reads) if slot in slot_types})
    # Not the session's own list, which leaves out inputs that have a default; and without the constants that a file of
    # IR 3 lists as inputs.
    names = set(step.graph.input_names)
    inputs = [item.name for item in model.graph.input if item.name in names]
    if len(inputs) != len(step.reads):
        raise CompileError(
            f"part {step.name!r} has {len(step.reads)} inputs, but {len(inputs)} input names of its own: "
            f"{', '.join(map(repr, step.graph.input_names))}; give each input another name"
        )
    session = make_session(model, step.name, threads)
    info = PartInfo(step.name, step.kind, _operator_count(step.graph))
    return Part(info, session, inputs, [item.name for item in session.get_outputs()])


def _operator_count(graph: Graph) -> int:
    return sum(node.type not in _NOT_OPERATORS for node in graph.get_direct_nodes())


def _constant(node: Any) -> Any:
    """Value of a constant that stands in the root, because an output or a part's call reads it directly."""
    try:
        return node.get_attr("value").numpy()
    except (RuntimeError, NotImplementedError) as error:
        raise CompileError(f"constant {node.name!r} cannot be handed over: {error}") from error


def compile_model(graph: Graph, *, threads: int = 0) -> CompiledModel:
    """Compiles a root graph.

    Each ``PartitionedCall`` in the root becomes one part with an ONNX Runtime session of its own; a graph without any
    is one part. ONNX Runtime's graph optimisation stays off (see `ge.runtime` in the README).

    Args:
        graph: A graph as `ge.onnx` imports it, possibly rewritten and split. It is only read.
        threads: Threads inside one operator; 0 leaves the choice to ONNX Runtime.

    Raises:
        CompileError: A part cannot be written as ONNX or is refused by ONNX Runtime, or operators stand beside parts.
    """
    plan = make_plan(graph)
    parts: list[Part] = []
    types: dict[int, Any] = {}
    for step in plan.steps:
        parts.append(_compile_step(step, graph, types, threads))
        types.update(_session_types(step, parts[-1].session))
    specs = [input_spec(name, node) for name, _slot, node in plan.inputs]
    constants = {slot: _constant(node) for slot, node in plan.constants}
    return CompiledModel(plan, parts, specs, constants)
