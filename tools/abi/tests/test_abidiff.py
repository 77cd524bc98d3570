"""The second opinion: abidiff over two builds finds breaks, and lets growth pass."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from _abidiff import BUILD_FLAGS, AbidiffError, breaks, report
from _mutate import LAYOUT, appended, mutated
from _workspace import Workspace, fixture_data

if os.environ.get("CI") != "true" and shutil.which("abidiff") is None:
    pytest.skip("abidiff is missing; it comes with the Debian package abigail-tools", allow_module_level=True)

# abidiff calls a renamed member harmless and does not look at const: the golden layout and the assertions find them.
SEEN = [name for name in LAYOUT if name not in ("rename", "const")]


def build(folder: Path, data: dict[str, Any]) -> Path:
    return Workspace(folder, data).producer(*BUILD_FLAGS)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("old"), fixture_data())


@pytest.mark.parametrize("edit", SEEN)
def test_a_break_is_found(edit: str, original: Path, tmp_path: Path) -> None:
    changed = build(tmp_path, mutated(fixture_data(), LAYOUT[edit]))
    text = report(original, changed)
    found = [line for name in ("ge_fx_api", "ge_fx_point") for line in breaks(text, name)]
    assert found, text


def test_growth_at_the_end_passes(original: Path, tmp_path: Path) -> None:
    text = report(original, build(tmp_path, appended(copy.deepcopy(fixture_data()))))
    assert "added" in text
    assert breaks(text, "ge_fx_api") == []
    assert breaks(text, "ge_fx_point") == []


def test_equal_builds_have_nothing_to_say(original: Path, tmp_path: Path) -> None:
    assert breaks(report(original, build(tmp_path, fixture_data())), "ge_fx_api") == []


def test_a_stripped_file_is_refused(original: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-o", str(stripped), str(original)], check=True)
    with pytest.raises(AbidiffError, match=r"stripped.so has no debug information; build it with -g"):
        report(original, stripped)
