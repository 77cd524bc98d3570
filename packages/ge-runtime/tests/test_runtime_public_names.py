"""The public names: one that comes or goes is a decision, made here too, and told in the changelog."""

from __future__ import annotations

import importlib
import inspect
import operator

import pytest

NAMES = {
    "ge.runtime": """
        ArtifactError CompileError CompiledModel PartInfo RunError Selection artifact_roots compile_model diagnose
        open_bridge register_python_passes select_artifacts
    """,
}

# Parameters in order; for a record these are its fields.
PARAMETERS = {
    "CompiledModel.profile": "self feed",
    "CompiledModel.run": "self feed",
    "CompiledModel.run_outputs": "self feed",
    "PartInfo": "name kind nodes",
    "artifact_roots": "",
    "compile_model": "graph threads",
    "diagnose": "",
    "open_bridge": "selection",
    "register_python_passes": "ir_getter passes_getter strict",
    "select_artifacts": "roots",
}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_public_names_are_those_that_were_agreed(module):
    found = importlib.import_module(module)
    assert sorted(found.__all__) == NAMES[module].split()
    assert [name for name in found.__all__ if getattr(found, name, None) is None] == []


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_parameters_keep_their_names_and_order(name):
    found = operator.attrgetter(name)(importlib.import_module("ge.runtime"))
    assert list(inspect.signature(found).parameters) == PARAMETERS[name].split()
