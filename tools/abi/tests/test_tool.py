"""generate, check and release, on a temporary repository; and check on this one."""

from __future__ import annotations

from pathlib import Path

import pytest
from _workspace import FX_TOML, Workspace, fixture_data
from abi import check, generate, main

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A generated repository with the fixture table."""
    Workspace(tmp_path, fixture_data())
    (tmp_path / "packages/ge-fx/abi/ge_fx.toml").write_text(FX_TOML.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def _definition(repository: Path) -> Path:
    return repository / "packages/ge-fx/abi/ge_fx.toml"


def _edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def _append(repository: Path, since: int) -> None:
    slot = f'\n[[slot]]\nname = "more"\nthread = "any"\nsince = {since}\nparams = []\n'
    path = _definition(repository)
    path.write_text(path.read_text(encoding="utf-8") + slot, encoding="utf-8")


def test_this_repository_is_up_to_date() -> None:
    assert check(REPOSITORY) == []


def test_generate_is_idempotent_and_deterministic(repository: Path) -> None:
    assert generate(repository) == ([], [])
    assert check(repository) == []


def test_consumers_get_copies_but_no_producer_header(repository: Path) -> None:
    own = {p.name for p in (repository / "packages/ge-fx/abi/include").iterdir()}
    user = {p.name for p in (repository / "packages/ge-fx-user/abi/include").iterdir()}
    assert own - user == {"ge_fx_slots.h"} and user < own


def test_an_edited_file_is_shown_as_a_diff(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = "packages/ge-fx/abi/include/ge_fx_api.h"
    _edit(repository / header, "(*close)(uint64_t graph", "(*close)(uint32_t graph")
    (repository / "packages/ge-fx/src/ge/fx/_abi.py").unlink()
    assert main(["check", "--root", str(repository)]) == 1
    out = capsys.readouterr().out
    assert (
        f"--- a/{header}" in out
        and "-  int32_t (*close)(uint32_t graph" in out
        and "+  int32_t (*close)(uint64_t graph" in out
    )
    assert "packages/ge-fx/src/ge/fx/_abi.py: missing; run: python tools/abi/abi.py generate" in out


def test_a_broken_definition_does_not_hide_the_others(repository: Path) -> None:
    other = repository / "packages/ge-broken/abi/ge_broken.toml"
    other.parent.mkdir(parents=True)
    other.write_text("[table]\n", encoding="utf-8")
    _append(repository, since=1)
    changed, findings = generate(repository)
    assert repository / "docs/abi/ge_fx.md" in changed
    assert len(findings) == 1 and "ge_broken.toml: table: [syntax] missing key 'name'" in findings[0]


def test_before_release_the_golden_layout_follows(repository: Path) -> None:
    _edit(_definition(repository), 'name = "close"', 'name = "shut"')
    changed, findings = generate(repository)
    assert findings == [] and repository / "packages/ge-fx/abi/golden/ge_fx-1.1.layout" in changed
    assert check(repository) == []


def test_after_release_only_growth_in_a_new_minor(repository: Path) -> None:
    golden = repository / "packages/ge-fx/abi/golden/ge_fx-1.1.layout"
    assert main(["release", "ge_fx", "--root", str(repository)]) == 0
    assert check(repository) == []
    released = golden.read_text(encoding="utf-8")
    _append(repository, since=1)
    _, findings = generate(repository)
    assert len(findings) == 1 and "raise minor to 2 and mark the additions since = 2" in findings[0]
    assert golden.read_text(encoding="utf-8") == released
    _edit(_definition(repository), "minor = 1\n", "minor = 2\n")
    _edit(
        _definition(repository), 'name = "more"\nthread = "any"\nsince = 1', 'name = "more"\nthread = "any"\nsince = 2'
    )
    assert generate(repository)[1] == [] and check(repository) == []
    assert golden.read_text(encoding="utf-8") == released
    assert (repository / "packages/ge-fx/tests/abi/1.2/consumer.c").is_file()


def test_after_release_a_change_is_refused(repository: Path) -> None:
    assert main(["release", "ge_fx", "--root", str(repository)]) == 0
    golden = repository / "packages/ge-fx/abi/golden/ge_fx-1.1.layout"
    released = golden.read_text(encoding="utf-8")
    _edit(_definition(repository), 'name = "close"', 'name = "shut"')
    assert main(["generate", "--root", str(repository)]) == 1
    assert golden.read_text(encoding="utf-8") == released
    assert any("the layout of a released minor changed" in f and "now:      slot shut" in f for f in check(repository))
    # Changing the golden file along with the definition does not help.
    golden.write_text(released.replace("slot close", "slot shut"), encoding="utf-8")
    assert any("sha256 is" in f and "restore the file" in f for f in check(repository))
    golden.unlink()
    assert any("missing, but ge_fx 1.1 is released" in f for f in check(repository))


def test_release_refuses(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "ge_no", "--root", str(repository)]) == 1
    assert "there is no table 'ge_no'; known: ge_fx" in capsys.readouterr().out
    assert main(["release", "ge_fx", "--root", str(repository)]) == 0
    assert main(["release", "ge_fx", "--root", str(repository)]) == 1
    assert "ge_fx 1.1 is already released" in capsys.readouterr().out
