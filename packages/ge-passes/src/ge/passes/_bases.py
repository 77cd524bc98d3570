"""Base classes of passes written in Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ge.passes._expression import is_pattern_method, pattern_methods
from ge.passes._hooks import hook_form, replacement_form
from ge.passes._matcher_config import PatternMatcherConfig

if TYPE_CHECKING:
    from ge.graph import Graph, Node
    from ge.passes._context import PassContext
    from ge.passes._match import MatchResult
    from ge.passes._pattern import Pattern

__all__ = ["DecomposePass", "FusionBasePass", "PatternFusionPass"]


def _refuse_run(cls: type, kind: str) -> None:
    if any("run" in vars(base) for base in cls.__mro__ if base is not FusionBasePass):
        raise TypeError(
            f"{cls.__qualname__} overrides run(); a {kind} is driven by its hooks. Derive from FusionBasePass for a "
            "pass over the whole graph"
        )


class FusionBasePass:
    """A pass over the whole graph: override `run`. One object is made for each execution."""

    def run(self, graph: Graph, context: PassContext) -> bool | None:
        """Edits the graph in place. It is called for the root graph and for every subgraph.

        Args:
            graph: A view of the graph; it and everything reached from it expire when the hook returns.
            context: Name, options and message of this run; expires too.

        Returns:
            ``None`` or ``True``. ``False`` fails the pass. Whether something changed is read from the graph itself.

        Raises:
            NotImplementedError: Not overridden.
        """
        raise NotImplementedError(f"{type(self).__qualname__} does not override run(graph, context)")


class PatternFusionPass(FusionBasePass):
    """Replaces every place of the graph that fits a pattern.

    Patterns are methods marked with `pattern`, or come from an own `patterns`. Both are inherited: a
    subclass keeps the patterns of its bases and may add to or override them method by method; a class that says both
    itself is refused, and what a class says itself beats the other kind in its bases.
    """

    def __init__(self, matcher_config: PatternMatcherConfig | None = None) -> None:
        """Keeps the matcher configuration.

        Raises:
            TypeError: It is neither a `PatternMatcherConfig` nor ``None``.
        """
        if matcher_config is not None and not isinstance(matcher_config, PatternMatcherConfig):
            raise TypeError(
                f"matcher_config must be PatternMatcherConfig or None, found {type(matcher_config).__name__}; "
                "build one with PatternMatcherConfigBuilder"
            )
        self._matcher_config = matcher_config

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _refuse_run(cls, "PatternFusionPass")
        own = [name for name, member in vars(cls).items() if is_pattern_method(member)]
        if own and "patterns" in vars(cls):
            raise TypeError(
                f"{cls.__qualname__} has both @pattern methods ({', '.join(own)}) and patterns(); use one of them"
            )
        if own and cls.patterns is not PatternFusionPass.patterns:
            cls.patterns = PatternFusionPass.patterns  # type: ignore[method-assign]
        hook_form(cls, "meet_requirements", "match_result")
        replacement_form(cls)

    @property
    def matcher_config(self) -> PatternMatcherConfig | None:
        """The configuration given to the constructor."""
        # A subclass that does not call super().__init__() has the default.
        return getattr(self, "_matcher_config", None)

    def patterns(self) -> Iterable[Pattern | Graph]:
        """Patterns in the order in which they are tried; here: one for each `pattern` method.

        Raises:
            NotImplementedError: There are no `pattern` methods and this is not overridden.
            TypeError: A `pattern` method returns something else than tensors or one pattern.
        """
        if not pattern_methods(type(self)):
            raise NotImplementedError(f"{type(self).__qualname__} has neither @pattern methods nor an own patterns()")
        # Loads the builder and the native library: a pass class can be defined without them.
        from ge.passes._expression_build import expression_patterns

        return expression_patterns(self)

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Accepts or refuses one match; may also be ``(self, match_result, context)``."""
        return True

    def replacement(self, match_result: MatchResult) -> Graph:
        """What to put in the place of one match; may also take a context, or be in expression style.

        Expression style is ``(self, inputs)``, ``(self, inputs, context)``, ``(self, inputs, match_result)`` or
        ``(self, inputs, match_result, context)``: it returns the tensors that stand for the pattern's outputs.

        Raises:
            NotImplementedError: Not overridden.
        """
        raise NotImplementedError(f"{type(self).__qualname__} does not override replacement()")


class DecomposePass(FusionBasePass):
    """Replaces single nodes of given types; registered with `register_decompose_pass`."""

    op_types: list[str] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _refuse_run(cls, "DecomposePass")
        hook_form(cls, "meet_requirements", "node")
        hook_form(cls, "replacement", "node")

    def meet_requirements(self, node: Node) -> bool:
        """Accepts or refuses one node; may also be ``(self, node, context)``."""
        return True

    def replacement(self, node: Node) -> Graph:
        """What to put in the place of one node; may also be ``(self, node, context)``.

        Raises:
            NotImplementedError: Not overridden.
        """
        raise NotImplementedError(f"{type(self).__qualname__} does not override replacement()")
