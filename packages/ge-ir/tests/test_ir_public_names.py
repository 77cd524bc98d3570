"""The public names: one that comes or goes is a decision, made here too, and told in the changelog."""

from __future__ import annotations

import importlib

import pytest

NAMES = {
    "ge.graph": """
        AttrValueType DataType DumpFormat Format Graph InputType Node Placement Shape Tensor TensorDesc Transaction
    """,
    "ge.es": "GraphBuilder InputType TensorHolder attr_scope control_dependency_scope get_plugin list_plugins",
    "ge.onnx": "OnnxExportError OnnxImportError from_model_proto infer_shapes load_model save_model to_model_proto",
    "ge.error": "GeError",
}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_public_names_are_those_that_were_agreed(module):
    found = importlib.import_module(module)
    assert sorted(found.__all__) == NAMES[module].split()
    assert [name for name in found.__all__ if getattr(found, name, None) is None] == []
