"""What native code calls to run Python passes: functions over numbers and handles.

Two callers use it in the same way: the bridge library of an artifact set, and the ctypes callbacks of
`_route_ctypes`. Handles that are returned (patterns, graphs) belong to the caller from then on. Every function may
raise; the caller then asks `describe_failure` for the text of the native error.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ge.passes._native_registry import pending
from ge.passes._registry import (
    PassDescriptor,
    get_registered_pass_by_descriptor_key,
    get_registered_passes,
    registry,
)

if TYPE_CHECKING:
    from ge.passes._holder import PassHolder

__all__ = [
    "call_decompose_meet_requirements",
    "call_decompose_replacement",
    "call_meet_requirements",
    "call_replacement",
    "check_libraries",
    "clear_loaded_pass_modules",
    "clear_pass_holders",
    "create_pass_holder",
    "describe_failure",
    "destroy_pass_holder",
    "discovery_report",
    "get_pass_patterns",
    "lending",
    "load_and_get_pass_descriptors",
    "offering",
    "run_fusion_base_pass",
    "take_failure",
]

_OWN_FILES = tuple(
    __file__[: -len("_bridge.py")] + name
    for name in ("_bridge.py", "_expression_build.py", "_holder.py", "_route_ctypes.py")
)
_FRAMES = 12  # of the user's code; the native error block holds about 4 kB

_holders: dict[int, PassHolder] = {}
_offered: list[PassDescriptor] | None = None
_lent: dict[str, PassDescriptor] = {}
_report = ""


class _Failures(threading.local):
    last: BaseException | None = None


_failures = _Failures()


# -- registration


@contextmanager
def offering(descriptors: Sequence[PassDescriptor]) -> Iterator[None]:
    """While this lasts, `load_and_get_pass_descriptors` gives these and runs no discovery."""
    global _offered
    previous, _offered = _offered, list(descriptors)
    try:
        yield
    finally:
        _offered = previous


@contextmanager
def lending(descriptor: PassDescriptor) -> Iterator[None]:
    """While this lasts, `create_pass_holder` knows a descriptor that is not in the registry."""
    _lent[descriptor.descriptor_key] = descriptor
    try:
        yield
    finally:
        del _lent[descriptor.descriptor_key]


def load_and_get_pass_descriptors(strict: bool = False) -> list[dict[str, Any]]:
    """Runs discovery, then gives the passes that are not registered natively yet, in plain form.

    Raises:
        PluginError: ``strict``, and a plug-in did not load.
    """
    global _report
    if _offered is not None:
        return [descriptor.to_bridge_dict() for descriptor in pending(_offered)]
    from ge.passes._plugins import discover

    outcome = discover(strict=strict)
    _report = "\n".join(str(failure) for failure in outcome.failures)
    return [descriptor.to_bridge_dict() for descriptor in pending(get_registered_passes())]


def discovery_report() -> str:
    """What failed in the last discovery, tracebacks included; empty if nothing did."""
    return _report


def check_libraries(ir_getter: int, passes_getter: int) -> None:
    """Refuses a caller whose native libraries are not the ones that Python uses: their handles mean other things.

    Raises:
        RuntimeError: They differ.
    """
    from ge.passes._library import api, getter_addresses

    if (ir_getter, passes_getter) != getter_addresses():
        raise RuntimeError(
            "the caller uses other libraries (libge_ir, libge_passes) than the Python packages of this process, which "
            f"use {api().path}; one process can use one of each"
        )


# -- holders


def create_pass_holder(instance_id: int, descriptor_key: str) -> PassHolder:
    """Makes the object of a pass; a second call with the same number gives the same one.

    Raises:
        KeyError: No pass has that descriptor key.
    """
    from ge.passes._holder import PassHolder

    holder = _holders.get(instance_id)
    if holder is None:
        descriptor = _lent.get(descriptor_key) or get_registered_pass_by_descriptor_key(descriptor_key)
        if descriptor is None:
            raise KeyError(f"no Python pass has the descriptor key {descriptor_key!r}")
        holder = _holders[instance_id] = PassHolder(descriptor)
    return holder


def destroy_pass_holder(instance_id: int) -> None:
    """Ends an object; nothing if there is none of that number."""
    _holders.pop(instance_id, None)


def clear_pass_holders() -> None:
    """Ends all objects. The passes may have gone from the native registry, so the next run looks again."""
    _holders.clear()
    registry.touch()


def clear_loaded_pass_modules() -> None:
    """Forgets plug-in modules and the passes they registered."""
    from ge.passes._plugins import forget_all

    forget_all()


# -- hooks


def run_fusion_base_pass(instance_id: int, graph: int, context: int) -> None:
    """Runs a whole-graph pass on a borrowed graph."""
    _holders[instance_id].run(graph, context)


def get_pass_patterns(instance_id: int) -> list[int]:
    """Patterns of a pass, configured; the caller owns them."""
    return _holders[instance_id].patterns()


def call_meet_requirements(instance_id: int, match: int, context: int) -> bool:
    """Whether a pattern pass accepts a match."""
    return _holders[instance_id].meet(match, context)


def call_replacement(instance_id: int, match: int, context: int) -> int:
    """Replacement graph for a match; the caller owns it."""
    return _holders[instance_id].replace(match, context)


def call_decompose_meet_requirements(instance_id: int, node: int, context: int) -> bool:
    """Whether a decompose pass accepts a node."""
    return _holders[instance_id].meet(node, context)


def call_decompose_replacement(instance_id: int, node: int, context: int) -> int:
    """Replacement graph for a node; the caller owns it."""
    return _holders[instance_id].replace(node, context)


# -- failures


def describe_failure(error: BaseException) -> str:
    """Text for the native error: what was raised, then where in the user's code.

    The summary comes first, because long texts are cut at the end. The exception is kept for `take_failure`.
    """
    _failures.last = error
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename not in _OWN_FILES]
    summary = "".join(traceback.format_exception_only(type(error), error)).strip()
    if not frames:
        return summary
    listing = "".join(traceback.format_list(frames[-_FRAMES:]))
    return f"{summary}\nTraceback (most recent call last):\n{listing}".rstrip()


def take_failure() -> BaseException | None:
    """What the last failing hook of this thread raised, once."""
    last, _failures.last = _failures.last, None
    return last
