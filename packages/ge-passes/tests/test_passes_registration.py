"""Registration and what is checked when a pass class is defined."""

from __future__ import annotations

import ge.passes as passes
import pytest
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassStage,
    PatternFusionPass,
    clear_registered_passes,
    get_registered_pass_by_descriptor_key,
    get_registered_pass_dicts,
    get_registered_passes,
    register_decompose_pass,
    register_fusion_pass,
    unregister_pass,
)

STAGE = PassStage.BEFORE_INFER_SHAPE


def fusion(name="P", **kwargs):
    return register_fusion_pass(name=name, stage=STAGE, **kwargs)


def test_whole_graph_pass_is_described():
    @fusion("Whole")
    class Whole(FusionBasePass):
        pass

    (descriptor,) = get_registered_passes()
    assert descriptor.descriptor_key == f"{__name__}:Whole:Whole"
    assert (descriptor.stage, descriptor.kind, descriptor.cls) == (STAGE, "fusion_base", Whole)
    assert Whole.__ge_pass_descriptor__ is descriptor
    assert get_registered_pass_by_descriptor_key(descriptor.descriptor_key) is descriptor
    assert get_registered_pass_by_descriptor_key("nobody") is None


def test_kind_follows_from_the_base_class():
    fusion("Pattern")(type("Pattern", (PatternFusionPass,), {}))
    register_decompose_pass(name="Split", stage=STAGE, op_types=["Gemm"])(type("Split", (DecomposePass,), {}))
    assert [item.kind for item in get_registered_passes()] == ["pattern_fusion", "decompose"]


def test_dict_form():
    fusion("Whole")(type("Whole", (FusionBasePass,), {"__module__": "m"}))
    assert get_registered_pass_dicts() == [
        {
            "descriptor_key": "m:Whole:Whole",
            "pass_name": "Whole",
            "module_name": "m",
            "class_name": "Whole",
            "stage": "BeforeInferShape",
            "kind": "fusion_base",
            "op_types": [],
        }
    ]


def test_a_taken_name_is_refused_and_the_first_stays():
    first = fusion("P")(type("First", (FusionBasePass,), {}))
    with pytest.raises(ValueError, match=r"pass name 'P' of .*Second is already taken by .*First"):
        fusion("P")(type("Second", (FusionBasePass,), {}))
    assert [item.cls for item in get_registered_passes()] == [first]


@pytest.mark.parametrize("thing", [int, object(), lambda: None])
def test_only_passes_can_be_decorated(thing):
    with pytest.raises(TypeError, match="subclasses of FusionBasePass"):
        fusion()(thing)
    with pytest.raises(TypeError, match="subclasses of DecomposePass"):
        register_decompose_pass(name="P", stage=STAGE, op_types=["A"])(thing)


def test_decompose_class_with_the_fusion_decorator():
    with pytest.raises(TypeError, match="register_decompose_pass"):
        fusion()(type("D", (DecomposePass,), {}))


@pytest.mark.parametrize("base", [PatternFusionPass, DecomposePass])
def test_run_cannot_be_overridden_where_hooks_drive(base):
    with pytest.raises(TypeError, match=r"overrides run\(\)"):
        type("P", (base,), {"run": lambda self, graph, context: None})
    mixin = type("Mixin", (), {"run": lambda self, graph, context: None})
    with pytest.raises(TypeError, match=r"overrides run\(\)"):
        type("P", (mixin, base), {})


@pytest.mark.parametrize(
    ("op_types", "error", "text"),
    [
        ("Gemm", TypeError, "list of str, found str"),
        (3, TypeError, "list of str, found int"),
        ([], ValueError, "empty"),
        (["Gemm", 3], TypeError, r"op_types\[1\]"),
        ([""], TypeError, r"op_types\[0\] must be a non-empty str"),
    ],
)
def test_op_types_are_checked(op_types, error, text):
    with pytest.raises(error, match=text):
        register_decompose_pass(name="P", stage=STAGE, op_types=op_types)


def test_op_types_may_be_a_generator():
    @register_decompose_pass(name="P", stage=STAGE, op_types=(name for name in ("Gemm", "Conv")))
    class Decompose(DecomposePass):
        pass

    assert Decompose.op_types == ["Gemm", "Conv"]
    assert get_registered_pass_dicts()[0]["op_types"] == ["Gemm", "Conv"]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"name": 3, "stage": STAGE}, TypeError, "pass name must be str, found int"),
        ({"name": "", "stage": STAGE}, ValueError, "must not be empty"),
        ({"name": "P", "stage": 1}, TypeError, "stage must be a PassStage, found int"),
        ({"name": "P", "stage": "Never"}, ValueError, "unknown stage 'Never'; expected a PassStage: BeforeInferShape"),
    ],
)
def test_name_and_stage_are_checked(arguments, error, text):
    with pytest.raises(error, match=text):
        register_fusion_pass(**arguments)


def test_stage_may_be_its_text():
    register_fusion_pass(name="P", stage="AfterInferShape")(type("P", (FusionBasePass,), {}))
    assert get_registered_passes()[0].stage is PassStage.AFTER_INFER_SHAPE


def test_kind_must_fit():
    with pytest.raises(ValueError, match="kind 'decompose' does not fit P, which is a pass of kind 'pattern_fusion'"):
        fusion(kind="decompose")(type("P", (PatternFusionPass,), {}))


def test_clear_and_unregister():
    first, second = (fusion(name)(type(name, (FusionBasePass,), {})) for name in ("A", "B"))
    assert unregister_pass(first.__ge_pass_descriptor__.descriptor_key)
    assert not unregister_pass("nobody")
    assert [item.cls for item in get_registered_passes()] == [second]
    clear_registered_passes()
    assert get_registered_passes() == []
    fusion("B")(type("B", (FusionBasePass,), {}))


def test_public_names():
    assert sorted(passes.__all__) == passes.__all__
    assert all(getattr(passes, name) is not None for name in passes.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        passes.nothing  # noqa: B018


@pytest.mark.parametrize(
    "call",
    [lambda: passes.can_fuse([]), lambda: passes.report_fuse([], [], None), lambda: passes.infer_shape(None, None)],
)
def test_what_is_not_built_says_so(call):
    with pytest.raises(NotImplementedError, match="not implemented yet"):
        call()
