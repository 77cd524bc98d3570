"""Fixtures for tests of the native table."""

from __future__ import annotations

import gc
from typing import Iterator

import pytest
from ir_harness import Ir


@pytest.fixture
def ir() -> Iterator[Ir]:
    """The table. Roots and tensors that the test still holds are released; nothing may be left then."""
    gc.collect()
    harness = Ir()
    before = harness.live()
    yield harness
    harness.release_all()
    gc.collect()
    assert harness.live() == before, "the test left graphs, nodes, tensors or blobs behind"
