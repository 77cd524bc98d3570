"""The public names: one that comes or goes is a decision, made here too, and told in the changelog."""

from __future__ import annotations

import importlib

import pytest

NAMES = {
    "ge.passes": """
        DecomposePass FuseCheckResult FusionBasePass MatchResult NodeIo PassContext PassDescriptor PassError
        PassExecutor PassReport PassStage PassStat Pattern PatternFusionPass PatternInputs PatternMatcherConfig
        PatternMatcherConfigBuilder PluginError SubgraphBoundary SubgraphInput SubgraphOutput SubgraphRewriter
        apply_pass can_fuse clear_registered_passes create_pattern create_replacement
        get_registered_pass_by_descriptor_key get_registered_pass_dicts get_registered_passes infer_shape
        load_pass_plugins load_passes pattern register_decompose_pass register_fusion_pass report_fuse run_passes
        unload_pass_plugins unregister_pass
    """,
    "ge.passes.bootstrap": """
        ENV_PY_PASS_PATH PluginFailure get_registered_passes load_pass_plugins load_passes unload_pass_plugins
    """,
}


@pytest.mark.parametrize("module", sorted(NAMES))
def test_public_names_are_those_that_were_agreed(module):
    found = importlib.import_module(module)
    assert sorted(found.__all__) == NAMES[module].split()
    assert [name for name in found.__all__ if getattr(found, name, None) is None] == []
