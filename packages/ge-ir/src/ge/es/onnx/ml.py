"""Op functions of domain ``ai.onnx.ml``, used as those of :mod:`ge.es.onnx`."""

from __future__ import annotations

from typing import Any

from ge.es._ops_namespace import OpNamespace, get_namespace

#: Opset of ``ai.onnx.ml`` that the functions of this module have.
DEFAULT_OPSET = 3

_DOMAIN = "ai.onnx.ml"
_default = get_namespace(_DOMAIN, DEFAULT_OPSET, __name__)

__all__ = ["DEFAULT_OPSET", "opset", *_default.names()]  # pyright: ignore[reportUnsupportedDunderAll]


def opset(version: int) -> OpNamespace:
    """The op functions at an opset of ``ai.onnx.ml``.

    Raises:
        TypeError: ``version`` is no int.
        ValueError: There is no such opset; names the newest one.
    """
    return get_namespace(_DOMAIN, version, f"{__name__}.opset({version})")


def __getattr__(name: str) -> Any:
    return getattr(_default, name)


def __dir__() -> list[str]:
    return sorted(__all__)
