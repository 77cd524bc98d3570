"""Checked values for the ``create_const_*`` and ``create_scalar_*`` methods of `GraphBuilder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ge.graph import Tensor
from ge.graph._enums import DataType
from ge.graph._packing import is_array
from ge.graph._shape import Shape

__all__ = ["checked_shape", "constant", "scalar"]

_KINDS: dict[DataType, tuple[type, ...]] = {DataType.DT_FLOAT: (int, float)}


def checked_shape(shape: Any) -> Shape:
    """A shape from a list of int, a `Shape`, or ``None`` (scalar).

    Raises:
        TypeError: It is something else; symbol names need a `Shape`.
    """
    if isinstance(shape, Shape):
        return shape
    if shape is not None and (not isinstance(shape, (list, tuple)) or any(isinstance(dim, str) for dim in shape)):
        raise TypeError(f"shape must be a list of int or a Shape, found {type(shape).__name__}: {shape!r}")
    return Shape(shape)


def _check_number(value: Any, data_type: DataType, what: str) -> None:
    kinds = _KINDS.get(data_type, (int,))
    if not isinstance(value, kinds) and not (is_array(value) and isinstance(value.item(), kinds)):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{what} must be {names}, found {type(value).__name__}: {value!r}")


def scalar(value: Any, data_type: DataType) -> Tensor:
    """A scalar constant.

    Raises:
        TypeError: It is no number of the kind.
        ValueError: It is outside the range of the type.
    """
    if isinstance(value, (list, tuple)) or (is_array(value) and value.shape):
        raise TypeError(f"value must be a number, found {type(value).__name__}: {value!r}")
    _check_number(value, data_type, "value")
    return Tensor(value, data_type=data_type, shape=[])


def constant(value: Any, data_type: DataType, shape: Sequence[int] | None) -> Tensor:
    """A constant from a number (scalar), a list (1-D) or an array, in the given shape if there is one.

    Raises:
        TypeError: An element is no number of the kind, or the shape is no list of int.
        ValueError: The counts of elements and shape differ, or a value is outside the range of the type.
    """
    dims = None if shape is None else checked_shape(shape)
    if is_array(value):
        return Tensor(value, data_type=data_type, shape=dims)
    if not isinstance(value, (list, tuple)):
        _check_number(value, data_type, "value")
        return Tensor([value], data_type=data_type, shape=[] if dims is None else dims)
    for position, item in enumerate(value):
        _check_number(item, data_type, f"value[{position}]")
    return Tensor(list(value), data_type=data_type, shape=dims)
