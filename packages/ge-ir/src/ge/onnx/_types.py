"""Types of values: ONNX TypeProto on one side, descriptors of ``ge.graph`` on the other.

A descriptor holds dtype, dims and symbols of a tensor, and the text of any other type. What it cannot hold
(denotations, a symbol that is an empty text, a negative size, a tensor without an element type) is kept as text
beside it.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ge.graph import DataType, Format
from ge.graph._dtypes import dtype_from_onnx, info
from ge.onnx._type_text import ELEMENTS, Dim, TypeInfo, format_type, parse_type

__all__ = [
    "NOTHING",
    "DescItem",
    "fill_type_proto",
    "item_from_proto",
    "item_from_tensor",
    "text_from_proto",
    "type_proto_from_text",
]

DescItem = Tuple[
    int, int, int, int, Tuple[int, ...], Optional[Tuple[Optional[str], ...]], int, Tuple[int, ...], Optional[str]
]

_ND = int(Format.FORMAT_ND)
_UNDEFINED = int(DataType.DT_UNDEFINED)
_UNSET, _KNOWN = 0, 1  # ge_ir_rank_kind
_INNER_FIELDS = {"seq": "sequence_type", "optional": "optional_type"}

#: A descriptor that says nothing.
NOTHING: DescItem = (_UNDEFINED, _ND, _ND, _UNSET, (), None, _UNSET, (), None)


def _tensor_item(dtype: int, dims: tuple[int, ...] | None, symbols: tuple[str | None, ...] | None) -> DescItem:
    return (dtype, _ND, _ND, _UNSET if dims is None else _KNOWN, dims or (), symbols, _UNSET, (), None)


def item_from_tensor(dtype: int, dims: tuple[int, ...]) -> DescItem:
    """The descriptor of a constant."""
    return _tensor_item(dtype, dims, None)


def item_from_proto(proto: Any) -> tuple[DescItem, bool]:
    """The descriptor of a TypeProto, and whether it says all that the proto says.

    Raises:
        ValueError: The element type is not known, or a symbol is not UTF-8.
    """
    if not proto.HasField("tensor_type"):
        if proto.WhichOneof("value") is None and not proto.denotation:
            return NOTHING, True
        return (_UNDEFINED, _ND, _ND, _UNSET, (), None, _UNSET, (), text_from_proto(proto)), True
    tensor = proto.tensor_type
    exact = tensor.elem_type != 0 and not proto.denotation
    dtype = int(dtype_from_onnx(tensor.elem_type))
    if not tensor.HasField("shape"):
        return _tensor_item(dtype, None, None), exact
    sizes: list[int] = []
    symbols: list[str | None] = []
    for dim in tensor.shape.dim:
        kind = dim.WhichOneof("value")
        size = dim.dim_value if kind == "dim_value" else -1
        symbol = _text(dim.dim_param) if kind == "dim_param" else None
        if dim.denotation or symbol == "" or (kind == "dim_value" and size < 0):
            exact = False
        sizes.append(size if size >= 0 else -1)
        symbols.append(symbol or None)
    return _tensor_item(dtype, tuple(sizes), tuple(symbols) if any(symbols) else None), exact


def fill_type_proto(proto: Any, item: DescItem, text: str | None) -> bool:
    """Writes a descriptor into an empty TypeProto; returns False, writing nothing, if it says nothing.

    Args:
        proto: What to fill.
        item: The descriptor.
        text: The exact text kept by import, or None. It counts as long as the descriptor still is the one it gave.
    """
    if text is not None:
        _fill(proto, parse_type(text))
        if item_from_proto(proto)[0] == item:
            return True
        proto.Clear()
    dtype, _, _, rank_kind, dims, symbols, _, _, type_text = item
    if type_text is not None:
        _fill(proto, parse_type(type_text))
        return True
    number = info(dtype).onnx
    if not number:
        return False
    tensor = proto.tensor_type
    tensor.elem_type = number
    if rank_kind != _KNOWN:
        return True
    shape = tensor.shape
    shape.SetInParent()
    for index, size in enumerate(dims):
        dim = shape.dim.add()
        symbol = symbols[index] if symbols is not None else None
        if symbol is not None:
            dim.dim_param = symbol
        elif size >= 0:
            dim.dim_value = size
    return True


def text_from_proto(proto: Any) -> str:
    """The text of a TypeProto."""
    return format_type(_read(proto))


def type_proto_from_text(proto: Any, text: str) -> None:
    """Fills an empty TypeProto from text.

    Raises:
        ValueError: The text is malformed.
    """
    _fill(proto, parse_type(text))


def _known(element: int) -> int:
    if element not in ELEMENTS:
        raise ValueError(f"ONNX element type {element} is not known; known: 0 to {max(ELEMENTS)}")
    return element


def _text(value: Any) -> Any:
    # protobuf gives a text that is not UTF-8 as bytes.
    if isinstance(value, bytes):
        raise ValueError(f"a text is not UTF-8: {value!r}")
    return value


def _read(proto: Any) -> TypeInfo:
    kind = proto.WhichOneof("value")
    mark = _text(proto.denotation)
    if kind is None:
        return TypeInfo("unset", denotation=mark)
    value = getattr(proto, kind)
    if kind in ("tensor_type", "sparse_tensor_type"):
        dims = tuple(_read_dim(dim) for dim in value.shape.dim) if value.HasField("shape") else None
        return TypeInfo(kind[: -len("_type")], element=_known(value.elem_type), dims=dims, denotation=mark)
    if kind == "map_type":
        return TypeInfo("map", element=_known(value.key_type), inner=_read(value.value_type), denotation=mark)
    if kind == "opaque_type":
        return TypeInfo("opaque", names=(_text(value.domain), _text(value.name)), denotation=mark)
    word = next(word for word, field in _INNER_FIELDS.items() if field == kind)
    return TypeInfo(word, inner=_read(value.elem_type), denotation=mark)


def _read_dim(dim: Any) -> Dim:
    kind = dim.WhichOneof("value")
    return Dim(_text(getattr(dim, kind)) if kind else None, _text(dim.denotation))


def _fill(proto: Any, info: TypeInfo) -> None:
    if info.denotation:
        proto.denotation = info.denotation
    if info.kind == "unset":
        return
    if info.kind == "opaque":
        proto.opaque_type.domain, proto.opaque_type.name = info.names
    elif info.kind == "map" and info.inner is not None:
        proto.map_type.key_type = info.element
        _fill_inner(proto.map_type.value_type, info.inner)
    elif info.inner is not None:
        _fill_inner(getattr(proto, _INNER_FIELDS[info.kind]).elem_type, info.inner)
    else:
        _fill_tensor(proto.tensor_type if info.kind == "tensor" else proto.sparse_tensor_type, info)


def _fill_inner(proto: Any, info: TypeInfo) -> None:
    proto.SetInParent()
    _fill(proto, info)


def _fill_tensor(tensor: Any, info: TypeInfo) -> None:
    tensor.elem_type = info.element
    if info.dims is None:
        return
    tensor.shape.SetInParent()
    for dim in info.dims:
        target = tensor.shape.dim.add()
        if isinstance(dim.value, str):
            target.dim_param = dim.value
        elif dim.value is not None:
            target.dim_value = dim.value
        if dim.denotation:
            target.denotation = dim.denotation
