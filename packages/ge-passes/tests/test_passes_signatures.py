"""Signatures of hooks, checked when the class is defined."""

from __future__ import annotations

import pytest
from ge.passes import DecomposePass, PatternFusionPass, pattern
from ge.passes._expression import pattern_methods
from ge.passes._hooks import HookForm, hook_form, replacement_form


def make(base, **members):
    return type("P", (base,), members)


@pytest.mark.parametrize(
    ("function", "form"),
    [
        (lambda self, m: None, HookForm(False, True, False)),
        (lambda self, m, c: None, HookForm(False, True, True)),
        (lambda self, m, c=None: None, HookForm(False, True, True)),
        (lambda self, m, *, extra=1: None, HookForm(False, True, False)),
        (staticmethod(lambda m: None), HookForm(False, True, False)),
        (classmethod(lambda cls, m, c: None), HookForm(False, True, True)),
    ],
)
@pytest.mark.parametrize("base", [PatternFusionPass, DecomposePass])
def test_permitted_filters(base, function, form):
    assert hook_form(make(base, meet_requirements=function), "meet_requirements", "x") == form


@pytest.mark.parametrize(
    "function",
    [
        lambda self: None,
        lambda self, a, b, c: None,
        lambda self, m, *, extra: None,
        lambda self, *args: None,
        3,
    ],
)
@pytest.mark.parametrize("base", [PatternFusionPass, DecomposePass])
def test_refused_filters(base, function):
    with pytest.raises(TypeError, match=r"P\.meet_requirements"):
        make(base, meet_requirements=function)
    with pytest.raises(TypeError, match=r"P\.replacement"):
        make(base, replacement=function)


@pytest.mark.parametrize(
    ("function", "form"),
    [
        (lambda self, match_result: None, HookForm(False, True, False)),
        (lambda self, match_result, context: None, HookForm(False, True, True)),
        (lambda self, inputs: None, HookForm(True, False, False)),
        (lambda self, inputs, context: None, HookForm(True, False, True)),
        (lambda self, inputs, m: None, HookForm(True, True, False)),
        (lambda self, inputs, m, context: None, HookForm(True, True, True)),
    ],
)
def test_forms_of_replacement(function, form):
    assert replacement_form(make(PatternFusionPass, replacement=function)) == form


def test_fourth_argument_must_be_the_context():
    with pytest.raises(TypeError, match=r"four arguments .* found 'other' last"):
        make(PatternFusionPass, replacement=lambda self, inputs, m, other: None)
    with pytest.raises(TypeError, match="at most"):
        make(PatternFusionPass, replacement=lambda self, inputs, m, context, more: None)


def test_pattern_methods_take_inputs_alone():
    for function in (lambda self: None, lambda self, inputs, more: None, lambda self, *inputs: None):
        with pytest.raises(TypeError, match=r"must take \(self, inputs\)|name its parameters"):
            pattern(function)
    with pytest.raises(TypeError):
        pattern(staticmethod(lambda inputs: None))


def test_pattern_gives_the_method_back():
    def method(self, inputs):
        return None

    assert pattern(method) is method


def test_patterns_and_pattern_methods_do_not_mix_in_one_class():
    with pytest.raises(TypeError, match=r"both @pattern methods \(one\) and patterns\(\)"):
        make(PatternFusionPass, one=pattern(lambda self, inputs: None), patterns=lambda self: [])


class Base(PatternFusionPass):
    @pattern
    def first(self, inputs):
        return 1

    @pattern
    def second(self, inputs):
        return 2


def test_pattern_methods_are_inherited():
    class Derived(Base):
        @pattern
        def third(self, inputs):
            return 3

        @pattern
        def first(self, inputs):
            return 11

    assert pattern_methods(Derived) == ["first", "second", "third"]
    assert pattern_methods(Base) == ["first", "second"]


def test_an_inherited_pattern_method_can_be_dropped():
    class Derived(Base):
        second = None

    assert pattern_methods(Derived) == ["first"]


def test_what_a_class_says_itself_beats_its_base():
    class Explicit(Base):
        def patterns(self):
            return ["own"]

    class Again(Explicit):
        @pattern
        def third(self, inputs):
            return 3

    assert Explicit().patterns() == ["own"]
    assert Again.patterns is PatternFusionPass.patterns


def test_hooks_of_a_mixin_are_checked_too():
    mixin = type("Mixin", (), {"meet_requirements": lambda self: True})
    with pytest.raises(TypeError, match="meet_requirements"):
        type("P", (mixin, PatternFusionPass), {})
    good = type("Mixin", (), {"meet_requirements": lambda self, match, context: True})
    assert hook_form(type("P", (good, PatternFusionPass), {}), "meet_requirements", "x").context


def test_matcher_config_is_checked_in_the_constructor():
    with pytest.raises(TypeError, match="matcher_config must be PatternMatcherConfig or None, found str"):
        PatternFusionPass("strict")
    assert PatternFusionPass().matcher_config is None


def test_hooks_that_must_be_overridden():
    with pytest.raises(NotImplementedError, match="neither @pattern methods"):
        PatternFusionPass().patterns()
    with pytest.raises(NotImplementedError, match="replacement"):
        PatternFusionPass().replacement(None)
    with pytest.raises(NotImplementedError, match="replacement"):
        DecomposePass().replacement(None)
    assert PatternFusionPass().meet_requirements(None) is True and DecomposePass().meet_requirements(None) is True
