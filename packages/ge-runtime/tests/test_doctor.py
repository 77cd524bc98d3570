"""``python -m ge.runtime doctor``: text, JSON, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

from ge.runtime.doctor import diagnose, render


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ge.runtime", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_json_names_interpreter_packages_libraries_and_candidates() -> None:
    done = run("doctor", "--json")
    report = json.loads(done.stdout)
    assert report["python"]["executable"] == sys.executable
    assert set(report["libraries"]) == {"ge-ir", "ge-partition", "ge-passes", "ge-runtime"}
    assert report["libraries"]["ge-runtime"]["loads"] is True
    healthy = report["artifacts"].get("usable") and all(item["loads"] for item in report["libraries"].values())
    assert done.returncode == (0 if healthy else 1)


def test_text_has_a_line_for_each_finding() -> None:
    text = render(diagnose())
    for word in ("python", "numpy", "ge-runtime native", "binding", "artifact set"):
        assert word in text


def test_a_library_that_is_missing_is_said_and_not_raised() -> None:
    report = diagnose()
    report["libraries"]["ge-ir"] = {"loads": False, "reason": "not installed"}
    assert "does not load: not installed" in render(report)


def test_an_unknown_command_is_a_usage_error() -> None:
    done = run("cure")
    assert done.returncode == 2
    assert "invalid choice: 'cure'" in done.stderr
