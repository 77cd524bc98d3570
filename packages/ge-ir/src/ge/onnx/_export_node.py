"""Attributes and extras of one NodeProto."""

from __future__ import annotations

import json
from typing import Any

from ge.graph import AttrValueType as Kind
from ge.graph import Node
from ge.onnx import _keys as keys
from ge.onnx._attributes import fill_attribute_proto
from ge.onnx._errors import OnnxExportError
from ge.onnx._extras import SELF, fill_extras, fill_metadata, get_list, get_text
from ge.onnx._framework_ops import ATTRIBUTE_METADATA, CONTROL_METADATA, is_private

__all__ = ["fill_node_attributes", "fill_node_extras"]

_NO_JSON = (Kind.VT_TENSOR, Kind.VT_LIST_TENSOR, Kind.VT_REFERENCE)


def fill_node_attributes(proto: Any, node: Node, *, framework: bool) -> None:
    """Writes the attributes of a node. Private ones of an ONNX operator go to its metadata.

    Raises:
        OnnxExportError: An attribute has a kind that ONNX does not have.
    """
    for key in node._attr_keys(SELF, 0):
        if key.startswith(keys.PREFIX):
            continue
        kind, value = node._attr_get(SELF, 0, key)
        if (not framework and is_private(key)) or kind == Kind.VT_LIST_LIST_INT:
            if kind not in _NO_JSON:
                fill_metadata(proto, [(ATTRIBUTE_METADATA + key, _json(value))])
            continue
        hidden = get_text(node, keys.ATTRIBUTE_KIND + key)
        attribute = proto.attribute.add()
        try:
            fill_attribute_proto(attribute, key, kind, value, hidden)
        except (OnnxExportError, ValueError) as error:
            raise OnnxExportError(f"node {node.name!r} ({node.type}): {error}") from error
        doc = get_text(node, keys.ATTRIBUTE_DOC + key)
        if doc:
            attribute.doc_string = doc


def _json(value: Any) -> str:
    return json.dumps(value, default=lambda item: item.hex() if isinstance(item, bytes) else str(item))


def fill_node_extras(proto: Any, node: Node) -> None:
    """Writes doc string, metadata, overload, device configurations and control edges."""
    fill_extras(proto, node)
    overload = get_text(node, keys.OVERLOAD)
    if overload:
        proto.overload = overload
    for data in get_list(node, keys.NODE_CONFIGURATION):
        proto.device_configurations.add().ParseFromString(data if isinstance(data, bytes) else data.encode("utf-8"))
    sources = node.control_inputs
    if sources:
        fill_metadata(proto, [(CONTROL_METADATA, json.dumps([source.name for source in sources], ensure_ascii=False))])
