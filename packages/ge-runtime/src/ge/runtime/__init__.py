"""Run time of GE: selection of artifact sets, the Python pass bridge, compiled models.

Names are loaded on first use, so that importing this package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ge.runtime._selection import (
        ArtifactError,
        Selection,
        artifact_roots,
        open_bridge,
        register_python_passes,
        select_artifacts,
    )
    from ge.runtime.compiler import CompileError, compile_model
    from ge.runtime.doctor import diagnose
    from ge.runtime.executor import CompiledModel, PartInfo, RunError

__all__ = [
    "ArtifactError",
    "CompileError",
    "CompiledModel",
    "PartInfo",
    "RunError",
    "Selection",
    "artifact_roots",
    "compile_model",
    "diagnose",
    "open_bridge",
    "register_python_passes",
    "select_artifacts",
]

_HOMES = {
    "ArtifactError": "ge.runtime._selection",
    "Selection": "ge.runtime._selection",
    "artifact_roots": "ge.runtime._selection",
    "open_bridge": "ge.runtime._selection",
    "register_python_passes": "ge.runtime._selection",
    "select_artifacts": "ge.runtime._selection",
    "compile_model": "ge.runtime.compiler",
    "diagnose": "ge.runtime.doctor",
    "CompileError": "ge.runtime.compiler",
    "CompiledModel": "ge.runtime.executor",
    "PartInfo": "ge.runtime.executor",
    "RunError": "ge.runtime.executor",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
