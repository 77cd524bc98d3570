"""A native host that has no Python: it starts the interpreter through the bridge, runs passes, and ends it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from artifact import BRIDGE, NATIVE

HERE = Path(__file__).parent
HEADERS = HERE.parent / "abi" / "include"
PASS = """
import json, ssl, threading, numpy
from ge.es.onnx import Relu, Tanh
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="ReluToTanh", stage=PassStage.BEFORE_INFER_SHAPE)
class ReluToTanh(FusionBasePass):
    def run(self, graph, context):
        for node in graph.get_direct_nodes():
            if node.type == "Relu":
                node.set_op("Tanh")
"""


def libpython():
    """The shared library of this interpreter, or None if it is built without one."""
    for folder in (sysconfig.get_config_var("LIBDIR"), os.path.join(sys.base_prefix, "lib")):
        path = os.path.join(folder or "", sysconfig.get_config_var("INSTSONAME") or "none")
        if ".so" in path and os.path.isfile(path):
            return path
    return None


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    program = tmp_path_factory.mktemp("host") / "host"
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-DNDEBUG", f"-I{HEADERS}", "-o", str(program)]
    subprocess.run([*command, str(HERE / "host" / "host.cc"), "-ldl", "-pthread"], check=True)
    return program


@pytest.mark.skipif(libpython() is None, reason="this CPython has no shared library, which a native host needs")
@pytest.mark.parametrize("binding", ["native", "ctypes"])
def test_a_native_host(host, tmp_path, binding):
    from ge.graph._library import find_library
    from ge.passes._library import api

    (tmp_path / "passes").mkdir()
    (tmp_path / "passes" / "relu.py").write_text(PASS)
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "ASCEND_GE_PY_PASS_PATH": str(tmp_path / "passes"),
        "GE_BINDING": binding,
    }
    command = [str(host), libpython(), BRIDGE, NATIVE, sys.executable, find_library(), api().path]
    found = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, f"status {found.returncode}\n{found.stdout}\n{found.stderr}"
    lines = found.stdout.splitlines()
    refused = "status 20: no interpreter runs in this process and no python_executable was configured to start"
    assert lines[0:2] == ["before Python: Relu", f"start without an executable: {refused}"]
    assert lines[2:6] == [
        "started: initialized 1 owned 1 same 1",
        "registered: 1",
        "main thread: Tanh",
        "other threads: Tanh Tanh Tanh Tanh",
    ]
    assert lines[6:10] == ["after reset: Relu, 0 passes", "registered again: 1: Tanh", "shutdown: ok", "shutdown: ok"]
    assert lines[10].startswith("start: status 18: ")
    assert lines[11:] == ["after Python: Relu, initialized 0"]
