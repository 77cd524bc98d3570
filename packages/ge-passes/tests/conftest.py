"""Fixtures: an empty registry for each test, and both routes."""

from __future__ import annotations

import os

import pytest
from ge.passes import _executor, _plugins, _registry, _route
from ge.passes._route_ctypes import CtypesRoute


def _bridge_route():
    """The bridge of the installed artifact set, or None where there is none or it is switched off."""
    if os.environ.get("GE_BINDING") == "ctypes":
        return None
    runtime, _ = _route._runtime()
    if runtime is None:
        return None
    try:
        return _route.BridgeRoute(runtime, runtime.select_artifacts())
    except runtime.ArtifactError:
        return None


_ROUTES = {"ctypes": CtypesRoute()}
_found = _bridge_route()
if _found is not None:
    _ROUTES["bridge"] = _found


@pytest.fixture(params=sorted(_ROUTES))
def route(request, monkeypatch):
    """Each way in which native code can call Python passes."""
    chosen = _ROUTES[request.param]
    monkeypatch.setattr(_executor, "route", lambda: chosen)
    return chosen


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch):
    """No pass is registered before or after a test, and no plug-in is loaded."""
    monkeypatch.delenv("ASCEND_GE_PY_PASS_PATH", raising=False)
    _plugins.forget_all()
    _registry.clear_registered_passes()
    yield
    _plugins.forget_all()
    _registry.clear_registered_passes()
