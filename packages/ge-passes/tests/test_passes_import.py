"""What importing the package costs and needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def python(code):
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0 and not found.stderr, found.stderr
    return found.stdout.split()


def test_importing_loads_neither_numpy_nor_a_library():
    code = (
        "import sys, ge.passes as p\n"
        "p.register_fusion_pass; p.PatternFusionPass; p.PassStage; p.pattern; p.PatternMatcherConfigBuilder\n"
        "names = ('numpy', 'onnx', 'ge.runtime', 'ge.passes._slots', 'ge.graph._base')\n"
        "print(*[name for name in names if name in sys.modules], 'end')"
    )
    assert python(code) == ["end"]


def test_registering_loads_no_library():
    code = (
        "import sys\nfrom ge.passes import FusionBasePass, PassStage, register_fusion_pass, clear_registered_passes\n"
        "register_fusion_pass(name='P', stage=PassStage.AFTER_INFER_SHAPE)(type('P', (FusionBasePass,), {}))\n"
        "clear_registered_passes()\n"
        "print('ge.passes._slots' in sys.modules)"
    )
    assert python(code) == ["False"]


def test_a_missing_library_is_named():
    code = (
        "import ge.passes._library as library\n"
        "library.LIBRARY_FILE = 'libnone.so'\n"
        "try:\n    library.api()\nexcept ImportError as error:\n    print(error)"
    )
    text = " ".join(python(code))
    assert "libnone.so was not found; looked at:" in text and "pip install --force-reinstall ge-passes" in text


@pytest.mark.parametrize("value", ["fast", "CTYPES"])
def test_unknown_bindings_are_refused(value, monkeypatch):
    from ge.passes import _route

    monkeypatch.setenv("GE_BINDING", value)
    with pytest.raises(ImportError, match=f"GE_BINDING is '{value}'; expected one of auto, ctypes, native"):
        _route.route.__wrapped__()


def test_without_the_runtime_passes_run_over_ctypes(monkeypatch):
    from ge.passes import _route

    monkeypatch.setattr(_route, "_runtime", lambda: (None, "ge.runtime is not installed"))
    monkeypatch.delenv("GE_BINDING", raising=False)
    assert _route.route.__wrapped__().name == "ctypes"
    monkeypatch.setenv("GE_BINDING", "native")
    with pytest.raises(ImportError, match=r"there is no bridge: ge\.runtime is not installed"):
        _route.route.__wrapped__()


@pytest.mark.parametrize("binding", ["auto", "ctypes"])
def test_a_process_may_end_with_everything_open(binding):
    """Executors, views and patterns that nobody closed do no harm when the interpreter ends."""
    code = f"""
import os, sys
os.environ["GE_BINDING"] = {binding!r}
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pass_graphs import chain
from ge.es.onnx import Relu, Tanh
from ge.passes import PassExecutor, PassStage, PatternFusionPass, pattern, register_fusion_pass
kept = []
@register_fusion_pass(name="Keep", stage=PassStage.BEFORE_INFER_SHAPE)
class Keep(PatternFusionPass):
    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])
    def meet_requirements(self, match, context):
        kept.append((self, match, context, match.get_matched_nodes()))
        return True
    def replacement(self, inputs):
        return Tanh(inputs[0])
    def __del__(self):
        print("object ended")
kept += [PassExecutor(), chain("Relu"), Keep().patterns()]
kept[0].run(kept[1], PassStage.BEFORE_INFER_SHAPE)
print("ran")
"""
    assert "ran" in python(code)
