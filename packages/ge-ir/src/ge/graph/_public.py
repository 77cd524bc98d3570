"""The classes over the native library, tied to the binding in one place."""

from __future__ import annotations

from ge.graph import _base
from ge.graph._errors import error_of
from ge.graph._graph import Graph
from ge.graph._node import Node
from ge.graph._tensor import Tensor
from ge.graph._transaction import Transaction

__all__ = ["Graph", "Node", "Tensor", "Transaction"]

_base.register_types(Graph, Node, Tensor)
_base.register_error(error_of)
