"""The development command: what it says without building anything."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dev(monkeypatch):
    loader = importlib.machinery.SourceFileLoader("ge_dev", str(ROOT / "dev"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ge_dev", loader))
    loader.exec_module(module)
    return module


def run_dev(*words, cwd=ROOT):
    return subprocess.run([sys.executable, str(ROOT / "dev"), *words], cwd=cwd, capture_output=True, text=True)


def test_help_names_every_command(tmp_path):
    done = run_dev("--help", cwd=tmp_path)
    assert done.returncode == 0
    for command in ("demo", "test", "build", "bench", "docs", "doctor", "shell", "abi", "lint"):
        assert f"\n    {command} " in done.stdout


def test_unknown_command_lists_the_known_ones():
    done = run_dev("frobnicate")
    assert done.returncode == 2
    assert "'frobnicate'" in done.stderr and "demo" in done.stderr


def test_unknown_argument_is_refused():
    done = run_dev("build", "--nope")
    assert done.returncode == 2
    assert "unknown arguments: --nope" in done.stderr


def test_doctor_json_names_every_interpreter_of_the_matrix():
    done = run_dev("doctor", "--json")
    findings = json.loads(done.stdout.splitlines()[-1])
    assert list(findings["interpreters"]) == ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
    assert done.returncode == (1 if findings["missing"] else 0)


def test_machine_without_compiler_and_headers_gets_one_error(dev, monkeypatch):
    monkeypatch.setattr(dev, "compiler", lambda: None)
    python = {"minor": "3.11", "version": "3.11.7", "executable": "/x/python", "headers": False, "venv": True}
    with pytest.raises(dev.DevError) as caught:
        dev.check_machine(python)
    text = str(caught.value)
    assert "Debian package: g++" in text and "Debian package: python3.11-dev" in text
    assert "way out: apt-get install g++ python3.11-dev" in text


def test_missing_interpreter_is_an_error_not_a_skip(dev, monkeypatch):
    monkeypatch.setattr(dev, "find_interpreter", lambda minor: None if minor == "3.10" else "/usr/bin/python")
    with pytest.raises(dev.DevError, match=r"the test matrix needs CPython 3\.10, which this machine does not have"):
        dev.ensure_interpreters(["3.9", "3.10"])


def test_default_environments_are_those_of_tox(dev):
    names = dev.all_environments()
    assert names[:6] == ["py39", "py310", "py311", "py312", "py313", "py314"]
    assert {"ctypes", "docs", "lint", "layers", "abi", "alone-ge-ir"} <= set(names)
    assert dev.wanted_minors(names) == ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]


def test_environments_tell_which_interpreters_they_need(dev):
    assert dev.wanted_minors(["lint"]) == []
    assert dev.wanted_minors(["floors"]) == ["3.9"]
    assert dev.wanted_minors(["py314", "py39"]) == ["3.9", "3.14"]


def make_package(dev, monkeypatch, tmp_path):
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    package = tmp_path / "packages" / "ge-ir"
    for folder in ("src", "tests", "__pycache__"):
        (package / folder).mkdir(parents=True)
    (package / "src" / "a.py").write_text("x = 1\n")
    return package


def test_package_hash_sees_sources_and_nothing_else(dev, monkeypatch, tmp_path):
    package = make_package(dev, monkeypatch, tmp_path)
    before = dev.package_hash("ge-ir")
    (package / "tests" / "test_a.py").write_text("pass\n")
    (package / "__pycache__" / "a.pyc").write_bytes(b"1")
    assert dev.package_hash("ge-ir") == before
    (package / "src" / "a.py").write_text("x = 2\n")
    assert dev.package_hash("ge-ir") != before


def test_package_hash_sees_a_renamed_file(dev, monkeypatch, tmp_path):
    package = make_package(dev, monkeypatch, tmp_path)
    before = dev.package_hash("ge-ir")
    (package / "src" / "a.py").rename(package / "src" / "b.py")
    assert dev.package_hash("ge-ir") != before


REPORT = '<testsuites><testsuite tests="7" failures="1" errors="1" skipped="2"/></testsuites>'


def test_reports_are_summed(dev, tmp_path):
    (tmp_path / "a.xml").write_text(REPORT)
    assert dev.count_report(tmp_path / "a.xml") == (3, 2, 2)


def test_a_report_cut_short_is_a_failure(dev, tmp_path):
    (tmp_path / "a.xml").write_text(REPORT[:40])
    assert dev.count_report(tmp_path / "a.xml") == (0, 1, 0)


def close(dev, monkeypatch, tmp_path, retcode, reports):
    monkeypatch.setattr(dev, "REPORTS", tmp_path)
    (tmp_path / "py39").mkdir()
    for name in reports:
        (tmp_path / "py39" / name).write_text(REPORT.replace("1", "0"))
    result = {"testenvs": {"py39": {"test": [{"retcode": retcode}]}}}
    return dev.close_run(["py39"], retcode, result)


@pytest.mark.parametrize(
    ("retcode", "reports", "line", "status"),
    [
        (0, ["a.xml", "b.xml"], "10 passed, 0 failed, 4 skipped", 0),
        (0, [], "1 passed, 0 failed, 0 skipped", 0),
        (3, ["a.xml"], "5 passed, 1 failed, 2 skipped", 3),
        (1, [], "0 passed, 1 failed, 0 skipped", 1),
    ],
    ids=["two reports", "environment without tests", "died after its tests", "died before"],
)
def test_closing_line(dev, monkeypatch, tmp_path, capsys, retcode, reports, line, status):
    assert close(dev, monkeypatch, tmp_path, retcode, reports) == status
    assert capsys.readouterr().out.splitlines()[-1] == line


def test_an_environment_that_never_ran_is_a_failure(dev, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(dev, "REPORTS", tmp_path)
    assert dev.close_run(["py39"], 0, {}) == 1
    assert capsys.readouterr().out == "0 passed, 1 failed, 0 skipped\n"
