"""ONNX types from the texts that ONNX Runtime describes them with."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["type_proto"]

# Names that ONNX Runtime gives element types, where they are not the ONNX name in lower case.
_NAMES = {"float": "FLOAT", "double": "DOUBLE", "float16": "FLOAT16", "bfloat16": "BFLOAT16"}
_TENSOR = re.compile(r"tensor\((\w+)\)")


def type_proto(text: str) -> Any:
    """The ``TypeProto`` of a text such as ``tensor(float)`` or ``seq(tensor(int64))``; ``None`` for another form."""
    import onnx

    wrapped = re.fullmatch(r"(seq|optional)\((.*)\)", text)
    if wrapped is not None:
        inner = type_proto(wrapped.group(2))
        if inner is None:
            return None
        result = onnx.TypeProto()
        holder = result.sequence_type if wrapped.group(1) == "seq" else result.optional_type
        holder.elem_type.CopyFrom(inner)
        return result
    tensor = _TENSOR.fullmatch(text)
    if tensor is None:
        return None
    name = _NAMES.get(tensor.group(1), tensor.group(1).upper())
    if name not in onnx.TensorProto.DataType.keys():  # noqa: SIM118 - the wrapper is no mapping
        return None
    result = onnx.TypeProto()
    result.tensor_type.elem_type = onnx.TensorProto.DataType.Value(name)
    return result
