"""What importing costs and pulls in, how the library is found, how the binding is chosen."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

HEAVY = ("numpy", "onnx", "onnxruntime", "google", "ml_dtypes")


def run(code, **environment):
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)


@pytest.mark.parametrize(
    "statement",
    [
        "import ge.graph",
        "from ge.graph import Graph; Graph('g').create_node('Relu').set_attr('k', [1, 2])",
        "from ge.graph import Tensor, DataType; Tensor([1, 2], data_type=DataType.DT_INT4).get_data()",
        "from ge.es import GraphBuilder as B; b = B(); b.build_and_reset([b.create_input(0) * 2 + [1.0]]).to_text()",
    ],
)
def test_nothing_heavy_is_imported(statement):
    done = run(f"{statement}\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_importing_loads_no_library():
    done = run("import ge.graph, ge.es, sys; print('ge.graph._base' in sys.modules, 'ctypes' in sys.modules)")
    assert done.stdout.split() == ["False", "False"], done.stderr


def best_time(code):
    times = []
    for _ in range(7):
        start = time.perf_counter()
        assert run(code).returncode == 0
        times.append(time.perf_counter() - start)
    return min(times)


def test_import_time():
    bare = best_time("pass")
    assert best_time("import ge.graph") - bare < 0.060


def test_a_missing_library_lists_the_places(tmp_path):
    code = (
        "import ge, ge.graph._library as library\n"
        "library.LIBRARY_FILE = 'libnone.so'\n"
        "try:\n    from ge.graph import Graph\n"
        "except ImportError as error: print(error)\n"
        "print(len(library.candidates()))\n"
    )
    done = run(code, PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(tmp_path)]))
    lines = done.stdout.splitlines()
    assert lines[0] == "libnone.so was not found; looked at:", done.stderr
    assert all(line.strip().endswith("graph/_lib/libnone.so") for line in lines[1:-2])
    assert len(lines[1:-2]) == int(lines[-1]) >= 1
    assert "pip install --force-reinstall ge-ir" in lines[-2]


def test_a_file_that_is_no_library_is_named(tmp_path):
    folder = tmp_path / "ge" / "graph" / "_lib"
    folder.mkdir(parents=True)
    (folder / "libnone.so").write_text("no library")
    code = (
        "import ge.graph._library as library\n"
        "library.LIBRARY_FILE = 'libnone.so'\n"
        "try:\n    from ge.graph import Node\n"
        "except ImportError as error: print(error)\n"
    )
    done = run(code, PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(tmp_path)]))
    assert f"{folder}/libnone.so exists but cannot be loaded" in done.stdout, done.stderr


def test_the_binding_can_be_chosen():
    code = "from ge.graph import _base, Graph; print(_base.BINDING, Graph('g').name)"
    assert run(code, GE_BINDING="ctypes").stdout.split() == ["ctypes", "g"]
    assert run(code, GE_BINDING="auto").stdout.split()[1:] == ["g"]
    wrong = run(code, GE_BINDING="cython")
    assert "ImportError: GE_BINDING is 'cython'; expected one of auto, ctypes, native" in wrong.stderr


ACCELERATOR = """
import sys, types
accelerator = types.ModuleType("ge.runtime.accelerator")
accelerator.load_native_base = lambda: {result}
accelerator.reason = lambda: "no set for cp311"
for name in ("ge.runtime", "ge.runtime.accelerator"):
    sys.modules[name] = accelerator
"""


def test_a_missing_native_binding():
    code = ACCELERATOR.format(result="None") + "from ge.graph import _base; print(_base.BINDING)"
    assert run(code, GE_BINDING="auto").stdout.strip() == "ctypes"
    done = run(code, GE_BINDING="native")
    assert "ImportError: GE_BINDING=native, but there is no native binding: no set for cp311" in done.stderr
    hidden = "import sys; sys.modules['ge.runtime'] = None\nfrom ge.graph import _base; print(_base.BINDING)"
    assert run(hidden, GE_BINDING="auto").stdout.strip() == "ctypes"
    assert "pip install 'ge-runtime'" in run(hidden, GE_BINDING="native").stderr


def test_the_native_binding_is_taken_where_there_is_one():
    code = ACCELERATOR.format(result="binding")
    code += (
        "import ge.graph._base_ctypes as real\n"
        "binding = types.ModuleType('native')\n"
        "vars(binding).update({name: getattr(real, name) for name in real.__all__}, BINDING='native')\n"
        "from ge.graph import _base; print(_base.BINDING)"
    )
    for choice in ("auto", "native"):
        done = run(code, GE_BINDING=choice)
        assert done.stdout.strip() == "native", done.stderr
