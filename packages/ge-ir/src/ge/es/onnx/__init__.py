"""Op functions of ONNX: ``ge.es.onnx.Conv(x, w, kernel_shape=[3, 3])`` adds a Conv node to the builder of ``x``.

The functions of this module are those of :data:`DEFAULT_OPSET`; ``ge.es.onnx.opset(13)`` gives the same at another
opset, and ``ge.es.onnx.ml`` those of domain ``ai.onnx.ml``. They come from a schema table that ge-ir ships, so the
``onnx`` package is not needed.

Inputs are given by position, in the order of the schema: a tensor, a number, a nested list or a numpy array; ``None``
for an optional input that is absent; a list for a variadic one. Attributes are given by keyword; one that is left out
is not stored, which means its default. An operator with several outputs gives a named tuple; ``output_count=`` asks
for optional outputs, ``<output>_num=`` says how many values a variadic output has. ``node_name=`` names the node, and
``owner_builder=`` says where to add it when no input is a tensor.
"""

from __future__ import annotations

from typing import Any

from ge.es._ops_namespace import OpNamespace, get_namespace
from ge.es.onnx import ml

#: Opset of the functions of this module. It is the newest one that every runtime for Python 3.9 and up executes.
DEFAULT_OPSET = 21

_default = get_namespace("", DEFAULT_OPSET, __name__)

__all__ = ["DEFAULT_OPSET", "ml", "opset", *_default.names()]  # pyright: ignore[reportUnsupportedDunderAll]


def opset(version: int) -> OpNamespace:
    """The op functions at an opset of the default ONNX domain.

    Raises:
        TypeError: ``version`` is no int.
        ValueError: There is no such opset; names the newest one.
    """
    return get_namespace("", version, f"{__name__}.opset({version})")


def __getattr__(name: str) -> Any:
    return getattr(_default, name)


def __dir__() -> list[str]:
    return sorted(__all__)
