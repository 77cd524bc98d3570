"""The primitive layer of matches has one form in both bindings."""

from __future__ import annotations

import inspect
import re

from ge.graph import _base
from ge.passes._match import MatchResult
from ge.passes._match_ctypes import MatchBase


def parameters(function):
    """Parameter names without self or cls, of a Python function or one of nanobind."""
    native = getattr(function, "__nb_signature__", None)
    if native is None:
        names = list(inspect.signature(function).parameters)
    else:
        names = re.findall(
            r"(?:^|, )(\w+)(?::|=|(?=,|$))", re.match(r"def \w+\((.*)\)(?: ->|:|$)", native[0][0]).group(1)
        )
    return [name for name in names if name not in ("self", "cls")]


def test_matches_have_one_form():
    chosen = getattr(_base.module, "MatchBase", MatchBase)
    assert issubclass(MatchResult, chosen)
    for name in ("_make", "_expire", "_graph", "_nodes", "_captured", "_inputs", "_pattern_name"):
        assert parameters(getattr(chosen, name)) == parameters(getattr(MatchBase, name)), name


def test_matches_are_of_the_binding_of_the_graphs():
    assert (MatchResult.__mro__[1] is MatchBase) == (_base.BINDING == "ctypes")
