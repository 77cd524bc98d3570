"""How operators of the graph engine, which ONNX does not have, are written to ONNX and read back.

=====================================  ==================================================================
engine                                 file
=====================================  ==================================================================
``PartitionedCall`` and its body       call of a local function in domain ``ge.subgraph``; runtimes can run it
any other operator of version 0        node of domain ``ge``, bodies as graph attributes; for viewers and for ge
control edges                          node metadata ``ge.control_inputs``: JSON list of node names
private attributes                     node metadata ``ge.attr.<name>``: JSON, from an ONNX operator's node only
=====================================  ==================================================================
"""

from __future__ import annotations

import json
from typing import Any

from ge.es._schema_framework import FRAMEWORK_SCHEMAS
from ge.graph import Node

__all__ = [
    "ATTRIBUTE_METADATA",
    "CONTROL_METADATA",
    "FRAMEWORK_DOMAIN",
    "SUBGRAPH_DOMAIN",
    "control_names",
    "is_framework_op",
    "is_private",
    "restore_private_attributes",
]

FRAMEWORK_DOMAIN = "ge"
SUBGRAPH_DOMAIN = "ge.subgraph"
CONTROL_METADATA = "ge.control_inputs"
ATTRIBUTE_METADATA = "ge.attr."


#: Marks that the engine puts on any operator and that do not start with an underscore.
_MARKS = frozenset(("OwnerGraphIsUnknown",))


def is_private(key: str) -> bool:
    """True for attributes that belong to the engine, not to the operator."""
    return key.startswith("_") or key in _MARKS


def is_framework_op(op_type: str, domain: str, version: int) -> bool:
    """True for operators of the graph engine; at version 0 these go before ONNX operators of the same name."""
    return not domain and not version and op_type in FRAMEWORK_SCHEMAS


def control_names(proto: Any) -> list[str]:
    """Names in the control metadata of a NodeProto; empty if there is none or it is not ours."""
    for entry in proto.metadata_props:
        if entry.key == CONTROL_METADATA:
            try:
                found = json.loads(entry.value)
            except ValueError:
                return []
            return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
    return []


def restore_private_attributes(node: Node, proto: Any) -> None:
    """Sets the attributes that export put into the metadata of a node; what is not of that form is left alone."""
    for entry in proto.metadata_props:
        if entry.key.startswith(ATTRIBUTE_METADATA):
            try:
                node.set_attr(entry.key[len(ATTRIBUTE_METADATA) :], json.loads(entry.value))
            except ValueError:
                continue
