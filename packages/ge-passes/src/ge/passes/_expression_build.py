"""Makes patterns and replacements from expressions over `PatternInputs`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ge.error import GeError
from ge.es import GraphBuilder, TensorHolder
from ge.graph import Graph
from ge.passes._expression import pattern_methods
from ge.passes._inputs import PatternInputs
from ge.passes._pattern import Pattern

__all__ = ["build_replacement", "expression_patterns"]


def expression_patterns(owner: Any) -> list[Pattern]:
    """One `Pattern` for each `pattern` method of the object's class."""
    made: list[Pattern] = []
    try:
        for name in pattern_methods(type(owner)):
            made.append(_expression_pattern(owner, name))
    except BaseException:
        for item in made:
            item._drop()
        raise
    return made


def _expression_pattern(owner: Any, name: str) -> Pattern:
    builder = GraphBuilder(f"{type(owner).__name__}_{name}_pattern")
    inputs = PatternInputs(builder)
    found = getattr(owner, name)(inputs)
    if isinstance(found, Pattern):
        return found
    where = f"@pattern {type(owner).__qualname__}.{name}"
    if isinstance(found, Graph):
        return _located(Pattern, found, owner, name)
    outputs = _tensors(found, where)
    _check_builder(outputs, builder, where)
    # Handles are taken before the graph moves: the holders expire with it.
    captures = [(holder.node._handle, holder.index) for holder in [*inputs.created(), *outputs]]
    made = _located(Pattern, builder.build_and_reset(outputs), owner, name)
    for handle, index in captures:
        made._capture(handle, index)
    return made


def _located(make: Callable[[Any], Pattern], graph: Any, owner: Any, name: str) -> Pattern:
    """The pattern of a graph; a refusal says where the pattern is written."""
    try:
        return make(graph)
    except GeError as error:
        code = inspect.unwrap(inspect.getattr_static(type(owner), name)).__code__
        where = f"{type(owner).__qualname__}.{name} ({code.co_filename}:{code.co_firstlineno})"
        raise GeError(f"pattern {where}: {error}", error.api_name, error.context) from error


def _tensors(found: Any, where: str) -> list[Any]:
    items = list(found) if isinstance(found, (list, tuple)) else [found]
    if not items:
        raise TypeError(f"{where} must return a TensorHolder or a non-empty list of them, found an empty list")
    for position, item in enumerate(items):
        if isinstance(item, TensorHolder):
            continue
        if isinstance(item, (Graph, Pattern)):
            raise TypeError(
                f"{where} returned a list with a {type(item).__name__}: an expression supports a single pattern only. "
                "Write one @pattern method for each, or use patterns()"
            )
        place = f" at position {position}" if isinstance(found, (list, tuple)) else ""
        raise TypeError(
            f"{where} must return a TensorHolder or a non-empty list of them, found {type(item).__name__}{place}"
        )
    return items


def _check_builder(outputs: list[Any], builder: Any, where: str) -> None:
    for holder in outputs:
        if holder.get_owner_builder() is not builder:
            raise TypeError(f"{where} returned a tensor that does not come from its inputs")


def build_replacement(owner: Any, call: Callable[[Any], Any], input_count: int, describe: Callable[[int], Any]) -> Any:
    """Graph of an expression-style replacement.

    All ``input_count`` inputs are made, whether the expression uses them or not: the replacement has to fit the
    pattern's inputs one by one.

    Raises:
        TypeError: It returned something else than tensors or a `Graph`.
    """
    builder = GraphBuilder(f"{type(owner).__name__}_replacement")
    inputs = PatternInputs(builder, describe)
    found = call(inputs)
    if isinstance(found, Graph):
        return found
    where = f"{type(owner).__qualname__}.replacement"
    if found is None:
        raise TypeError(
            f"{where} must return Graph or, from inputs, TensorHolder objects; found None (no return statement?)"
        )
    outputs = _tensors(found, where)
    _check_builder(outputs, builder, where)
    if input_count:
        inputs[input_count - 1]
    return builder.build_and_reset(outputs)
