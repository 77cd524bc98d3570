"""The public names: one that comes or goes is a decision, made here too, and told in the changelog."""

from __future__ import annotations

import importlib
import inspect
import operator

import pytest

NAMES = {
    "ge.partition": """
        DynamicShapePartitioner NodeReason PartInfo PartitionError PartitionReport PartitionRules flatten
        part_graph_svg
    """,
}

# Parameters in order; for a record these are its fields.
PARAMETERS = {
    "DynamicShapePartitioner": "rules",
    "DynamicShapePartitioner.partition": "self graph",
    "NodeReason": "node rule text part",
    "PartInfo": "name kind nodes reason call graph",
    "PartitionReport.explain": "self node",
    "PartitionReport.reasons": "self",
    "PartitionReport.summary": "self",
    "PartitionReport.to_json": "self",
    "PartitionReport.to_table": "self",
    "PartitionRules": "preset static_model_ops_lower_limit absorption reference_variables constants",
    "flatten": "graph",
    "part_graph_svg": "report",
}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_public_names_are_those_that_were_agreed(module):
    found = importlib.import_module(module)
    assert sorted(found.__all__) == NAMES[module].split()
    assert [name for name in found.__all__ if getattr(found, name, None) is None] == []


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_parameters_keep_their_names_and_order(name):
    found = operator.attrgetter(name)(importlib.import_module("ge.partition"))
    assert list(inspect.signature(found).parameters) == PARAMETERS[name].split()
