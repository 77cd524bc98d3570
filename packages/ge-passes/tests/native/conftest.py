"""Fixtures for tests of the native table."""

from __future__ import annotations

import gc
from typing import Iterator

import pytest
from passes_harness import Passes


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Passes]:
    """The tables. What the test still holds is released; no graph, node, tensor, blob or pass may be left then."""
    monkeypatch.setenv("GE_VERIFY", "1")
    gc.collect()
    harness = Passes()
    before = harness.live()
    yield harness
    harness.release_all()
    gc.collect()
    assert harness.live() == before, "the test left graphs, nodes, tensors, blobs or passes behind"
