"""<TABLE>_ABI_TARGET hides newer slots and refuses versions that the header does not know."""

from __future__ import annotations

import pytest
from _workspace import Workspace, compiles

BODY = '#include "ge_fx_stubs.h"\nint f(ge_fx_api* t);\nint f(ge_fx_api* t) {{ ge_fx_api_init(t); return {slot}; }}\n'


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize(
    ("target", "slot", "error"),
    [
        ("", "t->bind(0, 0)", ""),
        ("GE_ABI_VERSION(1, 1)", "t->bind(0, 0)", ""),
        ("GE_ABI_VERSION(1, 0)", "t->close(0, 0)", ""),
        ("GE_ABI_VERSION(1, 0)", "t->bind(0, 0)", "bind"),
        ("GE_ABI_VERSION(1, 2)", "t->close(0, 0)", "GE_FX_ABI_TARGET must be within 1.0 .. 1.1"),
        ("GE_ABI_VERSION(2, 0)", "t->close(0, 0)", "GE_FX_ABI_TARGET must be within 1.0 .. 1.1"),
        ("GE_ABI_VERSION(0, 9)", "t->close(0, 0)", "GE_FX_ABI_TARGET must be within 1.0 .. 1.1"),
    ],
)
def test_target(fx: Workspace, language: str, target: str, slot: str, error: str) -> None:
    define = f"#define GE_FX_ABI_TARGET {target}\n" if target else ""
    messages = compiles(fx.include, define + BODY.format(slot=slot), language)
    assert bool(messages) == bool(error) and error in messages


def test_a_producer_must_see_every_slot(fx: Workspace) -> None:
    text = '#define GE_FX_ABI_TARGET GE_ABI_VERSION(1, 0)\n#include "ge_fx_slots.h"\n'
    assert "the producer must see every slot" in compiles(fx.include, text, "c++")
