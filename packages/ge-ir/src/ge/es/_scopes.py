"""Scopes that add attributes or control dependencies to every node that a thread creates within them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ge.graph._attributes import encode
from ge.graph._checks import check_str

if TYPE_CHECKING:
    from ge.es._tensor_holder import TensorHolder
    from ge.graph import Node

__all__ = ["apply_scopes", "attr_scope", "control_dependency_scope"]

_Encoded = "dict[str, tuple[int, Any]]"


class _Active(threading.local):
    def __init__(self) -> None:
        self.attrs: dict[str, tuple[int, Any]] = {}
        self.sources: list[TensorHolder] = []


_active = _Active()


@contextmanager
def attr_scope(attrs: Mapping[str, Any]) -> Iterator[None]:
    """Within the block every new node of any builder of this thread, inputs and constants too, gets the attributes.

    Scopes nest: attributes add up, inner values win.

    Raises:
        TypeError: It is no mapping, or a key is no str.
        ValueError: A value has no attribute kind (a dict, a mixed list).
    """
    if not isinstance(attrs, Mapping):
        raise TypeError(f"attr_scope needs a dict, found {type(attrs).__name__}: {attrs!r}")
    encoded = {check_str(key, "attribute name"): encode(value) for key, value in attrs.items()}
    outer = _active.attrs
    _active.attrs = {**outer, **encoded}
    try:
        yield
    finally:
        _active.attrs = outer


@contextmanager
def control_dependency_scope(tensors: Sequence[TensorHolder]) -> Iterator[None]:
    """Within the block every new node of this thread runs after the producers of the tensors.

    Scopes nest: an inner node waits for the tensors of all of them. Creating a node of another builder within the
    block is a ``ValueError``.

    Raises:
        TypeError: It is no list of TensorHolder.
    """
    from ge.es._tensor_holder import TensorHolder

    if not isinstance(tensors, (list, tuple)) or not all(isinstance(item, TensorHolder) for item in tensors):
        raise TypeError(f"control_dependency_scope needs a list of TensorHolder, found {tensors!r}")
    outer = _active.sources
    _active.sources = outer + list(tensors)
    try:
        yield
    finally:
        _active.sources = outer


def check_scopes(builder: Any) -> None:
    """Before a node is made: the sources of the control scopes must be tensors of its builder.

    Raises:
        ValueError: One is not.
    """
    for source in _active.sources:
        builder._check_own(source, "control_dependency_scope")


def apply_scopes(node: Node) -> None:
    """Gives a new node what the scopes ask for."""
    for key, (kind, value) in _active.attrs.items():
        node._attr_set(0, 0, key, kind, value)
    for source in _active.sources:
        source._node._control_add(node)
