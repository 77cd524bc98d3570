"""The object of one pass for one execution, with its hooks in the form the executor calls.

Every view that a hook gets ends when the hook returns, however it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ge.graph import Graph, Node
from ge.passes._bases import DecomposePass, PatternFusionPass
from ge.passes._context import PassContext
from ge.passes._expression_build import build_replacement
from ge.passes._hooks import HookForm, hook_form, replacement_form
from ge.passes._match import MatchResult
from ge.passes._matcher_config import PatternMatcherConfig
from ge.passes._pattern import Pattern
from ge.passes._registry import PassDescriptor
from ge.passes._slots import buffers, fail, raw
from ge.passes._views import BorrowedGraph

__all__ = ["PassHolder"]

_make_match = MatchResult._make
_make_context = PassContext._make


class PassHolder:
    """One pass object and its hooks.

    Attributes:
        instance: The object of the user's class.
        meet: ``(subject handle, context handle) -> bool``.
        replace: ``(subject handle, context handle) -> graph handle``, given away.
    """

    __slots__ = ("_where", "descriptor", "instance", "meet", "replace")

    def __init__(self, descriptor: PassDescriptor) -> None:
        self.descriptor = descriptor
        self.instance: Any = descriptor.cls()
        self._where = descriptor.cls.__qualname__
        self.meet: Callable[[int, int], bool] = _no_hook
        self.replace: Callable[[int, int], int] = _no_hook
        if isinstance(self.instance, PatternFusionPass):
            self.meet = self._checked_meet(
                _on_match(self.instance, hook_form(descriptor.cls, "meet_requirements", "match_result"))
            )
            self.replace = self._given(self._replacement(replacement_form(descriptor.cls)))
        elif isinstance(self.instance, DecomposePass):
            meet_form = hook_form(descriptor.cls, "meet_requirements", "node")
            self.meet = self._checked_meet(_on_node(self.instance.meet_requirements, meet_form))
            self.replace = self._given(
                _on_node(self.instance.replacement, hook_form(descriptor.cls, "replacement", "node"))
            )

    # -- whole graph

    def run(self, graph_handle: int, context_handle: int) -> None:
        """Calls ``run``.

        Raises:
            TypeError: It returned something else than ``None`` or a bool.
            RuntimeError: It returned ``False``.
        """
        borrowed, context = BorrowedGraph(graph_handle), _make_context(context_handle)
        try:
            result = self.instance.run(borrowed.graph, context)
        finally:
            borrowed.expire()
            context._expire()
        if result is False:
            raise RuntimeError(f"{self._where}.run returned False: the pass says that it failed")
        if result is not None and result is not True:
            raise TypeError(
                f"{self._where}.run must return None or bool, found {type(result).__name__}: {result!r}. Whether "
                "something changed is read from the graph"
            )

    # -- patterns

    def patterns(self) -> list[int]:
        """Patterns of the pass as native handles, given away.

        Raises:
            TypeError: ``patterns`` returned something else than an iterable of `Pattern` and `Graph`, or the matcher
                configuration has the wrong type.
        """
        flags = self._flags()
        found = self.instance.patterns()
        if found is None:
            return []
        if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
            raise TypeError(
                f"{self._where}.patterns must return an iterable of Pattern or Graph, found {type(found).__name__}"
            )
        made: list[Pattern] = []
        try:
            for position, item in enumerate(found):
                made.append(self._as_pattern(item, position))
            for item in made:
                _set_flags(item, flags)
        except BaseException:
            for item in made:
                item._drop()
            raise
        return [item.release() for item in made]

    def _as_pattern(self, item: Any, position: int) -> Pattern:
        if isinstance(item, Pattern):
            return item
        if isinstance(item, Graph):
            return Pattern(item)
        raise TypeError(
            f"{self._where}.patterns: element {position} must be Pattern or Graph, found {type(item).__name__}"
        )

    def _flags(self) -> int:
        config = self.instance.matcher_config
        if config is not None and not isinstance(config, PatternMatcherConfig):
            raise TypeError(
                f"{self._where}.matcher_config must be PatternMatcherConfig or None, found {type(config).__name__}"
            )
        return 0 if config is None else config._flags

    # -- hooks

    def _checked_meet(self, call: Callable[[int, int], Any]) -> Callable[[int, int], bool]:
        where = self._where

        def meet(subject: int, context: int) -> bool:
            result = call(subject, context)
            return result if result is True or result is False else _truth(result, where)

        return meet

    def _given(self, call: Callable[[int, int], Any]) -> Callable[[int, int], int]:
        where = self._where

        def replace(subject: int, context: int) -> int:
            graph = call(subject, context)
            if not isinstance(graph, Graph):
                raise TypeError(f"{where}.replacement must return Graph, found {type(graph).__name__}: {graph!r}")
            graph._check_transferable()
            return graph._release()

        return replace

    def _replacement(self, form: HookForm) -> Callable[[int, int], Any]:
        hook, instance = self.instance.replacement, self.instance
        if not form.inputs:
            return _on_match_hook(hook, form)

        def call(match_handle: int, context_handle: int) -> Any:
            match, context = _make_match(match_handle), _make_context(context_handle)
            try:
                rest = [item for item, wanted in ((match, form.subject), (context, form.context)) if wanted]
                descs = match._input_descs()
                return build_replacement(instance, lambda inputs: hook(inputs, *rest), len(descs), _item_at(descs))
            finally:
                match._expire()
                context._expire()

        return call


def _no_hook(_subject: int, _context: int) -> Any:
    raise RuntimeError("this kind of pass has no such hook")


def _item_at(items: list[Any]) -> Callable[[int], Any]:
    return lambda index: items[index] if index < len(items) else None


def _truth(result: Any, where: str) -> bool:
    # numpy's bool is what comparing two array elements gives.
    if type(result).__module__ == "numpy" and type(result).__name__ in ("bool", "bool_"):
        return bool(result)
    hint = " (no return statement?)" if result is None else ""
    raise TypeError(f"{where}.meet_requirements must return bool, found {type(result).__name__}: {result!r}{hint}")


def _on_match(instance: Any, form: HookForm) -> Callable[[int, int], Any]:
    # The base's own filter accepts everything: no view need be made for it.
    if type(instance).meet_requirements is PatternFusionPass.meet_requirements:
        return lambda _match, _context: True
    return _on_match_hook(instance.meet_requirements, form)


def _on_match_hook(hook: Callable[..., Any], form: HookForm) -> Callable[[int, int], Any]:
    def plain(match_handle: int, _context: int) -> Any:
        match = _make_match(match_handle)
        try:
            return hook(match)
        finally:
            match._expire()

    def with_context(match_handle: int, context_handle: int) -> Any:
        match, context = _make_match(match_handle), _make_context(context_handle)
        try:
            return hook(match, context)
        finally:
            match._expire()
            context._expire()

    return with_context if form.context else plain


def _on_node(hook: Callable[..., Any], form: HookForm) -> Callable[[int, int], Any]:
    def call(node_handle: int, context_handle: int) -> Any:
        # A node is reached through a graph object; a passing one serves to ask for its graph.
        graph = Node._wrap(node_handle, Graph._wrap(node_handle, None)).graph
        borrowed, context = BorrowedGraph(graph._handle), _make_context(context_handle)
        try:
            node = Node._wrap(node_handle, borrowed.root)
            return hook(node, context) if form.context else hook(node)
        finally:
            borrowed.expire()
            context._expire()

    return call


def _set_flags(pattern: Pattern, flags: int) -> None:
    status = raw.pattern_set_flags(pattern._live(), flags, buffers.p_error)
    if status:
        fail(status, "pattern_set_flags")
