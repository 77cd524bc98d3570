"""One table of element types: bits, numpy name, ONNX number, struct code.

Names of the form ``ml:<name>`` are types of the ``ml_dtypes`` package, imported only when such a type is
converted. Types without a numpy name have no numpy form; their bytes still travel as constants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ge.graph._enums import DataType

if TYPE_CHECKING:
    import numpy as np

__all__ = ["DTypeInfo", "byte_size", "dtype_from_numpy", "dtype_from_onnx", "info", "to_numpy_dtype"]


class DTypeInfo(NamedTuple):
    """What is known of one element type."""

    bits: int
    """Bits of one element; 0 for types without a fixed size."""
    numpy: str
    """Name in numpy or ``ml:<name>`` in ml_dtypes; empty: none."""
    onnx: int
    """Number of the ONNX TensorProto type; 0: none."""
    code: str
    """Code for `struct` and `memoryview.cast`; empty: none."""


_NONE = DTypeInfo(0, "", 0, "")
_TABLE: dict[int, DTypeInfo] = {
    DataType.DT_FLOAT: DTypeInfo(32, "float32", 1, "f"),
    DataType.DT_FLOAT16: DTypeInfo(16, "float16", 10, "e"),
    DataType.DT_INT8: DTypeInfo(8, "int8", 3, "b"),
    DataType.DT_INT32: DTypeInfo(32, "int32", 6, "i"),
    DataType.DT_UINT8: DTypeInfo(8, "uint8", 2, "B"),
    DataType.DT_INT16: DTypeInfo(16, "int16", 5, "h"),
    DataType.DT_UINT16: DTypeInfo(16, "uint16", 4, "H"),
    DataType.DT_UINT32: DTypeInfo(32, "uint32", 12, "I"),
    DataType.DT_INT64: DTypeInfo(64, "int64", 7, "q"),
    DataType.DT_UINT64: DTypeInfo(64, "uint64", 13, "Q"),
    DataType.DT_DOUBLE: DTypeInfo(64, "float64", 11, "d"),
    DataType.DT_BOOL: DTypeInfo(8, "bool", 9, "?"),
    DataType.DT_STRING: DTypeInfo(0, "object", 8, ""),
    DataType.DT_COMPLEX64: DTypeInfo(64, "complex64", 14, ""),
    DataType.DT_COMPLEX128: DTypeInfo(128, "complex128", 15, ""),
    DataType.DT_QINT8: DTypeInfo(8, "", 0, ""),
    DataType.DT_QINT16: DTypeInfo(16, "", 0, ""),
    DataType.DT_QINT32: DTypeInfo(32, "", 0, ""),
    DataType.DT_QUINT8: DTypeInfo(8, "", 0, ""),
    DataType.DT_QUINT16: DTypeInfo(16, "", 0, ""),
    DataType.DT_BF16: DTypeInfo(16, "ml:bfloat16", 16, ""),
    DataType.DT_INT4: DTypeInfo(4, "ml:int4", 22, ""),
    DataType.DT_UINT1: DTypeInfo(1, "ml:uint1", 0, ""),
    DataType.DT_INT2: DTypeInfo(2, "ml:int2", 26, ""),
    DataType.DT_UINT2: DTypeInfo(2, "ml:uint2", 25, ""),
    DataType.DT_COMPLEX32: DTypeInfo(32, "", 0, ""),
    DataType.DT_HIFLOAT8: DTypeInfo(8, "", 0, ""),
    DataType.DT_FLOAT8_E5M2: DTypeInfo(8, "ml:float8_e5m2", 19, ""),
    DataType.DT_FLOAT8_E4M3FN: DTypeInfo(8, "ml:float8_e4m3fn", 17, ""),
    DataType.DT_FLOAT8_E8M0: DTypeInfo(8, "ml:float8_e8m0fnu", 24, ""),
    DataType.DT_FLOAT6_E3M2: DTypeInfo(6, "", 0, ""),
    DataType.DT_FLOAT6_E2M3: DTypeInfo(6, "", 0, ""),
    DataType.DT_FLOAT4_E2M1: DTypeInfo(4, "ml:float4_e2m1fn", 23, ""),
    DataType.DT_FLOAT4_E1M2: DTypeInfo(4, "", 0, ""),
    DataType.DT_HIFLOAT4: DTypeInfo(4, "", 0, ""),
    DataType.DT_UINT4: DTypeInfo(4, "ml:uint4", 21, ""),
    DataType.DT_FLOAT8_E4M3FNUZ: DTypeInfo(8, "ml:float8_e4m3fnuz", 18, ""),
    DataType.DT_FLOAT8_E5M2FNUZ: DTypeInfo(8, "ml:float8_e5m2fnuz", 20, ""),
}
_BY_ONNX: dict[int, DataType] = {row.onnx: DataType(key) for key, row in _TABLE.items() if row.onnx}
_BY_NUMPY: dict[str, DataType] = {
    row.numpy.replace("ml:", ""): DataType(key) for key, row in _TABLE.items() if row.numpy
}
_NUMPY_CACHE: dict[int, Any] = {}


def info(dtype: int) -> DTypeInfo:
    """The row of a type; an empty one for types that have no data form (resource, variant, ...)."""
    return _TABLE.get(dtype, _NONE)


def byte_size(dtype: int, count: int) -> int:
    """Bytes of ``count`` elements; sub-byte types are packed, the last byte filled up.

    Raises:
        ValueError: The type has no fixed size.
    """
    bits = info(dtype).bits
    if not bits:
        raise ValueError(f"{DataType(dtype).name} has no fixed element size")
    return (bits * count + 7) // 8


def to_numpy_dtype(dtype: int) -> np.dtype[Any]:
    """The numpy type, imported on first use.

    Raises:
        ValueError: The type has no numpy form.
        ImportError: It needs ``ml_dtypes``, which is not installed or too old.
    """
    found: np.dtype[Any] | None = _NUMPY_CACHE.get(dtype)
    if found is None:
        found = _NUMPY_CACHE[dtype] = _load_numpy_dtype(dtype)
    return found


def _load_numpy_dtype(dtype: int) -> Any:
    import numpy as np

    name = info(dtype).numpy
    if not name:
        raise ValueError(f"{DataType(dtype).name} has no numpy form; use Tensor.tobytes() for the raw bytes")
    if not name.startswith("ml:"):
        return np.dtype(name)
    try:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name[3:]))
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"converting {DataType(dtype).name} needs numpy type {name[3:]!r} of the ml_dtypes package: {error}; "
            f"install it with: pip install --upgrade ml_dtypes"
        ) from error


def dtype_from_numpy(dtype: Any) -> DataType:
    """The element type of a numpy dtype; all text kinds are `DT_STRING`.

    Raises:
        ValueError: No element type corresponds.
    """
    if dtype.kind in "UST" or dtype.name == "object":
        return DataType.DT_STRING
    found = _BY_NUMPY.get(dtype.name)
    if found is None:
        raise ValueError(f"numpy dtype {dtype.name!r} has no element type here; known: {', '.join(sorted(_BY_NUMPY))}")
    return found


def dtype_from_onnx(number: int) -> DataType:
    """The element type of an ONNX TensorProto number; 0 is `DT_UNDEFINED`.

    Raises:
        ValueError: The number is not known.
    """
    if number == 0:
        return DataType.DT_UNDEFINED
    found = _BY_ONNX.get(number)
    if found is None:
        raise ValueError(f"ONNX element type {number} is not known; known: {sorted(_BY_ONNX)}")
    return found
