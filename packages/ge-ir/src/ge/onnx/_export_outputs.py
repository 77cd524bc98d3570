"""Types of graph outputs that nothing in the graph says: ONNX demands them, so they are inferred."""

from __future__ import annotations

from typing import Any

__all__ = ["complete_outputs"]


def complete_outputs(model: Any, *, shapes: bool) -> None:
    """Fills missing output types of a ModelProto by ONNX's own inference; what it cannot infer stays missing.

    Args:
        model: The model; only its outputs are changed.
        shapes: Also infer where just the shape is missing.
    """
    missing = [value for value in model.graph.output if _is_missing(value, shapes)]
    if not missing:
        return
    import onnx

    try:
        inferred = onnx.shape_inference.infer_shapes(model)
    except (RuntimeError, ValueError):  # operators it does not know, or a model too big for it: the types are optional
        return
    found = {value.name: value for value in inferred.graph.output}
    for value in missing:
        other = found.get(value.name)
        if other is not None and other.HasField("type") and _agrees(value, other):
            value.type.CopyFrom(other.type)


def _is_missing(value: Any, shapes: bool) -> bool:
    if not value.HasField("type"):
        return True
    return shapes and value.type.HasField("tensor_type") and not value.type.tensor_type.HasField("shape")


def _agrees(value: Any, other: Any) -> bool:
    if not value.HasField("type"):
        return True
    return bool(value.type.tensor_type.elem_type == other.type.tensor_type.elem_type)
