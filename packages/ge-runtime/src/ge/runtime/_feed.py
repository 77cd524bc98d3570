"""Checks what a user feeds to a compiled model against the declared inputs."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ge.runtime._errors import RunError

if TYPE_CHECKING:
    from ge.graph import Node

__all__ = ["InputSpec", "check_feed", "input_spec"]


@dataclass(frozen=True)
class InputSpec:
    """What one input accepts.

    Attributes:
        name: Name of the input.
        dtype: NumPy type, or ``None`` when it is not known or the input is no tensor.
        dims: Size, symbol or ``None`` (free) for each dimension; ``None`` when the rank is not known.
        default: Value that is taken when none is fed; ``None``: the input must be fed.
    """

    name: str
    dtype: Any
    dims: tuple[int | str | None, ...] | None
    default: Any = field(default=None, compare=False, repr=False)

    def describe(self) -> str:
        """Type and shape in words: ``float32[N, 3, ?]``."""
        if self.dims is None:
            shape = "of any rank"
        else:
            shape = "[" + ", ".join("?" if size is None else str(size) for size in self.dims) + "]"
        return f"{'any type' if self.dtype is None else self.dtype} {shape}"


def input_spec(name: str, node: Node) -> InputSpec:
    """What the input of a graph accepts, from its descriptor."""
    desc = node.get_output_desc(0)
    default = node.get_attr("value").numpy() if node.has_attr("value") else None
    if desc.type_text:
        return InputSpec(name, None, None, default)
    try:
        dtype = desc.data_type.numpy_dtype
    except (ValueError, ImportError):  # no numpy form, or none on this machine: ONNX Runtime checks the value
        dtype = None
    shape = desc.shape
    if shape.is_unset or shape.is_unknown_rank:
        return InputSpec(name, dtype, None, default)
    dims = tuple(size if size >= 0 else symbol or None for size, symbol in zip(shape.dims, shape.symbols))
    return InputSpec(name, dtype, dims, default)


def _check_names(specs: list[InputSpec], feed: Mapping[str, Any]) -> None:
    names = [spec.name for spec in specs]
    listed = ", ".join(map(repr, names)) or "none"
    for name in feed:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the model's inputs are {listed}"
            raise RunError(f"the model has no input {name!r}; {hint}")
    for spec in specs:
        if spec.name not in feed and spec.default is None:
            raise RunError(f"input {spec.name!r} is missing; the model's inputs are {listed}")


def _check_array(spec: InputSpec, value: Any) -> Any:
    import numpy as np

    if spec.dtype is None and spec.dims is None:
        return value  # a sequence or an undeclared type: ONNX Runtime checks it
    array = np.asarray(value)
    takes = f"input {spec.name!r} takes {spec.describe()}, got {array.dtype} {list(array.shape)}"
    is_text = spec.dtype is not None and spec.dtype.kind == "O" and array.dtype.kind in "OUS"
    if spec.dtype is not None and array.dtype != spec.dtype and not is_text:
        raise RunError(f"{takes}; convert it with .astype({spec.dtype!s})")
    if spec.dims is None:
        return array
    if array.ndim != len(spec.dims):
        raise RunError(f"{takes}: {array.ndim} dimensions")
    for axis, (declared, size) in enumerate(zip(spec.dims, array.shape)):
        if isinstance(declared, int) and declared != size:
            raise RunError(f"{takes}: dimension {axis} must be {declared}")
    return array


def check_feed(specs: list[InputSpec], feed: Mapping[str, Any]) -> list[Any]:
    """The arrays in the order of the inputs.

    Symbols are names, not promises: exporters give one symbol to dimensions that differ, so equality is not demanded.

    Raises:
        RunError: A name is missing or unknown, or a value has another type, rank or size than declared.
    """
    _check_names(specs, feed)
    return [_check_array(spec, feed[spec.name]) if spec.name in feed else spec.default for spec in specs]
