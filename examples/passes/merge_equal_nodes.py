"""Replaces ``f(x)`` and a later ``f(x)`` with one ``f(x)``: common subexpressions, equal constants among them.

Two nodes are equal if operator, version, attributes and inputs are; constants are compared by type, shape and bytes.
Exceptions:

1. The operator draws random numbers, or its schema is not known.
2. The node has a body, or control edges, which order it against others.
3. An output of the later node is an output of the graph: it keeps its own producer and name.
"""

from __future__ import annotations

from collections.abc import Hashable

from ge.es.schema import find_schema
from ge.graph import Graph, Node, Tensor
from ge.passes import FusionBasePass, PassContext, PassStage, register_fusion_pass


def _comparable(value: object) -> Hashable:
    if isinstance(value, Tensor):
        array = value.numpy()
        return (int(value.get_data_type()), array.shape, array.tobytes())
    if isinstance(value, (list, tuple)):
        return tuple(_comparable(item) for item in value)
    # 1, 1.0 and True are equal in Python, but not as attributes.
    return (type(value).__name__, str(value))


def _is_pure(node: Node) -> bool:
    if node.subgraphs or node.control_inputs or node.control_outputs:
        return False
    if node.type == "Const":
        return True
    schema = find_schema(node.domain, node.type, node.op_version)
    # The graph engine's own operators (inputs, variables, outputs, calls) have version 0.
    return schema is not None and schema.since_version > 0 and schema.deterministic


def _key(node: Node) -> Hashable:
    attributes = tuple((name, _comparable(node.get_attr(name))) for name in sorted(node.attr_names))
    return (node.domain, node.type, node.op_version, node.output_count, attributes, tuple(node.inputs))


def _is_output(node: Node) -> bool:
    return any(user.type == "NetOutput" for index in range(node.output_count) for user, _ in node.users(index))


@register_fusion_pass(name="MergeEqualNodes", stage=PassStage.BEFORE_INFER_SHAPE)
class MergeEqualNodes(FusionBasePass):
    """Replaces ``f(x)`` and a later ``f(x)`` with one ``f(x)``."""

    def run(self, graph: Graph, context: PassContext) -> None:
        """Walks producers first, so that readers of merged nodes are compared with merged inputs."""
        first: dict[Hashable, Node] = {}
        for node in graph.topological_order():
            if not _is_pure(node):
                continue
            kept = first.setdefault(_key(node), node)
            if kept == node or _is_output(node):
                continue
            for index in range(node.output_count):
                node.replace_uses(index, kept, index)
            graph.remove_node(node)
