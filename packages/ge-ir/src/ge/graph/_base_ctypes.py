"""The primitive layer over ctypes: complete on every interpreter, without any file per Python version.

The contract, with the meaning of every method, is `_contract`; importing this module loads the library.
"""

from __future__ import annotations

from collections.abc import Callable

from ge.graph import _ctypes_native as native
from ge.graph._ctypes_graph import GraphBase
from ge.graph._ctypes_node import NodeBase
from ge.graph._ctypes_owner import set_types
from ge.graph._ctypes_symbols import symbol, symbol_text
from ge.graph._ctypes_tensor import TensorBase

__all__ = [
    "BINDING",
    "GraphBase",
    "NodeBase",
    "TensorBase",
    "getter_address",
    "library_stats",
    "library_version",
    "register_error",
    "register_types",
    "symbol",
    "symbol_text",
]


BINDING = "ctypes"


def register_types(graph: type, node: type, tensor: type) -> None:
    """Sets the classes of the objects made here."""
    set_types(graph, node, tensor)


def register_error(factory: Callable[[int, str, str], BaseException]) -> None:
    """Sets what makes exceptions."""
    native.set_error_factory(factory)


def library_version() -> str:
    """Version text of libge_ir."""
    return native.api.call.library_version()


def library_stats() -> dict[str, int]:
    """Live objects of the process."""
    stats = native.api.call.library_stats()
    names = ("graphs", "nodes", "tensors", "blobs", "symbols", "tensor_bytes")
    return {name: getattr(stats, name) for name in names}


def getter_address() -> int:
    """Address of ``ge_ir_get_api``."""
    return native.api.getter_address()
