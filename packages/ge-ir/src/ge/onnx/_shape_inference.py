"""Shape inference: the shapes that ONNX's own inference finds, written into the descriptors of a graph."""

from __future__ import annotations

from typing import Any

from ge.graph import Graph, Node
from ge.onnx._errors import OnnxExportError
from ge.onnx._export_model import ModelExporter
from ge.onnx._framework_ops import is_framework_op
from ge.onnx._types import NOTHING, item_from_proto

__all__ = ["infer"]

_TOPOLOGICAL = 1  # ge_ir_order
_OUTPUT = 1  # ge_ir_scope
_NOT_WRITTEN_AS_NODES = frozenset(("Data", "RefData", "AippData", "AnnData", "Const", "NetOutput"))
#: Inference reads the values of shapes, axes and the like; bigger constants only count by type and shape.
_SMALL = 4096
#: Start of the symbols that inference makes up.
_MADE_UP = "unk__"


def infer(graph: Graph) -> None:
    """Infers the whole graph, bodies included; see :func:`ge.onnx.infer_shapes`."""
    import onnx

    model = ModelExporter(graph, _leave_out_big).build()
    _drop_claims(model.graph)
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:  # onnx raises several unrelated types here
        raise OnnxExportError(f"shape inference of graph {graph.name!r} failed: {error}") from error
    _write(graph, inferred.graph)


def _leave_out_big(proto: Any, tensor: Any) -> bool:
    """Sink of the exporter: True leaves the data of a constant out of the model."""
    return int(tensor._info()[6]) > _SMALL


def _has_schema(domain: str) -> bool:
    return domain in ("", "ai.onnx", "ai.onnx.ml")


def _drop_claims(proto: Any) -> None:
    """Takes away declared shapes that inference can find itself: files declare wrong ones, rewrites make them stale.

    What operators without a schema give is kept, since nobody else knows it.
    """
    kept = {name for node in proto.node if not _has_schema(node.domain) for name in node.output}
    infos = [item for item in proto.value_info if item.name in kept]
    del proto.value_info[:]
    proto.value_info.extend(infos)
    for item in proto.output:
        if item.name not in kept and item.type.HasField("tensor_type"):
            item.type.tensor_type.ClearField("shape")
    for node in proto.node:
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                _drop_claims(body)


def _is_written(node: Node) -> bool:
    return not (node.type in _NOT_WRITTEN_AS_NODES and is_framework_op(node.type, node.domain, node.op_version))


def _write(graph: Graph, proto: Any) -> None:
    """Copies types from a GraphProto to the graph that it was written from.

    Operators were written in topological order and copies for outputs behind them, so the two lists run side by side.
    """
    types = {item.name: item.type for item in (*proto.value_info, *proto.output)}
    for node, written in zip((node for node in graph._nodes(_TOPOLOGICAL) if _is_written(node)), proto.node):
        for index, name in enumerate(written.output):
            found = types.get(name)
            if found is not None and found.WhichOneof("value") is not None:
                _set(node, index, found)
        _write_bodies(node, written)


def _set(node: Node, index: int, proto: Any) -> None:
    """Sets dtype, dims and symbols; format and origin shape stay, and so does a shape that inference did not find."""
    item, _exact = item_from_proto(proto)
    dtype, _, _, rank_kind, dims, symbols, _, _, type_text = item
    old = node._desc_find(_OUTPUT, index) or NOTHING
    if type_text is None and rank_kind == 0:
        rank_kind, dims, symbols = old[3], old[4], old[5]
    elif old[5] is not None and old[4] and len(old[4]) == len(dims):
        symbols = _keep_names(dims, symbols, old[5])
    node._desc_set(_OUTPUT, index, (dtype, old[1], old[2], rank_kind, dims, symbols, old[6], old[7], type_text))


def _keep_names(
    dims: tuple[int, ...], found: tuple[str | None, ...] | None, old: tuple[str | None, ...]
) -> tuple[str | None, ...]:
    """Symbols of a shape: where inference made one up or has none for an unknown size, the old name stays."""
    names = found or (None,) * len(dims)
    return tuple(
        kept if size < 0 and kept and (name is None or name.startswith(_MADE_UP)) else name
        for size, name, kept in zip(dims, names, old)
    )


def _write_bodies(node: Node, written: Any) -> None:
    bodies = dict(node._subgraphs())
    for attribute in written.attribute:
        if attribute.HasField("g") and attribute.name in bodies:
            _write(bodies[attribute.name], attribute.g)
