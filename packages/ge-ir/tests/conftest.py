"""Fixtures of all tests of this package."""

from __future__ import annotations

import gc

import pytest


def live_objects() -> dict[str, int]:
    """Live native objects of the process, without symbols, which are never given back."""
    from ge.graph import _base

    stats = _base.module.library_stats()
    return {name: count for name, count in stats.items() if name != "symbols"}


@pytest.fixture
def no_leak():
    """Fails if the test leaves native objects behind, or needs the cycle collector to get rid of them."""
    gc.collect()
    before = live_objects()
    gc.disable()
    try:
        yield
        assert live_objects() == before
    finally:
        gc.enable()
