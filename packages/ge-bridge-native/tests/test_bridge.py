"""The table of the bridge: joining, refusing, registering, resetting, ending; each in a process of its own."""

from __future__ import annotations

import sys

import pytest
from artifact import BRIDGE, NATIVE, preload_version, run_python

PRELUDE = f"""
import os, sys
from bridge_table import Bridge, BridgeError, getters
NATIVE = {NATIVE!r}
bridge = Bridge({BRIDGE!r})
def attempt(call, *arguments):
    try:
        return call(*arguments)
    except BridgeError as error:
        print(error)
def started():
    bridge.configure(NATIVE)
    bridge.start()
PASS = '''
from ge.passes import FusionBasePass, PassStage, register_fusion_pass
@register_fusion_pass(name=NAME, stage=PassStage.BEFORE_INFER_SHAPE)
class Plugin(FusionBasePass):
    def run(self, graph, context):
        graph.name = NAME
'''
def write(name, text=PASS):
    path = os.path.join(os.environ["FOLDER"], name + ".py")
    with open(path, "w") as file:
        file.write(f"NAME = {{name!r}}\\n" + text)
    os.environ["ASCEND_GE_PY_PASS_PATH"] = os.environ["FOLDER"]
    return path
def run(name):
    from ge.graph import Graph
    from ge.passes import PassStage
    from ge.passes._library import api
    graph, call = Graph("g"), api().call
    executor = call.executor_create()
    call.executor_run_pass(executor, call.pass_find(name), graph._handle)
    call.executor_release(executor)
    return graph.name
"""


@pytest.fixture
def bridge(tmp_path):
    def run(code, **arguments):
        env = {"FOLDER": str(tmp_path), "ASCEND_GE_PY_PASS_PATH": "", **arguments.pop("env", {})}
        return run_python(code, prelude=PRELUDE, env=env, **arguments)

    return run


def test_joining(bridge):
    code = """
    before = bridge.info()
    started()
    bridge.start()
    assert bridge.info() == before, (bridge.info(), before)
    print(before["initialized"], before["owned"], before["passes"])
    built, running = ((before[kind + "_major"], before[kind + "_minor"]) for kind in ("built", "running"))
    print(built == running == sys.version_info[:2])
    print(sys.modules["_ge_pass_native"].__file__ == NATIVE)
    """
    assert bridge(code).splitlines() == ["1 0 0", "True", "True"]


def test_another_minor_is_refused_before_anything_else(bridge, tmp_path):
    code = """
    attempt(started)
    print("_ge_pass_native" in sys.modules, bridge.info()["running_minor"])
    """
    lines = bridge(code, env=preload_version(tmp_path, "3.99.0 (test)")).splitlines()
    minor = sys.version_info[1]
    assert lines[0].startswith(f"ABI_MISMATCH: this bridge was built for CPython 3.{minor}")
    assert "the process runs CPython 3.99.0 (test)" in lines[0] and "pip install --force-reinstall" in lines[0]
    assert lines[1] == "False 99"


def test_order_of_calls(bridge):
    code = """
    attempt(bridge.start)
    attempt(bridge.register_passes, *getters())
    for path in ("", "relative/_ge_pass_native.so"):
        attempt(bridge.configure, path)
    bridge.reset()
    bridge.reset()
    print(repr(bridge.report()))
    started()
    attempt(bridge.register_passes, 0, getters()[1])
    attempt(bridge.register_passes, getters()[0], 0)
    attempt(bridge.register_passes, *getters(), 2)
    """
    lines = bridge(code).splitlines()
    assert lines[0] == "INVALID_STATE: start: configure was not called"
    assert lines[1] == "INVALID_STATE: the bridge was not started; call start first"
    assert all(line.startswith("INVALID_ARGUMENT: native_module_path must be the absolute path") for line in lines[2:4])
    assert lines[4] == "''"
    assert lines[5:7] == ["INVALID_ARGUMENT: ir_getter is null", "INVALID_ARGUMENT: passes_getter is null"]
    assert lines[7].startswith("INVALID_ARGUMENT: flags has bits 0x2")


EXTENSIONS = {
    "absent": (None, "cannot open shared object file"),
    "no library": (b"no library", "_ge_pass_native"),
    "empty": (b"", "_ge_pass_native"),
}


@pytest.mark.parametrize(("content", "text"), EXTENSIONS.values(), ids=EXTENSIONS.keys())
def test_an_extension_that_does_not_import(bridge, tmp_path, content, text):
    path = tmp_path / "_ge_pass_native.so"
    if content is not None:
        path.write_bytes(content)
    code = f"""
    bridge.configure({str(path)!r})
    attempt(bridge.start)
    print("_ge_pass_native" in sys.modules)
    started()
    print("_ge_pass_native" in sys.modules)
    """
    lines = bridge(code).splitlines()
    assert lines[0].startswith("CALLBACK_FAILED: import of the extension: ImportError: ") and text in lines[0]
    assert lines[-2:] == ["False", "True"]


def test_an_extension_that_is_there_from_elsewhere(bridge):
    code = """
    import types
    sys.modules["_ge_pass_native"] = types.SimpleNamespace(__file__="/elsewhere/_ge_pass_native.so")
    attempt(started)
    """
    text = bridge(code)
    assert text.startswith("REFUSED: _ge_pass_native is already loaded from /elsewhere/_ge_pass_native.so")


