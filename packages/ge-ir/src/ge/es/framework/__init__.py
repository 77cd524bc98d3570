"""Op functions of the graph engine's own operators: ``ge.es.framework.PartitionedCall([x], f=body, output_num=1)``.

They are used as those of :mod:`ge.es.onnx`. Inputs, constants, variables and outputs of a graph are better made with
the methods of ``GraphBuilder``.
"""

from __future__ import annotations

from typing import Any

from ge.es._ops_namespace import get_namespace

_default = get_namespace("", 0, __name__)

__all__ = [*_default.names()]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    return getattr(_default, name)


def __dir__() -> list[str]:
    return sorted(__all__)
