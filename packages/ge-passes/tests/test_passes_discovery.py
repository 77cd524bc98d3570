"""Finding and loading plug-ins: the environment variable, folders, entry points, broken ones."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
from ge.passes import PluginError, bootstrap, load_pass_plugins, load_passes, unload_pass_plugins
from ge.passes import get_registered_passes as descriptors
from ge.passes._plugin_files import module_name

GOOD = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name={name!r}, stage=PassStage.BEFORE_INFER_SHAPE)
class Plugin(FusionBasePass):
    def run(self, graph, context):
        pass
"""
ENV = bootstrap.ENV_PY_PASS_PATH


@pytest.fixture(autouse=True)
def no_users():
    yield
    while bootstrap._users:
        unload_pass_plugins()


@pytest.fixture
def write(tmp_path):
    def make(path, name=None, text=None):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(GOOD.format(name=name) if text is None else text))
        return target

    return make


def names():
    return [item.pass_name for item in descriptors()]


def test_nothing_is_named(monkeypatch):
    assert load_pass_plugins() == []
    monkeypatch.setenv(ENV, os.pathsep)
    assert load_pass_plugins() == [] and names() == []


def test_a_file(monkeypatch, write):
    path = write("one.py", "One")
    monkeypatch.setenv(ENV, str(path))
    (module,) = load_pass_plugins()
    assert names() == ["One"] and module.__file__ == str(path)
    assert bootstrap.get_registered_passes()[0]["pass_name"] == "One"


def test_a_folder_is_sorted_with_packages_and_without_private_ones(monkeypatch, write, tmp_path):
    write("b.py", "B")
    write("a.py", "A")
    write("_private.py", "Private")
    for test in ("test_a.py", "a_test.py", "conftest.py"):
        write(test, text="raise AssertionError('a test is no plug-in')")
    write(".hidden.py", "Hidden")
    write("notes.txt", text="no Python")
    write("no_package/inner.py", "Inner")
    write("c_package/helper.py", text="NAME = 'C'")
    write("c_package/__init__.py", text="from .helper import NAME\n" + GOOD.format(name="_").replace("'_'", "NAME"))
    monkeypatch.setenv(ENV, str(tmp_path))
    load_pass_plugins()
    assert names() == ["A", "B", "C"]


def test_several_paths_keep_their_order(monkeypatch, write):
    paths = [str(write("z.py", "Z")), str(write("a.py", "A"))]
    monkeypatch.setenv(ENV, os.pathsep.join(paths))
    load_pass_plugins()
    assert names() == ["Z", "A"]


def test_two_packages_of_one_name(write, tmp_path):
    for folder, name in (("first", "A"), ("second", "B")):
        write(f"{folder}/same/__init__.py", name)
    load_passes([tmp_path / "first", tmp_path / "second"])
    assert names() == ["A", "B"]


def test_loading_twice_imports_once_also_through_a_link(write, tmp_path):
    path = write("one.py", "One")
    link = tmp_path / "other.py"
    link.symlink_to(path)
    (first,) = load_passes(path)
    assert load_passes([str(path), link]) == [first, first]
    assert names() == ["One"]


def test_module_names_are_the_same_in_every_process(write):
    path = write("my-pass.py", "One")
    (module,) = load_passes(path)
    assert module.__name__ == module_name(str(path)) and module.__name__.startswith("_ge_py_pass_my_pass_")
    code = f"from ge.passes._plugin_files import module_name; print(module_name({str(path)!r}))"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == module.__name__


@pytest.mark.parametrize(("name", "error"), [("absent.py", FileNotFoundError), ("pass.txt", ValueError)])
def test_an_entry_that_means_nothing(monkeypatch, write, tmp_path, name, error):
    write("pass.txt", text="")
    good = write("good.py", "Good")
    monkeypatch.setenv(ENV, os.pathsep.join([str(tmp_path / name), str(good)]))
    with pytest.raises(error, match=name):
        load_pass_plugins()
    assert names() == ["Good"]
    with pytest.raises(PluginError, match=name):
        load_passes(tmp_path / name)


