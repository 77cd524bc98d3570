"""Picks the binding of the primitive layer, once, at import.

``GE_BINDING`` decides: ``ctypes``, ``native``, or ``auto`` (the default). ``auto`` takes the native
extension if the runtime package is installed and has one for this interpreter, else ctypes. The two have one
contract (`_contract`), so nothing but speed depends on the choice.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ge.graph._library import load_error

__all__ = ["BINDING", "GraphBase", "NodeBase", "TensorBase", "module", "register_error", "register_types", "symbol"]

_ACCELERATOR = "ge.runtime.accelerator"
_CHOICES = ("auto", "ctypes", "native")


def _load_native() -> tuple[ModuleType | None, str]:
    """The native binding or the reason why there is none."""
    try:
        accelerator = importlib.import_module(_ACCELERATOR)
    except ModuleNotFoundError as error:
        # Anything missing but the package itself is a defect of an installed package and must be seen.
        if error.name is None or not (_ACCELERATOR + ".").startswith(error.name + "."):
            raise
        return None, f"module {error.name} is not installed; it comes with: pip install 'ge-runtime'"
    try:
        found: ModuleType | None = accelerator.load_native_base()
    except OSError as error:
        raise load_error(error) from error
    if found is None:
        return None, accelerator.reason()
    return found, ""


def _choose() -> ModuleType:
    choice = os.environ.get("GE_BINDING", "auto") or "auto"
    if choice not in _CHOICES:
        raise ImportError(f"GE_BINDING is {choice!r}; expected one of {', '.join(_CHOICES)}")
    if choice != "ctypes":
        native, reason = _load_native()
        if native is not None:
            return native
        if choice == "native":
            raise ImportError(f"GE_BINDING=native, but there is no native binding: {reason}")
    from ge.graph import _base_ctypes

    return _base_ctypes


module: Any = _choose()
BINDING: str = module.BINDING
if TYPE_CHECKING:
    # The two bindings have one contract; type checkers see the one that is always there.
    from ge.graph._base_ctypes import GraphBase, NodeBase, TensorBase, register_error, register_types, symbol
else:
    GraphBase = module.GraphBase
    NodeBase = module.NodeBase
    TensorBase = module.TensorBase
    register_types = module.register_types
    register_error = module.register_error
    symbol = module.symbol
