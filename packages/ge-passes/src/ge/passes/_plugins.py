"""Finds and loads passes: files and folders, entry points. A broken plug-in is isolated and reported."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ge.passes._errors import PluginError
from ge.passes._plugin_files import forget_module, import_path, plugin_paths
from ge.passes._registry import PassDescriptor, get_registered_passes, registry, unregister_pass

__all__ = [
    "ENTRY_POINT_GROUP",
    "ENV_PY_PASS_PATH",
    "Discovery",
    "PluginFailure",
    "discover",
    "forget_all",
    "load_paths",
]

ENV_PY_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
ENTRY_POINT_GROUP = "ge.passes.plugins"

_log = logging.getLogger("ge.passes")
_lock = threading.RLock()


@dataclass(frozen=True)
class PluginFailure:
    """A plug-in that did not load.

    Attributes:
        origin: File, folder or entry point.
        error: What was raised.
        text: Its traceback.
    """

    origin: str
    error: BaseException
    text: str

    def __str__(self) -> str:
        return f"pass plug-in {self.origin} did not load:\n{self.text}"


@dataclass
class Discovery:
    """What a discovery found.

    Attributes:
        modules: Plug-ins that are loaded, in order; those of earlier discoveries are among them.
        failures: Those that did not load this time.
    """

    modules: list[ModuleType] = field(default_factory=list)
    failures: list[PluginFailure] = field(default_factory=list)

    def raise_if_failed(self) -> None:
        """Raises `PluginError` if something did not load; the cause is the first error."""
        if self.failures:
            raise PluginError(self.failures) from self.failures[0].error


@dataclass
class _Loaded:
    module: ModuleType
    descriptors: list[PassDescriptor]


_loaded: dict[str, _Loaded] = {}  # by real path, or "entry point <name> = <value>"
_suspended: dict[str, _Loaded] = {}  # entry points after forget_all: their modules stay imported


def _load(origin: str, key: str, make: Callable[[], ModuleType], outcome: Discovery) -> None:
    """Loads one plug-in; on failure takes back what it registered."""
    known = _loaded.get(key) or _resume(key)
    if known is not None:
        outcome.modules.append(known.module)
        return
    before = set(registry.by_key)
    try:
        module = make()
    except Exception as error:
        for descriptor in get_registered_passes():
            if descriptor.descriptor_key not in before:
                registry.discard(descriptor)
        outcome.failures.append(_failure(origin, error))
        return
    own = [item for item in get_registered_passes() if item.descriptor_key not in before]
    _loaded[key] = _Loaded(module, own)
    outcome.modules.append(module)


def _resume(key: str) -> _Loaded | None:
    known = _suspended.pop(key, None)
    if known is not None:
        for descriptor in known.descriptors:
            registry.add(descriptor)
        _loaded[key] = known
    return known


def _failure(origin: str, error: BaseException) -> PluginFailure:
    # Frames of this package and of the import machinery say nothing about the plug-in.
    skip = (__file__, os.path.join(os.path.dirname(__file__), "_plugin_files.py"))
    frames = traceback.extract_tb(error.__traceback__)
    kept = [item for item in frames if item.filename not in skip and not item.filename.startswith("<frozen importlib")]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(kept)] if kept else []
    text = "".join([*lines, *traceback.format_exception_only(type(error), error)]).rstrip()
    failure = PluginFailure(origin, error, text)
    _log.error("%s", failure)
    return failure


def load_paths(paths: list[str]) -> Discovery:
    """Loads files and folders; a path that means nothing is among the failures."""
    outcome = Discovery()
    with _lock:
        for entry in paths:
            try:
                found = plugin_paths(entry)
            except (OSError, ValueError) as error:
                outcome.failures.append(_failure(entry, error))
                continue
            for path in found:
                _load(path, os.path.realpath(path), lambda path=path: import_path(path), outcome)  # type: ignore[misc]
    return outcome


def _entry_points() -> list[Any]:
    from importlib.metadata import entry_points

    if sys.version_info >= (3, 10):
        found = list(entry_points(group=ENTRY_POINT_GROUP))
    else:
        found = list(entry_points().get(ENTRY_POINT_GROUP, ()))
    unique = {(item.name, item.value): item for item in found}  # one distribution may be seen twice on sys.path
    return [unique[key] for key in sorted(unique)]


def _load_entry_points(outcome: Discovery) -> None:
    for item in _entry_points():
        label = f"entry point {item.name} = {item.value}"
        _load(label, label, lambda item=item: _module_of(item), outcome)  # type: ignore[misc]


def _module_of(item: Any) -> ModuleType:
    item.load()
    return sys.modules[item.value.partition(":")[0].strip()]


def discover(*, strict: bool = False) -> Discovery:
    """Loads what `ENV_PY_PASS_PATH` names and what entry points of `ENTRY_POINT_GROUP` offer; loaded ones stay.

    Raises:
        PluginError: ``strict``, and something did not load; everything else is loaded.
    """
    entries = [entry for entry in os.environ.get(ENV_PY_PASS_PATH, "").split(os.pathsep) if entry]
    with _lock:
        outcome = load_paths(entries)
        _load_entry_points(outcome)
    if strict:
        outcome.raise_if_failed()
    return outcome


def forget_all() -> None:
    """Unregisters the passes of all plug-ins and forgets their modules; loading them again brings them back.

    Raises:
        RuntimeError: An executor holds an instance of a pass; plug-ins before it are gone.
    """
    with _lock:
        for key, known in list(_loaded.items()):
            for descriptor in known.descriptors:
                unregister_pass(descriptor.descriptor_key)
            del _loaded[key]
            if key.startswith("entry point "):
                _suspended[key] = known  # an ordinary module, perhaps in use elsewhere: it stays imported
            else:
                forget_module(known.module.__name__)
