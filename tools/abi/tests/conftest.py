"""Fixtures of the tool's tests: the small table of ge_fx.toml, and compilers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _model import Common  # noqa: E402
from _workspace import Workspace, common_record, fixture_data  # noqa: E402


@pytest.fixture(scope="session")
def common() -> Common:
    """What every table shares."""
    return common_record()


@pytest.fixture(scope="session")
def fx(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The fixture table in its newest minor, generated."""
    return Workspace(tmp_path_factory.mktemp("fx"), fixture_data())


@pytest.fixture(scope="session")
def fx_old(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The fixture table as it was in minor 0."""
    return Workspace(tmp_path_factory.mktemp("fx_old"), fixture_data(minor=0))
