"""W1: build a graph of N nodes from Python, one call a node.

``graph`` goes through the graph API (op, inputs, name, one attribute), ``es`` through the eager-style op functions.
"""

from __future__ import annotations

from typing import Any, Callable

import builders
from contract import Case, Workload
from specs import triples


def _case(n: int, build: Callable[[Any], Any], count: Callable[[Any], int]) -> Case:
    spec = triples(n)

    def check(_: Any, graph: Any) -> dict[str, int]:
        nodes = count(graph)
        assert nodes == len(spec), f"built {nodes} nodes instead of {len(spec)}"
        return {"nodes": nodes}

    return Case(lambda: spec, build, check)


def ours(n: int, variant: str) -> Case:
    """``ge.graph`` or ``ge.es``; four inputs and the output node are not counted."""
    if variant == "es":
        import ge.es.onnx

        return _case(n, builders.ge_es, lambda graph: graph.node_count - 5)
    import ge.graph  # noqa: F401 - imported here, so that the import is not timed

    return _case(n, lambda spec: builders.ge_graph(spec, labels=True), lambda graph: graph.node_count - 5)


def onnx_helper(n: int, variant: str) -> Case:
    """``onnx.helper``, value infos included."""
    import onnx.helper  # noqa: F401 - the peer is exactly this

    return _case(n, builders.onnx_helper, lambda model: len(model.graph.node))


def onnx_ir(n: int, variant: str) -> Case:
    """onnx-ir."""
    import onnx_ir  # noqa: F401

    return _case(n, builders.onnx_ir, lambda model: int(model.graph.num_nodes()))


def mlir(n: int, variant: str) -> Case:
    """MLIR's bindings."""
    context = builders.mlir_context()
    return _case(n, lambda spec: builders.mlir(spec, context), lambda m: sum(1 for _ in m.body.operations) - 5)


def graphsurgeon(n: int, variant: str) -> Case:
    """onnx-graphsurgeon."""
    import onnx_graphsurgeon  # noqa: F401

    return _case(n, builders.graphsurgeon, lambda graph: len(graph.nodes))


WORKLOAD = Workload(
    name="W1",
    title="build a graph, one Python call a node",
    variants=("graph", "es"),
    default_n=10_000,
    contestants={
        "ours": ours,
        "mlir": mlir,
        "onnx_helper": onnx_helper,
        "onnx_ir": onnx_ir,
        "graphsurgeon": graphsurgeon,
    },
    best={"graph": "mlir", "es": "mlir"},
)
