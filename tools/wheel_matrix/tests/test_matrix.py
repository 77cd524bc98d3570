"""Rows of the matrix that need no build."""

import json
import sys

import interpreters
import wheel_matrix


def test_the_running_interpreter_describes_itself():
    found = interpreters.ask(sys.executable)
    assert found is not None
    assert found.minor == "{}.{}".format(*sys.version_info[:2]) and found.tag.startswith("cp")


def test_what_is_no_interpreter_is_none(tmp_path):
    path = tmp_path / "python3.11"
    path.write_text("#!/bin/sh\necho hello\n")
    path.chmod(0o755)
    assert interpreters.ask(str(path)) is None
    assert interpreters.ask(str(tmp_path / "absent")) is None


def test_find_gives_one_interpreter_for_each_tag():
    tags = [item.tag for item in interpreters.find()]
    assert len(tags) == len(set(tags))


def test_an_interpreter_that_does_not_run_is_a_failed_row(tmp_path, capsys):
    status = wheel_matrix.main(
        ["build", "--python", str(tmp_path / "nope"), "--out", str(tmp_path), "--work", str(tmp_path), "--json"]
    )
    lines = capsys.readouterr().out.splitlines()
    result = json.loads(lines[-1])
    assert status == 1
    assert (result["built"], result["skipped"], result["failed"]) == (0, 0, 1)
    assert result["sets"][0]["reason"] == "does not run, or is no Python 3"
    assert any("does not run" in line for line in lines[:-1])


def test_source_key_is_the_same_for_an_environment_and_its_base():
    own = interpreters.ask(sys.executable)
    moved = interpreters.Interpreter(**{**own.to_json(), "executable": "/elsewhere/python"})
    other = interpreters.Interpreter(**{**own.to_json(), "version": "3.99.0"})
    assert wheel_matrix.source_key(own) == wheel_matrix.source_key(moved)
    assert wheel_matrix.source_key(own) != wheel_matrix.source_key(other)
