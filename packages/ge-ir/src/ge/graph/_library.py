"""Finds ``libge_ir.so``.

`ge` is a namespace package: its Python files and the native libraries may lie under different entries
of ``sys.path``. Every entry of ``ge.__path__`` is looked at.
"""

from __future__ import annotations

import os
import sys

__all__ = ["candidates", "find_library", "load_error"]

LIBRARY_FILE = "libge_ir.so"


def candidates() -> list[str]:
    """Paths where the library may lie, in the order in which they are tried."""
    roots = list(getattr(sys.modules.get("ge"), "__path__", ()))
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if own not in roots:
        roots.append(own)
    return [os.path.join(root, "graph", "_lib", LIBRARY_FILE) for root in roots]


def find_library() -> str:
    """The first candidate that exists.

    Raises:
        ImportError: None exists; the text lists the places.
    """
    tried = candidates()
    for path in tried:
        if os.path.isfile(path):
            return path
    places = "\n  ".join(tried)
    raise ImportError(
        f"{LIBRARY_FILE} was not found; looked at:\n  {places}\n"
        f"The library is part of the ge-ir wheel; reinstall it with: pip install --force-reinstall ge-ir"
    )


def load_error(error: Exception) -> ImportError:
    """What to raise when the library that was found cannot be used."""
    why = "exists but cannot be loaded" if isinstance(error, OSError) else "does not fit this version of ge.graph"
    return ImportError(f"{find_library()} {why}: {error}")
