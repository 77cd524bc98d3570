"""Graphs of operators: build, read, edit, print, verify.

Graph conventions: inputs are ``Data`` nodes with an int attribute ``index``; constants are ``Const`` nodes with a
tensor attribute ``value``; outputs are read by one ``NetOutput`` node.

Importing this package loads neither numpy nor the native library: both come with the first use of a class that needs
them. ``GE_BINDING`` chooses the binding (``auto``, ``ctypes``, ``native``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.graph._desc import TensorDesc
from ge.graph._enums import AttrValueType, DataType, DumpFormat, Format, InputType, Placement
from ge.graph._shape import Shape

if TYPE_CHECKING:
    from ge.graph._graph import Graph
    from ge.graph._node import Node
    from ge.graph._tensor import Tensor
    from ge.graph._transaction import Transaction

__all__ = [
    "AttrValueType",
    "DataType",
    "DumpFormat",
    "Format",
    "Graph",
    "InputType",
    "Node",
    "Placement",
    "Shape",
    "Tensor",
    "TensorDesc",
    "Transaction",
]

_NATIVE = ("Graph", "Node", "Tensor", "Transaction")


def __getattr__(name: str) -> object:
    """Loads the classes over the native library on first use."""
    if name not in _NATIVE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ge.graph import _public

    globals().update({item: getattr(_public, item) for item in _NATIVE})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
