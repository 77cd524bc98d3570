"""Between constants and numpy or Python values; numpy is imported inside the functions that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ge.graph import _packing
from ge.graph._dtypes import byte_size, dtype_from_numpy, info, to_numpy_dtype
from ge.graph._enums import DataType, Format

if TYPE_CHECKING:
    import numpy as np
    from ge.graph._tensor import Tensor

__all__ = ["borrow_array", "fill_from_array", "retype", "to_bytes", "to_list", "to_numpy"]


class _Memory:
    """Borrowed memory in numpy's array interface; the array that reads it keeps this object, and so the constant."""

    __slots__ = ("__array_interface__", "keep")

    def __init__(self, keep: Any, address: int, size: int) -> None:
        self.keep = keep
        self.__array_interface__ = {
            "version": 3,
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, True),  # read-only
        }


def _raw(tensor: Tensor, address: int, size: int) -> np.ndarray[Any, Any]:
    import numpy as np

    if not size:
        empty = np.empty(0, np.uint8)
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(tensor, address, size))


def to_bytes(tensor: Tensor) -> bytes:
    """A copy of the raw bytes."""
    address, size = tensor._info()[5:7]
    from ctypes import string_at

    return string_at(address, size) if size else b""


def _texts(tensor: Tensor) -> list[str | bytes]:
    count, address, size, offsets_address = tensor._info()[4:8]
    if not count:
        return []
    from ctypes import c_uint64, string_at

    offsets = (c_uint64 * (count + 1)).from_address(offsets_address)[:]
    joined = string_at(address, size) if size else b""
    return [_text(joined[first:last]) for first, last in zip(offsets, offsets[1:])]


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def to_numpy(tensor: Tensor) -> np.ndarray[Any, Any]:
    """Read-only array; a view where the type allows it."""
    dtype, _, _, dims, count, address, size = tensor._info()[:7]
    import numpy as np

    if dtype == DataType.DT_STRING:
        texts = np.empty(count, dtype=object)
        texts[:] = _texts(tensor)
        array: np.ndarray[Any, Any] = texts.reshape(dims)
    else:
        target = to_numpy_dtype(dtype)
        raw = _raw(tensor, address, size)
        if info(dtype).bits >= 8:
            view: np.ndarray[Any, Any] = raw.view(target).reshape(dims)
            return view
        array = _unpacked(raw, DataType(dtype), count, target).reshape(dims)
    array.flags.writeable = False
    return array


def _unpacked(raw: np.ndarray[Any, Any], dtype: DataType, count: int, target: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    bits = info(dtype).bits
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    values = (raw[:, None] >> shifts & ((1 << bits) - 1)).reshape(-1)[:count].astype(np.uint8)
    if dtype in (DataType.DT_INT4, DataType.DT_INT2):
        signed = values.astype(np.int8)
        signed[values >= 1 << bits - 1] -= 1 << bits
        return signed.astype(target)
    if dtype in (DataType.DT_UINT4, DataType.DT_UINT2, DataType.DT_UINT1):
        return values.astype(target)
    return values.view(target)


def to_list(tensor: Tensor) -> Any:
    """(Nested) lists of Python values."""
    dtype, _, _, dims, count = tensor._info()[:5]
    kind = DataType(dtype)
    if kind is DataType.DT_STRING:
        return _packing.nest(_texts(tensor), dims)
    if info(kind).code or kind.name in ("DT_INT4", "DT_UINT4", "DT_INT2", "DT_UINT2", "DT_UINT1"):
        return _packing.nest(_packing.unpack(to_bytes(tensor), kind, count), dims)
    return to_numpy(tensor).tolist()


def _in_range(array: Any, data_type: DataType) -> Any:
    """The array in the numpy type of ``data_type``; integers that do not fit are refused, not wrapped."""
    target = to_numpy_dtype(data_type)
    if array.dtype == target:
        return array
    import numpy as np

    if target.kind in "iu" and array.dtype.kind in "iufb" and array.size:
        limits = np.iinfo(target)
        low, high = array.min(), array.max()
        if not (limits.min <= low and high <= limits.max):
            raise ValueError(f"values from {low} to {high} are outside the range of {data_type.name}")
        converted = array.astype(target)
        if array.dtype.kind == "f" and not (converted == array).all():
            raise ValueError(f"values with a fraction do not fit {data_type.name}")
        return converted
    return array.astype(target)


def fill_from_array(tensor: Tensor, array: Any, data_type: DataType, format: Format, dims: list[int] | None) -> None:
    """Copies an array, converted to the type."""
    import numpy as np

    array = np.asarray(array)
    wanted = array.size if dims is None else _packing.element_count(dims)
    if wanted != array.size:
        raise ValueError(f"shape {dims} needs {wanted} elements, but data has {array.size} (shape {list(array.shape)})")
    shape = list(array.shape) if dims is None else dims
    if data_type is DataType.DT_STRING:
        tensor._create(data_type, format, shape, *_packing.pack_strings(array.reshape(-1).tolist()))
        return
    converted = np.ascontiguousarray(_in_range(array, data_type))
    tensor._create(data_type, format, shape, _packing.to_packed(converted, data_type), None)


def borrow_array(tensor: Tensor, array: Any, data_type: DataType, format: Format, copy: bool) -> None:
    """Uses the memory of an array in place where that is possible, else copies it."""
    import numpy as np

    shape = list(np.shape(array))
    array = np.asarray(array)
    if data_type is DataType.DT_STRING:
        tensor._create(data_type, format, shape, *_packing.pack_strings(array.reshape(-1).tolist()))
        return
    bits = info(data_type).bits
    if bits < 8:
        same = dtype_from_numpy(array.dtype) is data_type
        _check_width(array, data_type, 8 if same else 0)
        tensor._create(data_type, format, shape, _packing.to_packed(np.ascontiguousarray(array), data_type), None)
        return
    _check_width(array, data_type, bits)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if copy or not array.flags.c_contiguous:
        array = np.array(array, order="C", copy=True)
    tensor._borrow(data_type, format, shape, array.__array_interface__["data"][0], array.nbytes, array)


def _check_width(array: Any, data_type: DataType, bits: int) -> None:
    if array.dtype.itemsize * 8 != bits:
        raise ValueError(f"an array of {array.dtype.name} cannot be read as {data_type.name}: the widths differ")


def retype(tensor: Tensor, data_type: DataType, format: Format) -> None:
    """Makes the object refer to a constant over the same bytes with another type or layout."""
    old_type, _, _, dims, count, address, size = tensor._info()[:7]
    if old_type == data_type and old_type == DataType.DT_STRING:
        tensor._create(data_type, format, dims, *_packing.pack_strings(_texts(tensor)))
        return
    if byte_size(data_type, count) != size or DataType.DT_STRING in (data_type, old_type):
        raise ValueError(
            f"{size} bytes of {DataType(old_type).name} cannot be read as {data_type.name} of shape {dims}"
        )
    owner = tensor._owner
    keep = type(tensor)._wrap(tensor._handle, None)
    tensor._borrow(data_type, format, dims, address, size, keep)
    tensor._owner = owner
