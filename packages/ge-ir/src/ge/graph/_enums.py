"""Enumerations of `ge.graph`. Numbers of `DataType` and `AttrValueType` are those of the native table."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["AttrValueType", "DataType", "DumpFormat", "Format", "InputType", "Placement"]


class DataType(IntEnum):
    """Element type of a tensor; from 100 on those that only ONNX has."""

    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_STRING = 13
    DT_DUAL_SUB_INT8 = 14
    DT_DUAL_SUB_UINT8 = 15
    DT_COMPLEX64 = 16
    DT_COMPLEX128 = 17
    DT_QINT8 = 18
    DT_QINT16 = 19
    DT_QINT32 = 20
    DT_QUINT8 = 21
    DT_QUINT16 = 22
    DT_RESOURCE = 23
    DT_STRING_REF = 24
    DT_DUAL = 25
    DT_VARIANT = 26
    DT_BF16 = 27
    DT_UNDEFINED = 28
    DT_INT4 = 29
    DT_UINT1 = 30
    DT_INT2 = 31
    DT_UINT2 = 32
    DT_COMPLEX32 = 33
    DT_HIFLOAT8 = 34
    DT_FLOAT8_E5M2 = 35
    DT_FLOAT8_E4M3FN = 36
    DT_FLOAT8_E8M0 = 37
    DT_FLOAT6_E3M2 = 38
    DT_FLOAT6_E2M3 = 39
    DT_FLOAT4_E2M1 = 40
    DT_FLOAT4_E1M2 = 41
    DT_HIFLOAT4 = 42
    DT_MAX = 43
    DT_UINT4 = 100
    DT_FLOAT8_E4M3FNUZ = 101
    DT_FLOAT8_E5M2FNUZ = 102

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The numpy type of an element; numpy is imported on first use.

        Raises:
            ValueError: The type has no numpy form.
            ImportError: It needs ``ml_dtypes``, which is not installed or too old.
        """
        from ge.graph._dtypes import to_numpy_dtype

        return to_numpy_dtype(self)


class Format(IntEnum):
    """Layout of a tensor. Numbers 3 to 51 without a name here are vendor layouts: `Format(7)` works."""

    FORMAT_NCHW = 0
    FORMAT_NHWC = 1
    FORMAT_ND = 2
    FORMAT_HWCN = 16
    FORMAT_NDHWC = 27
    FORMAT_NCDHW = 30
    FORMAT_DHWCN = 31
    FORMAT_END = 52
    FORMAT_MAX = 53

    @classmethod
    def _missing_(cls, value: object) -> Format | None:
        """Makes members for vendor layouts on demand, so that no number is lost on a round trip."""
        if not isinstance(value, int) or not 3 <= value <= 51:
            return None
        member = int.__new__(cls, value)
        member._name_ = f"FORMAT_VENDOR_{int(value)}"
        member._value_ = int(value)
        return cls._value2member_map_.setdefault(int(value), member)  # type: ignore[return-value]


class Placement(IntEnum):
    """Where the bytes of a tensor lie."""

    PLACEMENT_HOST = 0
    PLACEMENT_DEVICE = 1


class DumpFormat(IntEnum):
    """Form of `Graph.dump_to_file` and `Graph.dump_to_stream`."""

    kOnnx = 0
    kTxt = 1
    kReadable = 2


class InputType(str, Enum):
    """Operator type of a graph input."""

    DATA = "Data"
    REF_DATA = "RefData"
    AIPP_DATA = "AippData"
    ANY_DATA = "AnyData"


class AttrValueType(IntEnum):
    """Kind of an attribute value."""

    VT_NONE = 0
    VT_INT = 1
    VT_FLOAT = 2
    VT_STRING = 3
    VT_BOOL = 4
    VT_DATA_TYPE = 5
    VT_TENSOR = 6
    VT_BYTES = 7
    VT_TYPE = 8
    VT_REFERENCE = 9
    VT_FLOAT32 = 10
    VT_LIST_INT = 16
    VT_LIST_FLOAT = 17
    VT_LIST_STRING = 18
    VT_LIST_BOOL = 19
    VT_LIST_DATA_TYPE = 20
    VT_LIST_TENSOR = 21
    VT_LIST_TYPE = 22
    VT_LIST_LIST_INT = 23
    VT_LIST_FLOAT32 = 24
