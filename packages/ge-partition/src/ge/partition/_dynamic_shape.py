"""`DynamicShapePartitioner`: splits a graph into static and dynamic parts; `flatten` puts them back."""

from __future__ import annotations

from ctypes import POINTER, c_char, c_char_p, cast

from ge.graph import Graph
from ge.partition import _abi
from ge.partition._errors import error_of
from ge.partition._library import api
from ge.partition._report import PartitionReport, read_report
from ge.partition._rules import PartitionRules

__all__ = ["DynamicShapePartitioner", "flatten"]


def _check_graph(graph: object) -> Graph:
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a Graph, found {type(graph).__name__}: {graph!r}")
    return graph


class DynamicShapePartitioner:
    """Splits a root graph by what is known of its shapes.

    An operator is dynamic if one of its shapes is not fully known, if an attribute or its engine says so, or if a node
    in one of its bodies is. Static operators on a path between dynamic ones become dynamic too, and so do static parts
    below the lower limit. Each part becomes a subgraph behind a ``PartitionedCall``.
    """

    def __init__(self, rules: PartitionRules | None = None) -> None:
        """Makes a partitioner.

        Raises:
            TypeError: ``rules`` is no `PartitionRules`.
        """
        if rules is not None and not isinstance(rules, PartitionRules):
            raise TypeError(f"rules must be PartitionRules, found {type(rules).__name__}: {rules!r}")
        self.rules = rules or PartitionRules()

    def partition(self, graph: Graph) -> PartitionReport:
        """Splits a graph in place.

        Raises:
            TypeError: It is no Graph.
            PartitionError: It is a subgraph, split already, or has a cycle; or the limit is not accepted. The graph is
                as it was.
            NotImplementedError: The rules ask for something that is not built.
        """
        limit = str(self.rules.static_model_ops_lower_limit).encode()
        options = _abi.ge_partition_dynamic_options(
            preset=self.rules.number("preset"),
            absorption=self.rules.number("absorption"),
            reference_variables=self.rules.number("reference_variables"),
            constants=self.rules.number("constants"),
            static_model_ops_lower_limit=cast(c_char_p(limit), POINTER(c_char)),
            static_model_ops_lower_limit_size=len(limit),
        )
        try:
            handle = api().call.partition_dynamic(_check_graph(graph)._handle, options)
        except _abi.AbiError as error:
            raise error_of(error, "DynamicShapePartitioner.partition") from error
        return read_report(graph, handle)


def flatten(graph: Graph) -> int:
    """Puts the parts of a split back in place: names, order, edges and attributes are as before the split.

    Returns:
        Number of parts put back; 0 for a graph that is not split.

    Raises:
        TypeError: It is no Graph.
        PartitionError: The graph cannot be flattened; it is as it was.
    """
    try:
        return api().call.partition_flatten(_check_graph(graph)._handle)
    except _abi.AbiError as error:
        raise error_of(error, "flatten") from error
