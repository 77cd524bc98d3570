"""Finds ``libge_runtime.so`` over every entry of ``ge.__path__`` and binds its table once."""

from __future__ import annotations

import functools
import os
import sys

from ge.runtime import _abi

__all__ = ["api", "namespace_roots"]

_LIBRARY = os.path.join("runtime", "_lib", "libge_runtime.so")


def namespace_roots() -> list[str]:
    """Folders that make up the `ge` namespace, in import order, as absolute paths."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    roots = [os.path.abspath(root) for root in getattr(sys.modules.get("ge"), "__path__", ())]
    return roots if own in roots else [*roots, own]


@functools.cache
def api() -> _abi.Api:
    """The bound table of the library.

    Raises:
        ImportError: The library is missing, damaged, or of a version that does not fit; the text says which.
    """
    places = [os.path.join(root, _LIBRARY) for root in namespace_roots()]
    path = next((place for place in places if os.path.isfile(place)), None)
    if path is None:
        looked = "\n  ".join(places)
        raise ImportError(
            f"libge_runtime.so was not found; looked at:\n  {looked}\n"
            "It is part of the ge-runtime wheel; reinstall it with: pip install --force-reinstall ge-runtime"
        )
    try:
        return _abi.load(path)
    except (OSError, _abi.AbiError) as error:
        raise ImportError(f"{path} exists but cannot be used: {error}") from error
