"""Finds ``libge_passes.so`` over every entry of ``ge.__path__``, loads it and gives it the graph library."""

from __future__ import annotations

import functools
import os
import sys

from ge.passes import _abi

__all__ = ["api", "candidates", "getter_addresses"]

LIBRARY_FILE = "libge_passes.so"


def candidates() -> list[str]:
    """Paths where the library may lie, in the order in which they are tried."""
    roots = [os.path.abspath(root) for root in getattr(sys.modules.get("ge"), "__path__", ())]
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if own not in roots:
        roots.append(own)
    return [os.path.join(root, "passes", "_lib", LIBRARY_FILE) for root in roots]


def _find() -> str:
    tried = candidates()
    path = next((path for path in tried if os.path.isfile(path)), None)
    if path is None:
        places = "\n  ".join(tried)
        raise ImportError(
            f"{LIBRARY_FILE} was not found; looked at:\n  {places}\n"
            "It is part of the ge-passes wheel; reinstall it with: pip install --force-reinstall ge-passes"
        )
    return path


def _ir_getter() -> int:
    # The graph classes decide which binding is in use; both know the one libge_ir of this process.
    from ge.graph import _base

    return int(_base.module.getter_address())


@functools.cache
def api() -> _abi.Api:
    """The bound table of the library, tied to the ``libge_ir`` of this process.

    Raises:
        ImportError: The library is missing, damaged, or of a version that does not fit; the text says which.
    """
    path = _find()
    try:
        loaded = _abi.load(path)
        loaded.call.bind_ir(_ir_getter())
    except (OSError, _abi.AbiError) as error:
        raise ImportError(f"{path} exists but cannot be used: {error}") from error
    return loaded


def getter_addresses() -> tuple[int, int]:
    """Addresses of ``ge_ir_get_api`` and ``ge_passes_get_api``, for handing over to the bridge."""
    return _ir_getter(), api().getter_address()
