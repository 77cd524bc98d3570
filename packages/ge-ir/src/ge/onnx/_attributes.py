"""Attributes of nodes: AttributeProto on one side, stored kinds and values on the other.

Bodies (GRAPH, GRAPHS) are not attributes here but subgraphs of the node; see ``_import_graph`` and ``_export_graph``.
"""

from __future__ import annotations

from typing import Any, Tuple

from ge.graph import AttrValueType as Kind
from ge.graph import DataType
from ge.graph._dtypes import info
from ge.onnx._errors import OnnxExportError, OnnxImportError
from ge.onnx._tensors import fill_tensor_proto, tensor_from_proto
from ge.onnx._types import text_from_proto, type_proto_from_text

__all__ = ["GRAPH", "GRAPHS", "AttrItem", "fill_attribute_proto", "item_from_attribute"]

AttrItem = Tuple[int, Any]

# Numbers of AttributeProto.AttributeType.
FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS, STRINGS, TENSORS, GRAPHS = range(1, 11)
SPARSE_TENSOR, SPARSE_TENSORS, TYPE_PROTO, TYPE_PROTOS = range(11, 15)
_NAMES = {
    FLOAT: "FLOAT",
    INT: "INT",
    STRING: "STRING",
    TENSOR: "TENSOR",
    GRAPH: "GRAPH",
    FLOATS: "FLOATS",
    INTS: "INTS",
    STRINGS: "STRINGS",
    TENSORS: "TENSORS",
    GRAPHS: "GRAPHS",
    SPARSE_TENSOR: "SPARSE_TENSOR",
    SPARSE_TENSORS: "SPARSE_TENSORS",
    TYPE_PROTO: "TYPE_PROTO",
    TYPE_PROTOS: "TYPE_PROTOS",
}
_NUMBERS = {name: number for number, name in _NAMES.items()}
_KIND_OF = {
    FLOAT: Kind.VT_FLOAT32,
    INT: Kind.VT_INT,
    STRING: Kind.VT_STRING,
    TENSOR: Kind.VT_TENSOR,
    FLOATS: Kind.VT_LIST_FLOAT32,
    INTS: Kind.VT_LIST_INT,
    STRINGS: Kind.VT_LIST_STRING,
    TENSORS: Kind.VT_LIST_TENSOR,
    TYPE_PROTO: Kind.VT_TYPE,
    TYPE_PROTOS: Kind.VT_LIST_TYPE,
    # Sparse tensors have no kind of their own: they are kept serialized, with their ONNX kind beside them.
    SPARSE_TENSOR: Kind.VT_BYTES,
    SPARSE_TENSORS: Kind.VT_LIST_STRING,
}
_TYPE_OF = {
    Kind.VT_INT: INT,
    Kind.VT_BOOL: INT,
    Kind.VT_DATA_TYPE: INT,
    Kind.VT_FLOAT: FLOAT,
    Kind.VT_FLOAT32: FLOAT,
    Kind.VT_STRING: STRING,
    Kind.VT_BYTES: STRING,
    Kind.VT_TENSOR: TENSOR,
    Kind.VT_TYPE: TYPE_PROTO,
    Kind.VT_LIST_INT: INTS,
    Kind.VT_LIST_BOOL: INTS,
    Kind.VT_LIST_DATA_TYPE: INTS,
    Kind.VT_LIST_FLOAT: FLOATS,
    Kind.VT_LIST_FLOAT32: FLOATS,
    Kind.VT_LIST_STRING: STRINGS,
    Kind.VT_LIST_TENSOR: TENSORS,
    Kind.VT_LIST_TYPE: TYPE_PROTOS,
}