def test_registering(bridge):
    code = """
    started()
    write("one")
    print(bridge.register_passes(*getters()), bridge.info()["passes"], run("one"))
    print(bridge.register_passes(*getters()), bridge.info()["passes"], repr(bridge.report()))
    write("two")
    print(bridge.register_passes(*getters()), bridge.info()["passes"], run("two"), run("one"))
    attempt(bridge.configure, NATIVE)
    """
    lines = bridge(code).splitlines()
    assert lines[:3] == ["1 1 one", "0 1 ''", "1 2 two one"]
    assert lines[3] == "INVALID_STATE: 2 Python passes are registered; call reset first"


def test_a_broken_plugin_is_reported_and_strict_raises(bridge):
    code = """
    started()
    write("a")
    broken = write("b", "def broken(:\\n")
    write("c")
    print(bridge.register_passes(*getters()), run("a"), run("c"))
    report = bridge.report()
    print(broken in report and "SyntaxError" in report and "line 2" in report)
    attempt(bridge.register_passes, *getters(), 1)
    print(bridge.info()["passes"])
    """
    lines = bridge(code).splitlines()
    assert lines[:2] == ["2 a c", "True"]
    assert lines[2].startswith("CALLBACK_FAILED: ") and "PluginError" in lines[2]
    assert lines[-1] == "2"


def test_a_missing_path_does_not_stop_the_others(bridge):
    code = """
    started()
    path = write("one")
    os.environ["ASCEND_GE_PY_PASS_PATH"] = os.pathsep.join(["/nowhere/at/all.py", path])
    print(bridge.register_passes(*getters()), run("one"), "'/nowhere/at/all.py' does not exist" in bridge.report())
    """
    assert bridge(code).splitlines() == ["1 one True"]


def test_a_name_that_a_native_pass_has_rolls_everything_back(bridge):
    code = """
    from ge.passes import _abi
    from ge.passes._library import api
    started()
    def nothing(*arguments):
        return 0
    create, destroy = _abi.ge_passes_create_fn(nothing), _abi.ge_passes_destroy_fn(nothing)
    go = _abi.ge_passes_run_fn(nothing)
    text = _abi.bytes_pointer(b"taken")
    names = dict(name=text, name_size=5, descriptor_key=text, descriptor_key_size=5)
    desc = _abi.ge_passes_pass_desc(kind=1, stage=1, enabled=1, **names)
    native = api().call.pass_register(desc, _abi.ge_passes_callbacks(create=create, destroy=destroy, run=go))
    write("a")
    write("taken")
    attempt(bridge.register_passes, *getters())
    print(bridge.info()["passes"], api().call.pass_list() == [native])
    """
    lines = bridge(code).splitlines()
    assert lines[0].startswith("ALREADY_EXISTS: ") and "taken" in lines[0]
    assert lines[-1] == "0 True"


def test_reset_and_again(bridge):
    code = """
    import gc, weakref
    from ge.passes import get_registered_passes
    started()
    write("one")
    bridge.register_passes(*getters())
    module = weakref.ref(sys.modules[get_registered_passes()[0].module_name])
    run("one")
    bridge.reset()
    gc.collect()
    print(bridge.info()["passes"], get_registered_passes(), module())
    bridge.reset()
    print(bridge.register_passes(*getters()), run("one"))
    """
    assert bridge(code).splitlines() == ["0 [] None", "1 one"]


def test_reset_while_an_executor_holds_an_instance(bridge):
    code = """
    from ge.graph import Graph
    from ge.passes._library import api
    started()
    write("one")
    bridge.register_passes(*getters())
    call, graph = api().call, Graph("g")
    executor = call.executor_create()
    call.executor_run(executor, graph._handle, 1)
    attempt(bridge.reset)
    call.executor_run(executor, graph._handle, 1)
    call.executor_release(executor)
    bridge.reset()
    print(bridge.info()["passes"], graph.name)
    """
    lines = bridge(code).splitlines()
    assert lines[0].startswith("INVALID_STATE: Python passes are in use") and lines[-1] == "0 one"


def test_shutdown_of_a_joined_interpreter(bridge):
    code = """
    started()
    write("one")
    bridge.register_passes(*getters())
    bridge.shutdown()
    bridge.shutdown()
    bridge.reset()
    for call in (bridge.start, lambda: bridge.register_passes(*getters())):
        attempt(call)
    print(bridge.info()["initialized"], bridge.info()["passes"])
    """
    lines = bridge(code).splitlines()
    assert lines[0].startswith("SHUTDOWN: ") and lines[1].startswith("SHUTDOWN: ") and lines[2] == "1 0"


def test_shutdown_before_start(bridge):
    assert bridge("bridge.shutdown()\nbridge.shutdown()\nattempt(started)").startswith("SHUTDOWN: ")


def test_other_libraries_than_pythons_are_refused(bridge):
    code = """
    import shutil
    from ge.passes import _abi
    from ge.passes._library import api
    started()
    copy = shutil.copy(api().path, os.path.join(os.environ["FOLDER"], "libother.so"))
    other = _abi.load(copy)
    attempt(bridge.register_passes, getters()[0], other.getter_address())
    """
    text = bridge(code)
    assert text.startswith("CALLBACK_FAILED: ") and "other libraries" in text
