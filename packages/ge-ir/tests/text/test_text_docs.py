"""The examples of docs/text_form.md are what they say."""

from __future__ import annotations

import re
from pathlib import Path

import text_support as ts
from test_text_errors import error_of

PAGE = Path(__file__).parents[4] / "docs" / "text_form.md"


def blocks():
    return re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_first_example_is_printed_like_that():
    example = blocks()[0]
    assert example.startswith("graph @mlp(")
    assert ts.printed(example) == example


def test_the_terse_example_is_read():
    example = blocks()[1]
    assert example.startswith("graph (")
    again = ts.printed(example)
    assert ts.printed(again) == again
    assert "%Const = float32[8](0.5, 0.5, 0.5" in again


def test_the_error_is_the_one_shown():
    assert error_of("graph {\n  %y = Relu(%x {alpha = 0.5}\n}", "model.txt") + "\n" == blocks()[2]


def test_every_element_type_is_named():
    named = re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8").split("Element types: ")[1].split("\n\n")[0])
    for name in ["float16", "float64", "int8", "int16", "int32", "int64", "uint16", "uint32", *named]:
        graph = ts.parse(f"graph {{ attr k = {name} }}")
        assert ts.call.attr_get(graph, 0, 0, "k").kind == ts.Kind.DTYPE
        ts.call.graph_release(graph)
    between = {"int16", "int32", "uint16", "uint32"}  # "int8 to int64"
    assert len({*named, *between}) == len(ts.Dtype)
