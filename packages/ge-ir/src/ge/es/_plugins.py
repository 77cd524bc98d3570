"""Packages of operator functions that other distributions bring, by the entry-point group ``ge.es.plugins``.

An entry point names a module, a str (the name of a module), or a callable that gives one of these; a callable that
gives nothing stands for the module it is defined in. A broken one is reported as a ``RuntimeWarning`` and passed over.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterable
from types import ModuleType
from typing import Any

__all__ = ["GROUP", "get_plugin", "list_plugins", "load_plugins"]

GROUP = "ge.es.plugins"
_loaded: dict[str, ModuleType] | None = None


def _entry_points() -> Iterable[Any]:
    from importlib.metadata import entry_points

    found: Any = entry_points()
    # Before Python 3.10 this is a dict of groups.
    points = found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, ())
    return sorted(points, key=lambda point: (point.name, point.value))


def load_plugins() -> dict[str, ModuleType]:
    """All plugins by name; the first call loads them."""
    global _loaded
    if _loaded is None:
        _loaded = {}
        for point in _entry_points():
            try:
                _loaded.setdefault(point.name, _module_of(point.load()))
            except Exception as error:  # whatever foreign code raises must not take the others along
                warnings.warn(
                    f"plugin {point.name!r} ({point.value}) of group {GROUP} is left out: "
                    f"{type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=3,
                )
    return _loaded


def _module_of(value: Any) -> ModuleType:
    if isinstance(value, ModuleType):
        return value
    if isinstance(value, str):
        return importlib.import_module(value)
    if callable(value):
        result = value()
        return sys.modules[value.__module__] if result is None else _module_of(result)
    raise TypeError(f"expected a module, the name of one, or a callable, found {type(value).__name__}")


def list_plugins() -> list[str]:
    """Names of the plugins that loaded."""
    return sorted(load_plugins())


def get_plugin(name: str) -> ModuleType | None:
    """The plugin of that name; ``None``: there is none.

    Raises:
        TypeError: The name is no str.
    """
    if not isinstance(name, str):
        raise TypeError(f"plugin name must be str, found {type(name).__name__}: {name!r}")
    return load_plugins().get(name)
