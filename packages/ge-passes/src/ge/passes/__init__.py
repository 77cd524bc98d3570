"""Passes over graphs: base classes, patterns, registration, execution.

Names are loaded on first use: importing this package loads neither numpy nor a native library.

The pass loop runs in ``libge_passes``; Python is called in the hooks alone. How it is called, by the bridge of an
artifact set or by ctypes callbacks, makes no difference but speed; ``GE_BINDING`` chooses (``auto``, ``ctypes``,
``native``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ge.passes._bases import DecomposePass, FusionBasePass, PatternFusionPass
    from ge.passes._context import PassContext
    from ge.passes._errors import PassError, PluginError
    from ge.passes._executor import PassExecutor, apply_pass, run_passes
    from ge.passes._expression import pattern
    from ge.passes._inputs import PatternInputs
    from ge.passes._later import FuseCheckResult, can_fuse, infer_shape, report_fuse
    from ge.passes._match import MatchResult
    from ge.passes._matcher_config import PatternMatcherConfig, PatternMatcherConfigBuilder
    from ge.passes._pattern import NodeIo, Pattern, create_pattern, create_replacement
    from ge.passes._registry import (
        PassDescriptor,
        clear_registered_passes,
        get_registered_pass_by_descriptor_key,
        get_registered_pass_dicts,
        get_registered_passes,
        register_decompose_pass,
        register_fusion_pass,
        unregister_pass,
    )
    from ge.passes._report import PassReport, PassStat
    from ge.passes._rewriter import SubgraphBoundary, SubgraphInput, SubgraphOutput, SubgraphRewriter
    from ge.passes._stage import PassStage
    from ge.passes.bootstrap import load_pass_plugins, load_passes, unload_pass_plugins

__all__ = [
    "DecomposePass",
    "FuseCheckResult",
    "FusionBasePass",
    "MatchResult",
    "NodeIo",
    "PassContext",
    "PassDescriptor",
    "PassError",
    "PassExecutor",
    "PassReport",
    "PassStage",
    "PassStat",
    "Pattern",
    "PatternFusionPass",
    "PatternInputs",
    "PatternMatcherConfig",
    "PatternMatcherConfigBuilder",
    "PluginError",
    "SubgraphBoundary",
    "SubgraphInput",
    "SubgraphOutput",
    "SubgraphRewriter",
    "apply_pass",
    "can_fuse",
    "clear_registered_passes",
    "create_pattern",
    "create_replacement",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "infer_shape",
    "load_pass_plugins",
    "load_passes",
    "pattern",
    "register_decompose_pass",
    "register_fusion_pass",
    "report_fuse",
    "run_passes",
    "unload_pass_plugins",
    "unregister_pass",
]

_HOMES = {
    "_bases": ("DecomposePass", "FusionBasePass", "PatternFusionPass"),
    "_context": ("PassContext",),
    "_errors": ("PassError", "PluginError"),
    "_executor": ("PassExecutor", "apply_pass", "run_passes"),
    "_expression": ("pattern",),
    "_inputs": ("PatternInputs",),
    "_later": ("FuseCheckResult", "can_fuse", "infer_shape", "report_fuse"),
    "_match": ("MatchResult",),
    "_matcher_config": ("PatternMatcherConfig", "PatternMatcherConfigBuilder"),
    "_pattern": ("NodeIo", "Pattern", "create_pattern", "create_replacement"),
    "_registry": (
        "PassDescriptor",
        "clear_registered_passes",
        "get_registered_pass_by_descriptor_key",
        "get_registered_pass_dicts",
        "get_registered_passes",
        "register_decompose_pass",
        "register_fusion_pass",
        "unregister_pass",
    ),
    "_report": ("PassReport", "PassStat"),
    "_rewriter": ("SubgraphBoundary", "SubgraphInput", "SubgraphOutput", "SubgraphRewriter"),
    "_stage": ("PassStage",),
    "bootstrap": ("load_pass_plugins", "load_passes", "unload_pass_plugins"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
