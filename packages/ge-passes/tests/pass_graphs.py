"""Small graphs for the tests of passes."""

from __future__ import annotations

from ge.graph import Graph


def chain(*types, name="g"):
    """Data -> types one after another -> NetOutput."""
    graph = Graph(name)
    value = graph.create_node("Data", name="x", attrs={"index": 0})
    for position, op_type in enumerate(types):
        value = graph.create_node(op_type, [value], name=f"n{position}")
    graph.create_node("NetOutput", [value], name="out", output_count=0)
    return graph


def types(graph):
    """Types of the operators in topological order."""
    return [node.type for node in graph.topological_order() if node.type not in ("Data", "NetOutput")]
