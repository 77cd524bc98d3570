"""Chooses how native code calls Python passes: through an artifact set's bridge, or through ctypes callbacks.

``GE_BINDING`` decides as for `ge.graph`: ``ctypes``, ``native``, or ``auto`` (the default): the bridge where an
artifact set for this interpreter is installed, else ctypes. Both behave the same.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Sequence
from typing import Any, Protocol

from ge.passes._registry import PassDescriptor

__all__ = ["Route", "route"]

_CHOICES = ("auto", "ctypes", "native")


class Route(Protocol):
    """Registers Python passes with the native registry."""

    name: str

    def register(self, descriptors: Sequence[PassDescriptor]) -> None:
        """Registers all or none; ``RuntimeError`` if one is refused."""


class BridgeRoute:
    """Registers passes through the bridge of an artifact set."""

    name = "bridge"

    def __init__(self, runtime: Any, selection: Any) -> None:
        """Opens the bridge.

        Raises:
            RuntimeError: The bridge cannot be opened; the text says why.
        """
        runtime.open_bridge(selection)
        self._runtime = runtime

    def register(self, descriptors: Sequence[PassDescriptor]) -> None:
        """Registers all or none.

        Raises:
            RuntimeError: The native registry refused one, for example because its name is taken; the text says why.
        """
        from ge.passes import _bridge
        from ge.passes._errors import error_of
        from ge.passes._library import getter_addresses

        with _bridge.offering(descriptors):
            try:
                self._runtime.register_python_passes(*getter_addresses())
            except RuntimeError as error:
                status, slot = getattr(error, "status", None), getattr(error, "slot", "register_passes")
                if status is None:
                    raise
                raise error_of(status, getattr(error, "message", str(error)), slot) from None


def _runtime() -> tuple[Any, str]:
    """The runtime package, or the reason why there is none."""
    try:
        return importlib.import_module("ge.runtime"), ""
    except ModuleNotFoundError as error:
        # Anything missing but the package itself is a defect of an installed package and must be seen.
        if error.name is None or not "ge.runtime.".startswith(error.name + "."):
            raise
        return None, "ge.runtime is not installed; it comes with: pip install 'ge-passes[python]'"


@functools.cache
def route() -> Route:
    """The route of this process.

    Raises:
        ImportError: ``GE_BINDING`` has an unknown value, or is ``native`` and no artifact set can be used.
        RuntimeError: An artifact set fits, but its bridge cannot be opened: a defect that must be seen.
    """
    choice = os.environ.get("GE_BINDING", "auto") or "auto"
    if choice not in _CHOICES:
        raise ImportError(f"GE_BINDING is {choice!r}; expected one of {', '.join(_CHOICES)}")
    if choice != "ctypes":
        runtime, reason = _runtime()
        if runtime is not None:
            try:
                return BridgeRoute(runtime, runtime.select_artifacts())
            except runtime.ArtifactError as error:
                reason = str(error)
        if choice == "native":
            raise ImportError(f"GE_BINDING=native, but there is no bridge: {reason}")
    from ge.passes._route_ctypes import CtypesRoute

    return CtypesRoute()
