"""`PassStage`: when a pass runs."""

from __future__ import annotations

from enum import Enum

__all__ = ["PassStage"]


class PassStage(str, Enum):
    """The four places of the compile flow where passes run, in this order."""

    BEFORE_INFER_SHAPE = "BeforeInferShape"
    """The graph as the user gave it: no shapes, nothing folded."""
    AFTER_INFER_SHAPE = "AfterInferShape"
    """Just after the first shape inference."""
    AFTER_BUILTIN_FUSION_PASS = "AfterBuiltinFusionPass"
    """After the engines' own fusions."""
    AFTER_ORIGIN_GRAPH_OPTIMIZE = "AfterOriginGraphOptimize"
    """After the optimisers, before the second shape inference and the partition."""

    @property
    def number(self) -> int:
        """Number of the stage in the native table."""
        return list(PassStage).index(self) + 1

    @classmethod
    def of_number(cls, number: int) -> PassStage:
        """The stage of a native number."""
        return list(cls)[number - 1]