BROKEN = {
    "syntax": ("def broken(:\n    pass\n", "SyntaxError"),
    "raises": ("def f():\n    raise LookupError('no such table')\nf()\n", "LookupError: no such table"),
    "import": ("import a_module_that_is_not_there\n", "ModuleNotFoundError"),
    "value": ("value = 'it has' ' several'\nraise ValueError(value)\n", "ValueError: it has several"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_reported_and_the_others_load(monkeypatch, write, tmp_path, caplog, text, message):
    write("a.py", "A")
    broken = write("b.py", text=text)
    write("c.py", "C")
    monkeypatch.setenv(ENV, str(tmp_path))
    modules = load_pass_plugins()
    assert names() == ["A", "C"] and len(modules) == 2
    assert module_name(str(broken)) not in sys.modules
    (record,) = [item for item in caplog.records if item.name == "ge.passes"]
    logged = record.getMessage()
    assert str(broken) in logged and message in logged and f'File "{broken}", line' in logged
    assert "_plugin_files.py" not in logged and "importlib" not in logged


def test_strict_raises_after_the_rest_was_loaded(monkeypatch, write, tmp_path):
    write("a.py", "A")
    broken = write("b.py", text="1 / 0")
    write("c.py", "C")
    monkeypatch.setenv(ENV, str(tmp_path))
    with pytest.raises(PluginError, match="ZeroDivisionError") as caught:
        load_pass_plugins(strict=True)
    assert names() == ["A", "C"]
    (failure,) = caught.value.failures
    assert failure.origin == str(broken) and isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_file_that_fails_late_leaves_no_pass_behind(write):
    path = write("late.py", text=GOOD.format(name="Late") + "\nraise RuntimeError('late')\n")
    assert load_passes(path, strict=False) == []
    assert names() == []
    path.write_text(GOOD.format(name="Late"))
    load_passes(path)
    assert names() == ["Late"]


def test_a_taken_name_breaks_only_the_second_file(write, caplog):
    first, second = write("a.py", "Same"), write("b.py", "Same")
    assert len(load_passes([first, second], strict=False)) == 1
    assert names() == ["Same"] and "'Same'" in caplog.text and str(second) in caplog.text


def test_unload_counts(monkeypatch, write):
    path = write("one.py", "One")
    monkeypatch.setenv(ENV, str(path))
    load_pass_plugins()
    load_pass_plugins()
    unload_pass_plugins()
    assert names() == ["One"]
    unload_pass_plugins()
    assert names() == [] and module_name(str(path)) not in sys.modules
    unload_pass_plugins()
    load_pass_plugins()
    assert names() == ["One"]


class EntryPoint:
    """Enough of importlib.metadata's class."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def load(self):
        return __import__(self.value)


@pytest.fixture
def entry_points(monkeypatch, tmp_path):
    from ge.passes import _plugins

    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    monkeypatch.setattr(_plugins, "_entry_points", lambda: found)
    yield found
    _plugins.forget_all()
    for item in found:
        sys.modules.pop(item.value, None)


def test_entry_points(write, entry_points, caplog):
    write("ge_test_plugin.py", "FromEntryPoint")
    write("ge_test_broken.py", text="1 / 0")
    entry_points += [EntryPoint("broken", "ge_test_broken"), EntryPoint("good", "ge_test_plugin")]
    modules = load_pass_plugins()
    assert names() == ["FromEntryPoint"] and [module.__name__ for module in modules] == ["ge_test_plugin"]
    assert "entry point broken = ge_test_broken" in caplog.text and "ZeroDivisionError" in caplog.text
    unload_pass_plugins()
    assert names() == [] and "ge_test_plugin" in sys.modules
    load_pass_plugins()
    assert names() == ["FromEntryPoint"]


def test_entry_points_of_installed_distributions(monkeypatch, tmp_path):
    from ge.passes import _plugins

    info = tmp_path / "ge_test_dist-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ge-test-dist\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{_plugins.ENTRY_POINT_GROUP}]\nmine = some_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [(item.name, item.value) for item in _plugins._entry_points() if item.name == "mine"] == [
        ("mine", "some_module")
    ]
