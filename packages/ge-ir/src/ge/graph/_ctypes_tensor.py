"""`TensorBase` over ctypes, and the table of Python objects whose memory the library borrows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from ctypes import addressof, c_char_p, c_void_p, cast, py_object, pythonapi, sizeof
from itertools import count
from typing import Any

from ge.graph import _abi
from ge.graph._ctypes_native import TensorSpecIn, buffers, fail, raw

__all__ = ["TensorBase"]

_kept: dict[int, Any] = {}
_keys = count(1)


# Defaults: module globals may be gone when the interpreter ends, and the library may let go as late as that.
def _drop(key: int, _pop: Any = _kept.pop) -> None:
    _pop(key, None)


_drop_callback = _abi.ge_ir_drop_fn(_drop)
_drop_address = cast(_drop_callback, c_void_p).value
# The library keeps the address: the callback must outlive this module, so its reference is given up for good.
pythonapi.Py_IncRef(py_object(_drop_callback))


class TensorBase:
    """Primitive face of a constant."""

    __slots__ = ("_handle", "_owner", "_owns")

    _handle: int
    _owner: Any
    _owns: bool

    def __init__(self) -> None:
        self._handle, self._owner, self._owns = 0, None, False

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        status = raw.tensor_retain(handle, buffers.b.p_error)
        if status:
            fail(status, "tensor_retain")
        tensor = cls._adopt(handle)
        tensor._owner = owner
        return tensor

    @classmethod
    def _adopt(cls, handle: int) -> Any:
        tensor = cls.__new__(cls)
        tensor._handle, tensor._owner, tensor._owns = handle, None, True
        return tensor

    def __del__(self, _release: Any = raw.tensor_release, _buffers: Any = buffers) -> None:
        # A constructor that was called wrongly leaves an object without attributes.
        if getattr(self, "_owns", False) and self._handle:
            _release(self._handle, _buffers.b.p_error)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TensorBase):
            return NotImplemented
        return self._handle == other._handle and self._handle != 0

    def __hash__(self) -> int:
        return hash(self._handle)

    def _replace(self, handle: int) -> None:
        old = self._handle if self._owns else 0
        self._handle, self._owner, self._owns = handle, None, True
        if old:
            raw.tensor_release(old, buffers.b.p_error)

    def _create(self, dtype: int, format: int, dims: Sequence[int], data: bytes, offsets: Sequence[int] | None) -> None:
        spec = _spec(dtype, format, dims)
        held = c_char_p(data)
        spec.data, spec.size = cast(held, c_void_p).value, len(data)
        if offsets is not None:
            spec.offsets = array("Q", offsets).tobytes()
        self._replace(_created(spec))

    def _borrow(self, dtype: int, format: int, dims: Sequence[int], address: int, size: int, keep: Any) -> None:
        spec = _spec(dtype, format, dims)
        spec.data, spec.size = address, size
        key = next(_keys)
        spec.drop, spec.user = _drop_address, key
        _kept[key] = keep
        try:
            self._replace(_created(spec))
        except BaseException:
            _kept.pop(key, None)
            raise

    def _map_file(self, path: str, offset: int, size: int, dtype: int, format: int, dims: Sequence[int]) -> None:
        spec = _spec(dtype, format, dims)
        spec.size = size
        b, data = buffers.b, path.encode("utf-8", "surrogateescape")
        status = raw.tensor_map_file(data, len(data), offset, _as_spec(spec), b.p0, b.p_error)
        if status:
            fail(status, "tensor_map_file")
        self._replace(b.out[0])

    def _info(self) -> tuple[int, int, bool, tuple[int, ...], int, int, int, int, int]:
        b = buffers.b
        info = _abi.ge_ir_tensor_info()
        status = raw.tensor_info(self._handle, info, b.p_error)
        if status:
            fail(status, "tensor_info", self)
        rank = info.dim_count
        return (
            info.dtype,
            info.format,
            bool(info.mapped),
            tuple(info.dims[:rank]) if rank else (),
            info.element_count,
            info.data or 0,
            info.size,
            addressof(info.offsets.contents) if info.offsets else 0,
            info.reference_count,
        )


def _spec(dtype: int, format: int, dims: Sequence[int]) -> TensorSpecIn:
    return TensorSpecIn(sizeof(TensorSpecIn), dtype, format, 0, array("q", dims).tobytes(), len(dims))


def _as_spec(spec: TensorSpecIn) -> Any:
    return _abi.ge_ir_tensor_spec.from_address(addressof(spec))


def _created(spec: TensorSpecIn) -> int:
    b = buffers.b
    status = raw.tensor_create(_as_spec(spec), b.p0, b.p_error)
    if status:
        fail(status, "tensor_create")
    return b.out[0]