def _text(data: bytes) -> str | bytes:
    """A string attribute; ONNX promises UTF-8, files don't."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def item_from_attribute(proto: Any, base_dir: str | None) -> tuple[AttrItem, str]:
    """The stored form of an attribute, and its ONNX kind where the stored kind does not say it (else empty).

    Args:
        proto: An AttributeProto that is no graph.
        base_dir: Folder that external tensor data must lie in.

    Raises:
        OnnxImportError: The attribute has no kind or one that is not known, or its tensor is damaged.
    """
    number = proto.type
    if proto.ref_attr_name:
        kind = _KIND_OF.get(number, Kind.VT_NONE)
        hidden = _NAMES[number] if number in (GRAPH, GRAPHS, SPARSE_TENSOR, SPARSE_TENSORS) else ""
        if not isinstance(proto.ref_attr_name, str):
            raise TypeError(f"a name is not UTF-8: {proto.ref_attr_name!r}")
        return (int(Kind.VT_REFERENCE), (proto.ref_attr_name, int(kind))), hidden
    if number not in _KIND_OF:
        raise OnnxImportError(
            f"attribute {proto.name!r} has kind {number}, expected one of {', '.join(_NAMES.values())}"
        )
    hidden = _NAMES[number] if number in (SPARSE_TENSOR, SPARSE_TENSORS) else ""
    return (int(_KIND_OF[number]), _value(proto, number, base_dir)), hidden


def _value(proto: Any, number: int, base_dir: str | None) -> Any:
    if number == INT:
        return proto.i
    if number == INTS:
        return list(proto.ints)
    if number == FLOAT:
        return proto.f
    if number == FLOATS:
        return list(proto.floats)
    if number == STRING:
        return _text(proto.s)
    if number == STRINGS:
        return [_text(item) for item in proto.strings]
    if number == TENSOR:
        return tensor_from_proto(proto.t, base_dir)
    if number == TENSORS:
        return [tensor_from_proto(item, base_dir) for item in proto.tensors]
    if number == TYPE_PROTO:
        return text_from_proto(proto.tp)
    if number == TYPE_PROTOS:
        return [text_from_proto(item) for item in proto.type_protos]
    if number == SPARSE_TENSOR:
        return proto.sparse_tensor.SerializeToString(deterministic=True)
    return [item.SerializeToString(deterministic=True) for item in proto.sparse_tensors]


def fill_attribute_proto(proto: Any, name: str, kind: int, value: Any, hidden: str) -> None:
    """Writes a stored attribute into an empty AttributeProto.

    Args:
        proto: What to fill.
        name: Attribute name.
        kind: Stored kind.
        value: Stored value.
        hidden: The ONNX kind that import kept beside it, or an empty text.

    Raises:
        OnnxExportError: ONNX has no such kind.
    """
    proto.name = name
    if kind == Kind.VT_REFERENCE:
        proto.ref_attr_name = value[0]
        proto.type = _NUMBERS[hidden] if hidden else _TYPE_OF.get(Kind(value[1]), 0)
        return
    number = _NUMBERS[hidden] if hidden else _TYPE_OF.get(Kind(kind))
    if number is None:
        raise OnnxExportError(f"attribute {name!r} has kind {Kind(kind).name}, which ONNX does not have")
    proto.type = number
    if kind in (Kind.VT_DATA_TYPE, Kind.VT_LIST_DATA_TYPE):
        value = _onnx_types(name, value)
    _fill_value(proto, number, value)


def _onnx_types(name: str, value: Any) -> Any:
    """ONNX numbers of element types."""
    if isinstance(value, list):
        return [_onnx_types(name, item) for item in value]
    number = info(value).onnx
    if not number:
        raise OnnxExportError(f"attribute {name!r} is {DataType(value).name}, which ONNX does not have")
    return number


def _bytes(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _fill_value(proto: Any, number: int, value: Any) -> None:
    if number == INT:
        proto.i = int(value)
    elif number == INTS:
        proto.ints.extend(int(item) for item in value)
    elif number == FLOAT:
        proto.f = value
    elif number == FLOATS:
        proto.floats.extend(value)
    elif number == STRING:
        proto.s = _bytes(value)
    elif number == STRINGS:
        proto.strings.extend(_bytes(item) for item in value)
    elif number == TENSOR:
        fill_tensor_proto(proto.t, value, "")
    elif number == TENSORS:
        for item in value:
            fill_tensor_proto(proto.tensors.add(), item, "")
    elif number == TYPE_PROTO:
        proto.tp.SetInParent()
        type_proto_from_text(proto.tp, value)
    elif number == TYPE_PROTOS:
        for item in value:
            type_proto_from_text(proto.type_protos.add(), item)
    elif number == SPARSE_TENSOR:
        proto.sparse_tensor.ParseFromString(_bytes(value))
    else:
        for item in value:
            proto.sparse_tensors.add().ParseFromString(_bytes(item))
