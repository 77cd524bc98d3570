"""Parts of the public interface that are not built yet; each raises ``NotImplementedError``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ge.graph import Graph, Node
    from ge.passes._context import PassContext
    from ge.passes._match import MatchResult
    from ge.passes._rewriter import SubgraphBoundary

__all__ = ["FuseCheckResult", "can_fuse", "infer_shape", "report_fuse"]


@dataclass(frozen=True)
class FuseCheckResult:
    """Whether nodes may be fused.

    Attributes:
        ok: They may.
        reason: Why not; empty if they may.
    """

    ok: bool
    reason: str = ""


def _not_yet(name: str) -> NoReturn:
    raise NotImplementedError(f"{name} is not implemented yet; see 'Not built yet' in the README of ge-passes")


def can_fuse(nodes: Iterable[Node]) -> FuseCheckResult:
    """Whether nodes may be fused.

    Raises:
        NotImplementedError: Always, in this version.
    """
    _not_yet("can_fuse")


def report_fuse(nodes_before: Iterable[Node], nodes_after: Iterable[Node], context: PassContext) -> None:
    """Records a fusion that a whole-graph pass made by hand.

    Raises:
        NotImplementedError: Always, in this version.
    """
    _not_yet("report_fuse")


def infer_shape(replacement: Graph, source: MatchResult | Node | SubgraphBoundary) -> None:
    """Infers the shapes of a replacement from where it goes.

    Raises:
        NotImplementedError: Always, in this version.
    """
    _not_yet("infer_shape")
