"""Loading of pass plug-ins.

Plug-ins are files and folders named by the environment variable `ENV_PY_PASS_PATH`, entry points of the group
``ge.passes.plugins``, and what `load_passes` is given. One that does not load is logged with its traceback and does
not stop the others.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from ge.passes import _plugins
from ge.passes._plugins import ENV_PY_PASS_PATH, PluginFailure
from ge.passes._registry import get_registered_pass_dicts

__all__ = [
    "ENV_PY_PASS_PATH",
    "PluginFailure",
    "get_registered_passes",
    "load_pass_plugins",
    "load_passes",
    "unload_pass_plugins",
]

_lock = threading.Lock()
_users = 0


def load_pass_plugins(*, strict: bool = False) -> list[ModuleType]:
    """Loads the plug-ins of the environment variable and of the entry points; those loaded before stay as they are.

    Args:
        strict: A plug-in that does not load raises.

    Returns:
        The loaded modules in order.

    Raises:
        FileNotFoundError: The variable names something that does not exist. Everything else is loaded.
        ValueError: The variable names a file that does not end in ``.py``. Everything else is loaded.
        PluginError: ``strict``, and a plug-in did not load. Everything else is loaded.
    """
    global _users
    outcome = _plugins.discover()
    with _lock:
        _users += 1
    named = os.environ.get(ENV_PY_PASS_PATH, "").split(os.pathsep)
    for failure in outcome.failures:
        # A wrong entry of the variable is a mistake of the caller, not of a plug-in.
        if (
            failure.origin in named
            and isinstance(failure.error, (FileNotFoundError, ValueError))
            and not _exists(failure)
        ):
            raise failure.error
    if strict:
        outcome.raise_if_failed()
    return outcome.modules


def _exists(failure: PluginFailure) -> bool:
    return failure.origin.endswith(".py") and os.path.exists(failure.origin)


def unload_pass_plugins() -> None:
    """Ends one `load_pass_plugins`; with the last one, plug-ins are unregistered and forgotten. More calls do nothing.

    Raises:
        RuntimeError: An executor holds an instance of a pass.
    """
    global _users
    with _lock:
        if _users == 0:
            return
        _users -= 1
        if _users:
            return
    _plugins.forget_all()


def load_passes(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, strict: bool = True
) -> list[ModuleType]:
    """Loads plug-in files and folders.

    Args:
        path: One path, or several.
        strict: A plug-in that does not load raises; without it, it is logged.

    Returns:
        The loaded modules in order.

    Raises:
        PluginError: ``strict``, and a path means nothing or a plug-in did not load. Everything else is loaded.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    outcome = _plugins.load_paths([os.fspath(item) for item in paths])
    if strict:
        outcome.raise_if_failed()
    return outcome.modules


def get_registered_passes() -> list[dict[str, Any]]:
    """Registered passes in plain form."""
    return get_registered_pass_dicts()
