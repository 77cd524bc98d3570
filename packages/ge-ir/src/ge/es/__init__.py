"""Building graphs by calling functions: `GraphBuilder`, `TensorHolder`, and operator functions in plugins.

``ge.es.onnx`` has one function per ONNX operator. Other packages add theirs through the entry-point group
``ge.es.plugins``; each is an attribute of this package under the name of its entry point.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ge.es._plugins import get_plugin, list_plugins, load_plugins

if TYPE_CHECKING:
    from ge.es.graph_builder import GraphBuilder, InputType, TensorHolder, attr_scope, control_dependency_scope

__all__ = [
    "GraphBuilder",
    "InputType",
    "TensorHolder",
    "attr_scope",
    "control_dependency_scope",
    "get_plugin",
    "list_plugins",
]

_BUILDER = ("GraphBuilder", "InputType", "TensorHolder", "attr_scope", "control_dependency_scope")
_MODULES = ("framework", "graph_builder", "onnx", "tensor_like")


def __getattr__(name: str) -> object:
    """Loads the builder, operator modules and plugins on first use."""
    if name in _BUILDER:
        graph_builder = importlib.import_module("ge.es.graph_builder")
        globals().update({item: getattr(graph_builder, item) for item in _BUILDER})
        return globals()[name]
    if name in _MODULES:
        return importlib.import_module(f"ge.es.{name}")
    # Names with an underscore are asked for by import machinery and tools; they are no reason to load plugins.
    if not name.startswith("_"):
        plugin = load_plugins().get(name)
        if plugin is not None:
            return plugin
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
