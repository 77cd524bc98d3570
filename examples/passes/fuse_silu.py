"""Replaces ``Mul(x, Sigmoid(x))`` with ``com.microsoft::QuickGelu(x, alpha=1.0)``.

QuickGelu computes ``x * sigmoid(alpha * x)``; ONNX Runtime has it on the CPU. Exceptions:

1. ``x`` is not known to be float32: the CPU kernel takes no other type.
2. The sigmoid has another reader, or is an output of the graph: it would still have to be computed.
"""

from __future__ import annotations

from typing import Any

from ge.es import TensorHolder
from ge.es.onnx import Mul, Sigmoid
from ge.graph import DataType, Graph
from ge.passes import MatchResult, PassStage, PatternFusionPass, PatternInputs, pattern, register_fusion_pass


@register_fusion_pass(name="FuseSilu", stage=PassStage.AFTER_INFER_SHAPE)
class FuseSilu(PatternFusionPass):
    """Replaces ``Mul(x, Sigmoid(x))`` with ``QuickGelu(x)``."""

    @pattern
    def sigmoid_right(self, inputs: PatternInputs) -> TensorHolder:
        """``x * sigmoid(x)``."""
        x = inputs[0]
        return Mul(x, Sigmoid(x))

    @pattern
    def sigmoid_left(self, inputs: PatternInputs) -> TensorHolder:
        """``sigmoid(x) * x``."""
        x = inputs[0]
        return Mul(Sigmoid(x), x)

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Accepts float32 alone."""
        x = match_result.get_captured_tensor(0)
        return x.node.get_output_desc(x.index).data_type == DataType.DT_FLOAT

    def replacement(self, match_result: MatchResult) -> Graph:
        """One QuickGelu, with the type and shape of the product it stands for."""
        product = match_result.get_captured_tensor(1)
        graph = Graph("FuseSilu_replacement")
        x: Any = graph.create_node("Data", attrs={"index": 0})
        silu = graph.create_node(
            "QuickGelu",
            [x],
            domain="com.microsoft",
            op_version=1,
            attrs={"alpha": 1.0},
            output_descs=[product.node.get_output_desc(product.index)],
        )
        graph.create_node("NetOutput", [silu], output_count=0)
        return graph
