"""Graph partitioning: which part of a graph is static, which is dynamic, and why.

`DynamicShapePartitioner` splits a graph, `flatten` puts it together again, `PartitionReport` has a reason for every
node, and `part_graph_svg` draws the parts.
"""

from __future__ import annotations

from ge.partition._dynamic_shape import DynamicShapePartitioner, flatten
from ge.partition._errors import PartitionError
from ge.partition._report import NodeReason, PartInfo, PartitionReport
from ge.partition._rules import PartitionRules
from ge.partition._svg import part_graph_svg

__all__ = [
    "DynamicShapePartitioner",
    "NodeReason",
    "PartInfo",
    "PartitionError",
    "PartitionReport",
    "PartitionRules",
    "flatten",
    "part_graph_svg",
]
