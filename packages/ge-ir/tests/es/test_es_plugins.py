"""Operator packages found through entry points."""

from __future__ import annotations

import sys
import types
import warnings

import ge.es
import pytest
from ge.es import _plugins


class Point:
    """An entry point."""

    def __init__(self, name, value):
        self.name, self.value, self._value = name, f"package:{name}", value

    def load(self):
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


@pytest.fixture
def plugins(monkeypatch):
    module = types.ModuleType("fake_module")
    monkeypatch.setitem(sys.modules, "fake_by_name", types.ModuleType("fake_by_name"))
    points = [
        Point("by_module", module),
        Point("by_name", "fake_by_name"),
        Point("by_call", lambda: module),
        Point("by_call_without_result", sys.modules[__name__].stand_for_this_module),
        Point("broken", ImportError("no libes_broken.so")),
        Point("missing", "no_such_module_at_all"),
        Point("strange", 7),
    ]
    monkeypatch.setattr(_plugins, "_entry_points", lambda: points)
    monkeypatch.setattr(_plugins, "_loaded", None)
    return module


def stand_for_this_module():
    """A callable that gives nothing."""


def test_every_kind_of_entry_point(plugins):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert ge.es.list_plugins() == ["by_call", "by_call_without_result", "by_module", "by_name"]
    texts = [str(item.message) for item in caught]
    assert len(texts) == 3 and all(item.category is RuntimeWarning for item in caught)
    assert (
        "plugin 'broken' (package:broken) of group ge.es.plugins is left out: ImportError: no libes_broken" in texts[0]
    )
    assert "no_such_module_at_all" in texts[1] and "found int" in texts[2]
    assert ge.es.by_module is ge.es.by_call is plugins is ge.es.get_plugin("by_module")
    assert ge.es.by_name.__name__ == "fake_by_name"
    assert ge.es.by_call_without_result is sys.modules[__name__]
    assert ge.es.get_plugin("broken") is None
    with pytest.raises(AttributeError, match="no attribute 'broken'"):
        ge.es.broken  # noqa: B018
    with pytest.raises(TypeError, match="plugin name must be str"):
        ge.es.get_plugin(1)


def test_plugins_of_this_environment_are_found():
    assert isinstance(list(_plugins._entry_points()), list)
    assert "onnx" not in ge.es.list_plugins()


def test_builder_names_do_not_ask_for_plugins(monkeypatch):
    monkeypatch.setattr(_plugins, "load_plugins", lambda: pytest.fail("plugins were loaded"))
    assert ge.es.GraphBuilder.__name__ == "GraphBuilder"
    from ge.es import graph_builder, tensor_like

    assert graph_builder.__name__ == "ge.es.graph_builder" and tensor_like.__name__ == "ge.es.tensor_like"
