"""Runs a compiled model: parts in order, values handed over in slots, freed after their last reader."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ge.runtime._engine_ort import run_session
from ge.runtime._errors import RunError
from ge.runtime._feed import InputSpec, check_feed

if TYPE_CHECKING:
    from ge.runtime._plan import Plan, Step

__all__ = ["CompiledModel", "PartInfo", "RunError"]


@dataclass(frozen=True)
class PartInfo:
    """One part of a compiled model.

    Attributes:
        name: Name of the part.
        kind: ``static`` or ``dynamic``.
        nodes: Number of operators in it; those of control-flow bodies count with their owner.
    """

    name: str
    kind: str
    nodes: int


@dataclass(frozen=True)
class Part:
    """A compiled part: its session, and the names of the session's inputs and outputs in the order of the slots."""

    info: PartInfo
    session: Any
    inputs: list[str]
    outputs: list[str]


class CompiledModel:
    """A model that runs.

    Made by `compile_model`. `run` may be called from several threads at once: a run keeps its values to itself.
    """

    def __init__(self, plan: Plan, parts: list[Part], specs: list[InputSpec], constants: Mapping[int, Any]) -> None:
        self._plan = plan
        self._compiled = parts
        self._specs = specs
        self._constants = dict(constants)

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs, in order."""
        return [spec.name for spec in self._specs]

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs, in order."""
        return [name for name, _slot in self._plan.outputs]

    @property
    def parts(self) -> tuple[PartInfo, ...]:
        """The parts in the order in which they run."""
        return tuple(part.info for part in self._compiled)

    def run(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        """Runs the model once.

        Args:
            feed: An array for each input, by name; its type must be the input's, its shape must fit the declared one.

        Returns:
            The outputs by name, in order: NumPy arrays, or lists for sequences.

        Raises:
            RunError: An input is missing, unknown or does not fit (name, expected, found), a part failed, or two
                outputs have one name.
        """
        return self._by_name(self.run_outputs(feed))

    def run_outputs(self, feed: Mapping[str, Any]) -> list[Any]:
        """As `run`, but the outputs as a list in order: also for a model with two outputs of one name.

        Raises:
            RunError: As `run`.
        """
        slots = self._start(feed)
        for position, step in enumerate(self._plan.steps):
            self._run_step(position, step, slots)
        return [slots[slot] for _name, slot in self._plan.outputs]

    def _by_name(self, values: list[Any]) -> dict[str, Any]:
        names = self.output_names
        result = dict(zip(names, values))
        if len(result) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise RunError(
                f"the model has {names.count(twice)} outputs named {twice!r}; use run_outputs, which gives a list"
            )
        return result

    def profile(self, feed: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[PartInfo, float]]]:
        """As `run`, and the seconds that each part took."""
        slots = self._start(feed)
        times = []
        for position, step in enumerate(self._plan.steps):
            started = time.perf_counter()
            self._run_step(position, step, slots)
            times.append((self._compiled[position].info, time.perf_counter() - started))
        return self._by_name([slots[slot] for _name, slot in self._plan.outputs]), times

    def _start(self, feed: Mapping[str, Any]) -> list[Any]:
        arrays = check_feed(self._specs, feed)
        slots: list[Any] = [None] * self._plan.slot_count
        for slot, value in self._constants.items():
            slots[slot] = value
        for (_name, slot, _node), array in zip(self._plan.inputs, arrays):
            slots[slot] = array
        return slots

    def _run_step(self, position: int, step: Step, slots: list[Any]) -> None:
        part = self._compiled[position]
        feed = {name: slots[slot] for name, slot in zip(part.inputs, step.reads) if slot is not None}
        try:
            results = run_session(part.session, part.outputs, feed)
        except Exception as error:  # the exception types of ONNX Runtime have no common base but this
            raise RunError(f"part {step.name!r} ({step.kind}) failed: {error}") from error
        for slot, value in zip(step.writes, results):
            slots[slot] = value
        for slot in step.frees:
            slots[slot] = None
