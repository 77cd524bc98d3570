"""Real models for tests: the light ones of the onnx package, and those of pinned packages kept in a user cache."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools" / "models"
sys.path.insert(0, str(TOOLS))

import model_store  # noqa: E402 - lies outside the packages

ANONYMOUS = model_store.Model("", "", "", "", "", "", 0)


def light_models() -> list[Any]:
    """Paths of the small real topologies inside the onnx package, as pytest parameters."""
    onnx = pytest.importorskip("onnx", reason="ge.onnx needs the extra 'onnx'")
    folder = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    return [pytest.param(path, ANONYMOUS, id=path.stem) for path in sorted(folder.glob("*.onnx"))]


def cached_models() -> list[Any]:
    """The catalogue of real models as pytest parameters.

    A model that is not in the cache is skipped, since a plain test run must not need the network; with
    GE_REQUIRE_MODELS=1 (as in the models environment, which fetches them first) it fails instead.
    """
    required = os.environ.get("GE_REQUIRE_MODELS") == "1"
    missing = pytest.mark.skip(reason="not in the model cache; fetch it with: python tools/models/model_store.py fetch")
    return [
        pytest.param(model.cached, model, id=name, marks=[] if required or model.cached.is_file() else [missing])
        for name, model in model_store.catalogue().items()
    ]


def plain_session(model: bytes | str) -> Any:
    """An ONNX Runtime session without graph optimisation: the oracle."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def oracle(path: pathlib.Path) -> Any:
    """A plain session of a file, to compare with.

    Old releases of ONNX Runtime refuse some of the files; there is then nothing to compare with, and the test is
    skipped. Where GE_REQUIRE_MODELS=1 pins a release that takes them all, a refusal is a failure.
    """
    import onnxruntime

    try:
        return plain_session(str(path))
    except Exception as error:
        if os.environ.get("GE_REQUIRE_MODELS") == "1":
            raise
        pytest.skip(f"ONNX Runtime {onnxruntime.__version__} itself refuses {path.name}: {str(error)[:120]}")


def assert_same(found: Any, expected: Any, rtol: float = 0.0) -> None:
    """Equal types, shapes and values; with rtol, values within it of the largest magnitude."""
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_same(one, other, rtol)
        return
    if isinstance(expected, dict):
        assert found == expected
        return
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if rtol == 0.0 or expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected)
    else:
        finite = np.abs(expected[np.isfinite(expected)])
        scale = float(np.max(finite, initial=0.0))
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)
