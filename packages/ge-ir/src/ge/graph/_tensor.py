"""`Tensor`: a constant, shared by reference between attributes and Python objects."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ge.graph import _owner, _packing, _tensor_view
from ge.graph._base import TensorBase
from ge.graph._checks import check_int
from ge.graph._desc import TensorDesc, check_data_type, check_format
from ge.graph._dtypes import byte_size, dtype_from_numpy
from ge.graph._enums import DataType, Format, Placement
from ge.graph._shape import Shape

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Tensor"]


class Tensor(TensorBase):
    """Immutable data with a type, a layout and a shape.

    The bytes are shared, never copied, between the attributes and objects that refer to one constant.
    `set_format` and `set_data_type` make this object refer to a new constant over the same bytes; attributes that
    were set before keep theirs.
    """

    __slots__ = ("__weakref__",)
    _COPY_HINT = "constants are immutable: share the object"

    __copy__ = _owner.refuse_copy
    __deepcopy__ = _owner.refuse_copy
    __reduce_ex__ = _owner.refuse_pickle

    def __init__(
        self,
        data: Any = None,
        file_path: str | os.PathLike[str] | None = None,
        data_type: DataType = DataType.DT_FLOAT,
        format: Format = Format.FORMAT_ND,
        shape: Sequence[int] | Shape | None = None,
        placement: Placement = Placement.PLACEMENT_HOST,
    ) -> None:
        """Makes a constant from values or from a file of raw bytes.

        Args:
            data: A number, (nested) list or tuple of them, or a numpy array; its elements are converted to
                ``data_type``.
            file_path: File with exactly the bytes of the constant; it is read, see `map_file` for a mapping.
            data_type: Element type.
            format: Layout.
            shape: Sizes; ``None``: that of the nested list or array. Without data the constant is filled with zeros.
            placement: Must be the host.

        Raises:
            TypeError: An argument has the wrong type, or ``data`` is a str, dict or the like.
            ValueError: The counts of elements and shape differ (both are named), a value does not fit the type, or
                the placement is the device.
            RuntimeError: Both data and a file are given, or the file cannot be read or has another size.
        """
        super().__init__()
        check_data_type(data_type)
        check_format(format)
        _check_host(placement)
        dims = None if shape is None else _known_dims(shape)
        if file_path is not None:
            if data is not None:
                raise RuntimeError("Tensor takes data or file_path, not both")
            self._create(data_type, format, dims or [], _read_file(file_path, data_type, dims or []), None)
        elif data is None:
            self._fill_zero(data_type, format, [0] if dims is None else dims)
        else:
            self._fill(data, data_type, format, dims)

    def _fill_zero(self, data_type: DataType, format: Format, dims: list[int]) -> None:
        count = _packing.element_count(dims)
        if data_type is DataType.DT_STRING:
            self._create(data_type, format, dims, b"", [0] * (count + 1))
        else:
            self._create(data_type, format, dims, bytes(byte_size(data_type, count)), None)

    def _fill(self, data: Any, data_type: DataType, format: Format, dims: list[int] | None) -> None:
        if _packing.is_array(data):
            _tensor_view.fill_from_array(self, data, data_type, format, dims)
            return
        if not isinstance(data, (list, tuple, int, float, complex)) and not (
            data_type is DataType.DT_STRING and isinstance(data, (str, bytes))
        ):
            raise TypeError(f"data must be a list, a number or a numpy array, found {type(data).__name__}: {data!r}")
        flat, found = _packing.flatten(data)
        dims = _checked_dims(found, len(flat), dims)
        if data_type is DataType.DT_STRING:
            self._create(data_type, format, dims, *_packing.pack_strings(flat))
        else:
            self._create(data_type, format, dims, _packing.pack(flat, data_type), None)

    @classmethod
    def _packed(cls, flat: Sequence[Any], data_type: DataType, dims: list[int]) -> Tensor:
        """A constant of elements and a shape that fit each other.

        Raises:
            ValueError: A value does not fit the type.
        """
        tensor = cls.__new__(cls)
        TensorBase.__init__(tensor)
        tensor._create(data_type, Format.FORMAT_ND, dims, _packing.pack(flat, data_type), None)
        return tensor

    @classmethod
    def from_numpy(
        cls,
        array: np.ndarray[Any, Any],
        *,
        data_type: DataType | None = None,
        format: Format = Format.FORMAT_ND,
        copy: bool = False,
    ) -> Tensor:
        """A constant over the memory of an array, without copying it.

        The array is kept alive as long as the constant is, and must not be written meanwhile. A copy is made if
        it is not contiguous, not in native byte order, holds objects or texts, or has a sub-byte type.

        Args:
            array: The array.
            data_type: Element type; ``None``: that of the array. Another one of the same width reinterprets the bytes.
            format: Layout.
            copy: Copy in every case.

        Raises:
            TypeError: It is no array.
            ValueError: Its dtype has no element type here.
        """
        if not _packing.is_array(array):
            raise TypeError(f"from_numpy needs a numpy array, found {type(array).__name__}: {array!r}")
        tensor = cls.__new__(cls)
        TensorBase.__init__(tensor)
        target = dtype_from_numpy(array.dtype) if data_type is None else check_data_type(data_type)
        _tensor_view.borrow_array(tensor, array, target, check_format(format), copy)
        return tensor

    @classmethod
    def map_file(
        cls,
        path: str | os.PathLike[str],
        data_type: DataType,
        shape: Sequence[int] | Shape,
        *,
        offset: int = 0,
        format: Format = Format.FORMAT_ND,
    ) -> Tensor:
        """A constant whose bytes are a read-only mapping of a file: it costs address space, not memory.

        The file must keep its content for the life of the constant.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: The shape is not known or the type has no fixed size.
            RuntimeError: The file is missing, no regular file, or too short; the text has path, offset and bytes.
        """
        tensor = cls.__new__(cls)
        TensorBase.__init__(tensor)
        dims = _known_dims(shape)
        size = byte_size(check_data_type(data_type), _packing.element_count(dims))
        start = check_int(offset, "offset")
        if start < 0:
            raise ValueError(f"offset must not be negative, found {start}")
        tensor._map_file(os.fspath(path), start, size, int(data_type), int(check_format(format)), dims)
        return tensor

    # -- data

    def numpy(self) -> np.ndarray[Any, Any]:
        """The data as a read-only array: a view that keeps the constant alive.

        Texts (an object array) and sub-byte types are copies.

        Raises:
            ValueError: The type has no numpy form; use `tobytes`.
            ImportError: The type needs ``ml_dtypes``.
        """
        return _tensor_view.to_numpy(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """For ``numpy.asarray(tensor)``."""
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def tobytes(self) -> bytes:
        """A copy of the raw bytes; sub-byte types are packed, low bits first."""
        return _tensor_view.to_bytes(self)

    def get_data(self) -> Any:
        """The data as (nested) lists of Python values; a number for a scalar.

        Raises:
            ValueError: The type has no Python form; use `tobytes`.
            ImportError: The type needs ``ml_dtypes``.
        """
        return _tensor_view.to_list(self)

    @property
    def data(self) -> Any:
        """Same as `get_data`."""
        return self.get_data()

    # -- description

    @property
    def data_type(self) -> DataType:
        """Element type."""
        return DataType(self._info()[0])

    @property
    def format(self) -> Format:
        """Layout."""
        return Format(self._info()[1])

    @property
    def shape(self) -> Shape:
        """Sizes."""
        return Shape(self._info()[3])

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return int(self._info()[6])

    @property
    def is_mapped(self) -> bool:
        """Whether the bytes are a mapping of a file."""
        return bool(self._info()[2])

    def get_data_type(self) -> DataType:
        """Same as `data_type`."""
        return self.data_type

    def get_format(self) -> Format:
        """Same as `format`."""
        return self.format

    def get_shape(self) -> list[int]:
        """Sizes as a list."""
        return list(self._info()[3])

    def get_tensor_desc(self) -> TensorDesc:
        """Type, layout and shape."""
        return TensorDesc(self.shape, self.format, self.data_type)

    def set_format(self, format: Format) -> Tensor:
        """Changes the layout of this object.

        Raises:
            TypeError: It is no Format.
        """
        _tensor_view.retype(self, self.data_type, check_format(format))
        return self

    def set_data_type(self, data_type: DataType) -> Tensor:
        """Reinterprets the bytes of this object as another type of the same width.

        Raises:
            TypeError: It is no DataType.
            ValueError: The width differs.
        """
        _tensor_view.retype(self, check_data_type(data_type), self.format)
        return self

    def get_placement(self) -> Placement:
        """Where the data lies: always the host."""
        return Placement.PLACEMENT_HOST

    def to_host(self) -> Tensor:
        """Refused: the data is on the host.

        Raises:
            ValueError: Always.
        """
        raise ValueError("to_host needs a tensor with PLACEMENT_DEVICE, this one has PLACEMENT_HOST")

    def to_device(self) -> Tensor:
        """Not built: there is no device memory.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "to_device is not implemented: constants live in host memory; use the tensor as it is"
        )

    def __repr__(self) -> str:
        if not self._handle:
            return "Tensor(expired)"
        return f"Tensor({self.data_type.name}, {self.get_shape()}, {self.nbytes} bytes)"

    def _transfer_ownership(self, owner: Any) -> None:
        """Marks the tensor as an attribute of an operator that is being built.

        Raises:
            RuntimeError: It was given to one before.
        """
        if self._owner is not None:
            raise RuntimeError(
                "this Tensor was already given to an operator; share it with node.set_attr or make another"
            )
        self._owner = owner


