"""Finds ``libge_partition.so`` over every entry of ``ge.__path__``, binds its table and hands it the graph library."""

from __future__ import annotations

import functools
import os
import sys

from ge.graph import _abi as graph_abi
from ge.graph import _library as graph_library
from ge.partition import _abi

__all__ = ["api", "candidates", "find_library"]

LIBRARY_FILE = "libge_partition.so"


def candidates() -> list[str]:
    """Paths where the library may lie, in the order in which they are tried."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    roots = list(getattr(sys.modules.get("ge"), "__path__", ()))
    return [
        os.path.join(root, "partition", "_lib", LIBRARY_FILE) for root in (roots if own in roots else [*roots, own])
    ]


def find_library() -> str:
    """The first candidate that exists.

    Raises:
        ImportError: None exists; the text lists the places.
    """
    places = candidates()
    for path in places:
        if os.path.isfile(path):
            return path
    looked = "\n  ".join(places)
    raise ImportError(
        f"{LIBRARY_FILE} was not found; looked at:\n  {looked}\n"
        "It is part of the ge-partition wheel; reinstall it with: pip install --force-reinstall ge-partition"
    )


@functools.cache
def api() -> _abi.Api:
    """The bound table.

    Raises:
        ImportError: The library is missing, or of a version that does not fit; the text says which.
    """
    path = find_library()
    try:
        loaded = _abi.load(path)
        loaded.call.bind_ir(graph_abi.load(graph_library.find_library()).getter_address())
    except (OSError, RuntimeError) as error:
        raise ImportError(f"{path} exists but cannot be used: {error}") from error
    return loaded
