"""Constants: TensorProto on one side, ``Tensor`` on the other."""

from __future__ import annotations

import ctypes
from typing import Any

from ge.error import GeError
from ge.graph import DataType, Format, Tensor
from ge.graph._base import TensorBase
from ge.graph._dtypes import byte_size, dtype_from_onnx, info
from ge.onnx._errors import OnnxExportError, OnnxImportError
from ge.onnx._external import external_data

__all__ = ["fill_tensor_proto", "tensor_bytes_size", "tensor_from_proto", "tensor_view"]

_ND = int(Format.FORMAT_ND)
_STRING = int(DataType.DT_STRING)
_EXTERNAL = 1  # TensorProto.DataLocation
#: From here on data is used where protobuf put it instead of copied once more.
_BORROW_FROM = 1 << 16

# Field of the typed form, and the numpy type of its items, by ONNX element type. Types that are not listed are kept in
# int32_data, one element (below 8 bits: one packed byte) for each item.
_TYPED_FIELDS = {
    1: ("float_data", "<f4"),
    14: ("float_data", "<f4"),
    11: ("double_data", "<f8"),
    15: ("double_data", "<f8"),
    7: ("int64_data", "<i8"),
    13: ("uint64_data", "<u8"),
    12: ("uint64_data", "<u8"),
}


def tensor_from_proto(proto: Any, base_dir: str | None) -> Tensor:
    """The constant of a TensorProto. External data is mapped, not read.

    Args:
        proto: The TensorProto.
        base_dir: Folder that external data must lie in.

    Raises:
        OnnxImportError: The element type is not known, the data does not have the size that type and dims say, or
            external data is out of reach.
    """
    try:
        dtype = int(dtype_from_onnx(proto.data_type))
        dims = tuple(proto.dims)
        if any(dim < 0 for dim in dims):
            raise ValueError(f"dims {list(dims)} have a negative size")
        if proto.data_type == 0:
            raise ValueError("the element type is UNDEFINED")
        if proto.data_location == _EXTERNAL:
            return _mapped(proto, dtype, dims, base_dir)
        if dtype == _STRING:
            return _strings(proto, dims)
        raw = proto.raw_data if proto.HasField("raw_data") else _typed_bytes(proto, dtype)
        return _from_bytes(dtype, dims, raw)
    except OnnxImportError:
        raise
    except (GeError, ValueError) as error:
        raise OnnxImportError(f"tensor {proto.name!r}: {error}") from error


def _new() -> Tensor:
    tensor: Tensor = Tensor.__new__(Tensor)
    TensorBase.__init__(tensor)
    return tensor


def _from_bytes(dtype: int, dims: tuple[int, ...], raw: bytes) -> Tensor:
    tensor = _new()
    if len(raw) < _BORROW_FROM:
        tensor._create(dtype, _ND, dims, raw, None)
        return tensor
    address = ctypes.cast(ctypes.c_char_p(raw), ctypes.c_void_p).value or 0
    tensor._borrow(dtype, _ND, dims, address, len(raw), raw)
    return tensor


def _count(dims: tuple[int, ...]) -> int:
    count = 1
    for dim in dims:
        count *= dim
    return count


def _mapped(proto: Any, dtype: int, dims: tuple[int, ...], base_dir: str | None) -> Tensor:
    place = external_data(proto, base_dir)
    if dtype == _STRING:
        raise ValueError("strings cannot be external data")
    needed = byte_size(dtype, _count(dims))
    found = needed if place.length is None else place.length
    if found != needed:
        raise ValueError(
            f"{DataType(dtype).name}{list(dims)} needs {needed} bytes, but its external data in "
            f"{place.path} has {found}"
        )
    tensor = _new()
    if needed:
        tensor._map_file(place.path, place.offset, needed, dtype, _ND, dims)
    else:
        tensor._create(dtype, _ND, dims, b"", None)
    return tensor


def _strings(proto: Any, dims: tuple[int, ...]) -> Tensor:
    items = list(proto.string_data)
    if proto.HasField("raw_data"):
        raise ValueError("a string tensor has raw_data, expected string_data")
    if len(items) != _count(dims):
        raise ValueError(f"dims {list(dims)} need {_count(dims)} strings, found {len(items)}")
    offsets = [0]
    for item in items:
        offsets.append(offsets[-1] + len(item))
    tensor = _new()
    tensor._create(_STRING, _ND, dims, b"".join(items), offsets)
    return tensor


def _typed_bytes(proto: Any, dtype: int) -> bytes:
    import numpy as np

    field, item_type = _TYPED_FIELDS.get(proto.data_type, ("int32_data", "<i4"))
    items = np.asarray(getattr(proto, field), dtype=item_type)
    bits = info(dtype).bits
    if field == "int32_data" and bits != 32:
        # Narrow types keep their bits in the low part of each item, whatever their sign.
        items = items.astype("<u2" if bits == 16 else "u1")
    elif proto.data_type == 12:
        items = items.astype("<u4")
    return items.tobytes()


def tensor_view(tensor: Tensor) -> memoryview:
    """The bytes of a constant, without a copy. The view must not outlive the tensor."""
    _, _, _, _, _, address, size, _, _ = tensor._info()
    if not size:
        return memoryview(b"")
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def tensor_bytes_size(tensor: Tensor) -> int:
    """Bytes that the data of a constant takes in a file."""
    return int(tensor._info()[6])


def fill_tensor_proto(proto: Any, tensor: Tensor, name: str, *, data: bool = True) -> None:
    """Writes a constant into an empty TensorProto.

    Args:
        proto: What to fill.
        tensor: The constant.
        name: Name of the TensorProto; empty for a constant inside an attribute.
        data: False leaves the data out, for a caller that puts it elsewhere.

    Raises:
        OnnxExportError: ONNX has no such element type.
    """
    dtype, _, _, dims, count, address, size, offsets, _ = tensor._info()
    number = info(dtype).onnx
    if not number:
        raise OnnxExportError(f"constant {name!r} has element type {DataType(dtype).name}, which ONNX does not have")
    proto.data_type = number
    proto.dims.extend(dims)
    if name:
        proto.name = name
    if not data:
        return
    if dtype == _STRING:
        proto.string_data.extend(_string_items(address, size, offsets, count))
    else:
        proto.raw_data = ctypes.string_at(address, size) if size else b""


def _string_items(address: int, size: int, offsets: int, count: int) -> list[bytes]:
    joined = ctypes.string_at(address, size) if size else b""
    if not count:
        return []
    bounds = (ctypes.c_uint64 * (count + 1)).from_address(offsets)
    return [joined[bounds[index] : bounds[index + 1]] for index in range(count)]
