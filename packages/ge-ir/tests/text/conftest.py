from __future__ import annotations

import gc

import pytest
import text_support


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """Every test of the text form gives back all that it made; so must the parser and the printer."""
    gc.collect()
    before = text_support.live()
    yield
    gc.collect()
    assert text_support.live() == before


@pytest.fixture
def graph():
    """An empty graph named g."""
    handle = text_support.call.graph_create("g")
    yield handle
    text_support.call.graph_release(handle)
