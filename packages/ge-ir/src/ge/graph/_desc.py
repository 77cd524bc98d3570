"""`TensorDesc` and its plain form in the primitive layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ge.graph._enums import DataType, Format
from ge.graph._shape import Shape, to_shape

__all__ = ["TensorDesc", "check_data_type", "check_format"]

_UNSET, _KNOWN, _UNKNOWN = 0, 1, 2  # ge_ir_rank_kind


def check_data_type(value: object, what: str = "data_type") -> DataType:
    """The value as a `DataType`.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, DataType):
        raise TypeError(f"{what} must be a DataType, found {type(value).__name__}: {value!r}")
    return value


def check_format(value: object, what: str = "format") -> Format:
    """The value as a `Format`.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, Format):
        raise TypeError(f"{what} must be a Format, found {type(value).__name__}: {value!r}")
    return value


class TensorDesc:
    """Type, layout and shape of a value. A plain object: changing it changes no graph.

    Setters return the object, so that they chain. ``origin_shape`` and ``origin_format`` follow ``shape`` and
    ``format`` until they are set.
    """

    __slots__ = ("_data_type", "_format", "_origin_format", "_origin_shape", "_shape", "_type_text")

    def __init__(
        self,
        shape: Shape | Sequence[int | str] | None = None,
        format: Format = Format.FORMAT_ND,
        data_type: DataType = DataType.DT_FLOAT,
    ) -> None:
        """Makes a descriptor; no shape means a scalar.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: The shape has a bad size.
        """
        self._shape = to_shape(shape)
        self._format = check_format(format)
        self._data_type = check_data_type(data_type)
        self._origin_shape: Shape | None = None
        self._origin_format: Format | None = None
        self._type_text: str | None = None

    @property
    def shape(self) -> Shape:
        """Dimensions; assigning takes a list too."""
        return self._shape

    @shape.setter
    def shape(self, value: Shape | Sequence[int | str]) -> None:
        self._shape = to_shape(value)

    @property
    def origin_shape(self) -> Shape:
        """Dimensions before a layout change."""
        return self._shape if self._origin_shape is None else self._origin_shape

    @origin_shape.setter
    def origin_shape(self, value: Shape | Sequence[int | str]) -> None:
        self._origin_shape = to_shape(value)

    @property
    def format(self) -> Format:
        """Layout."""
        return self._format

    @format.setter
    def format(self, value: Format) -> None:
        self._format = check_format(value)

    @property
    def origin_format(self) -> Format:
        """Layout before a layout change."""
        return self._format if self._origin_format is None else self._origin_format

    @origin_format.setter
    def origin_format(self, value: Format) -> None:
        self._origin_format = check_format(value, "origin_format")

    @property
    def data_type(self) -> DataType:
        """Element type."""
        return self._data_type

    @data_type.setter
    def data_type(self, value: DataType) -> None:
        self._data_type = check_data_type(value)

    @property
    def type_text(self) -> str | None:
        """Text of a non-tensor type such as ``seq(tensor(float))``; ``None`` for a tensor."""
        return self._type_text

    @type_text.setter
    def type_text(self, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise TypeError(f"type_text must be str or None, found {value!r}")
        self._type_text = value

    def get_shape(self) -> Shape:
        """Same as `shape`."""
        return self._shape

    def set_shape(self, shape: Shape | Sequence[int | str]) -> TensorDesc:
        """Sets `shape`."""
        self.shape = to_shape(shape)
        return self

    def get_origin_shape(self) -> Shape:
        """Same as `origin_shape`."""
        return self.origin_shape

    def set_origin_shape(self, shape: Shape | Sequence[int | str]) -> TensorDesc:
        """Sets `origin_shape`."""
        self.origin_shape = to_shape(shape)
        return self

    def get_format(self) -> Format:
        """Same as `format`."""
        return self._format

    def set_format(self, format: Format) -> TensorDesc:
        """Sets `format`."""
        self.format = format
        return self

    def get_origin_format(self) -> Format:
        """Same as `origin_format`."""
        return self.origin_format

    def set_origin_format(self, format: Format) -> TensorDesc:
        """Sets `origin_format`."""
        self.origin_format = format
        return self

    def get_data_type(self) -> DataType:
        """Same as `data_type`."""
        return self._data_type

    def set_data_type(self, data_type: DataType) -> TensorDesc:
        """Sets `data_type`."""
        self.data_type = data_type
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorDesc):
            return NotImplemented
        return self._to_item() == other._to_item()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TensorDesc({self._shape!r}, {self._format.name}, {self._data_type.name})"

    def _to_item(self) -> tuple[object, ...]:
        """The plain form that ``_desc_set`` takes."""
        kind, dims, symbols = _shape_parts(self._shape)
        origin_kind, origin_dims, _ = (
            (_UNSET, (), None) if self._origin_shape is None else _shape_parts(self._origin_shape)
        )
        return (
            int(self._data_type),
            int(self._format),
            int(self.origin_format),
            kind,
            dims,
            symbols,
            origin_kind,
            origin_dims,
            self._type_text,
        )

    @classmethod
    def _from_item(cls, item: tuple[Any, ...]) -> TensorDesc:
        """From the plain form that ``_desc_find`` gives."""
        dtype, layout, origin_layout, kind, dims, symbols, origin_kind, origin_dims, text = item
        desc = cls.__new__(cls)
        desc._data_type = DataType(dtype)
        desc._format = Format(layout)
        desc._origin_format = None if origin_layout == layout else Format(origin_layout)
        desc._shape = _shape_of(kind, dims, symbols)
        desc._origin_shape = None if origin_kind == _UNSET else _shape_of(origin_kind, origin_dims, None)
        desc._type_text = text
        return desc


def _shape_parts(shape: Shape) -> tuple[int, tuple[int, ...], tuple[str | None, ...] | None]:
    if shape.is_unset:
        return _UNSET, (), None
    if shape.is_unknown_rank:
        return _UNKNOWN, (), None
    return _KNOWN, shape._dims, shape._symbols


def _shape_of(kind: int, dims: tuple[int, ...], symbols: tuple[str | None, ...] | None) -> Shape:
    if kind == _KNOWN:
        return Shape._of(dims, symbols)
    return Shape([-2]) if kind == _UNKNOWN else Shape.unset()