def _check_host(placement: Any) -> None:
    if not isinstance(placement, Placement):
        raise TypeError(f"placement must be a Placement, found {type(placement).__name__}: {placement!r}")
    if placement is not Placement.PLACEMENT_HOST:
        raise ValueError("placement PLACEMENT_DEVICE is not available: constants live in host memory")


def _known_dims(shape: Sequence[int] | Shape) -> list[int]:
    known = Shape(shape)
    if known.is_unknown_shape():
        raise ValueError(f"shape of a constant must be known, found {known}")
    return known.get_dims()


def _checked_dims(found: list[int], count: int, dims: list[int] | None) -> list[int]:
    if dims is None:
        return found
    wanted = _packing.element_count(dims)
    if wanted != count:
        raise ValueError(f"shape {dims} needs {wanted} elements, but data has {count}")
    return dims


def _read_file(path: str | os.PathLike[str], data_type: DataType, dims: list[int]) -> bytes:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"file_path must be str, found {type(path).__name__}: {path!r}")
    wanted = byte_size(data_type, _packing.element_count(dims))
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno()).st_size
            if found != wanted:
                raise RuntimeError(
                    f"{os.fspath(path)} has {found} bytes, but {data_type.name} of shape {dims} needs {wanted}"
                )
            return file.read()
    except OSError as error:
        raise RuntimeError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from error
