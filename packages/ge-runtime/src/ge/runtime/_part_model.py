"""Turns the body of a part into a whole ONNX model of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ge.runtime._errors import CompileError

if TYPE_CHECKING:
    import onnx
    from ge.graph import Graph

__all__ = ["part_model", "set_input_types"]

# Attributes of the root graph that belong to the whole model, not to the main graph alone.
_MODEL_ATTRIBUTES = ("onnx.ir_version", "onnx.opset_domains", "onnx.opset_versions")


def _standalone(body: Graph, root: Graph) -> Graph:
    """A root copy of the body with what it needs of the model around it: opsets and functions."""
    copy = body.clone()
    for key in _MODEL_ATTRIBUTES:
        if root.has_attr(key):
            copy.set_attr(key, root.get_attr(key))
    for name, function in root.subgraphs.items():
        copy.add_subgraph(function.clone(name))
    return copy


def part_model(body: Graph, root: Graph) -> onnx.ModelProto:
    """The body of a part (or the root itself, if it was not split) as an ONNX model.

    Raises:
        CompileError: The body cannot be written as ONNX; the text names the part and the reason.
    """
    from ge.onnx import OnnxExportError, to_model_proto

    try:
        graph = root if body == root else _standalone(body, root)
        model: onnx.ModelProto = to_model_proto(graph)
    except OnnxExportError as error:
        raise CompileError(f"part {body.name!r} cannot be written as ONNX: {error}") from error
    _forget_symbols(model.graph)
    return model


def _forget_symbols(graph: onnx.GraphProto) -> None:
    """Takes away what only inference or an exporter says of sizes that are not known.

    ONNX Runtime shares a buffer between values whose shapes have the same symbols, so a symbol that stands for two
    sizes makes a run fail. Names of dimensions are no promise of equality; known sizes stay.
    """
    del graph.value_info[:]
    for item in (*graph.input, *graph.output):
        for dim in item.type.tensor_type.shape.dim if item.type.HasField("tensor_type") else ():
            dim.ClearField("dim_param")
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                _forget_symbols(inner)


def set_input_types(model: onnx.ModelProto, types: dict[int, Any]) -> None:
    """Fills in types of inputs that the graph does not know, from the sessions that produce them.

    An operator of a domain without schemas has outputs of unknown type; ONNX Runtime knows them once the part that has
    the operator is loaded, and the next part needs them declared.

    Args:
        model: Changed in place.
        types: ONNX ``TypeProto`` by input position.
    """
    for position, item in enumerate(model.graph.input):
        kind = item.type.WhichOneof("value")
        known = kind is not None and (kind != "tensor_type" or item.type.tensor_type.elem_type != 0)
        if not known and position in types:
            item.type.CopyFrom(types[position])
