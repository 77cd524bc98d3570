"""W3: replace each ``Add(MatMul(x, w), b)`` by one ``Gemm`` in a chain of N nodes with N/3 places.

The pattern is declared once in Python. ``all`` accepts each place in a Python condition that reads the weight's name,
``half`` rejects every second one there, ``none`` has no place to find, ``nocond`` has no Python in the match.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import builders
from contract import Case, Workload
from specs import Spec, triples

Condition = Callable[[str], bool]

PDL = """
pdl.pattern @fuse : benefit(1) {
  %t = pdl.type
  %x = pdl.operand
  %w = pdl.operand
  %b = pdl.operand
  %matmul = pdl.operation "t.MatMul"(%x, %w : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  %product = pdl.result 0 of %matmul
  %add = pdl.operation "t.Add"(%product, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  CONDITION
  pdl.rewrite %add {
    %gemm = pdl.operation "t.Gemm"(%x, %w, %b : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.replace %add with %gemm
    pdl.erase %matmul
  }
}
"""


def condition(variant: str) -> Condition:
    """The Python condition on the weight's name."""
    return (lambda name: name == "W0") if variant == "half" else (lambda name: name.startswith("W"))


def make_case(
    n: int, variant: str, build: Callable[[Spec], Any], rewrite: Callable[[Any], Any], count: Callable[[Any], int]
) -> Case:
    """A case whose check counts the fused operators that the graph then has."""
    spec = triples(n, "Sub" if variant == "none" else "Add")
    places = len(spec) // 3
    wanted = {"none": 0, "half": (places + 1) // 2}.get(variant, places)

    def check(graph: Any, result: Any) -> Dict[str, Any]:
        found = count(graph)
        assert found == wanted, f"{found} places were rewritten instead of {wanted}"
        return {"places": places, "rewritten": found}

    return Case(lambda: build(spec), rewrite, check)


def mlir_pdl(n: int, variant: str) -> Case:
    """MLIR's pattern language with a Python constraint."""
    from iree.compiler import ir, rewrite

    accept, context = condition(variant), builders.mlir_context()
    constraint = "" if variant == "nocond" else 'pdl.apply_native_constraint "accept"(%w : !pdl.value)'
    with context, ir.Location.unknown():
        module = ir.Module.parse(PDL.replace("CONDITION", constraint))
        patterns = rewrite.PDLModule(module)
        if constraint:
            # A true result stands for failure here.
            patterns.register_constraint_function(
                "accept", lambda _, __, values: not accept(values[0].owner.attributes["sym"].value)
            )
        # The frozen set does not keep the module alive, and matches nothing once that is gone.
        keep = (patterns.freeze(), patterns, module)

    def work(graph: Any) -> None:
        with context, ir.Location.unknown():
            rewrite.walk_and_apply_patterns(graph.operation, keep[0])

    def count(graph: Any) -> int:
        return sum(operation.operation.name == "t.Gemm" for operation in graph.body.operations)

    return make_case(n, variant, lambda spec: builders.mlir(spec, context), work, count)


def onnx_ir(n: int, variant: str) -> Case:
    """onnx-ir, the rewrite written by hand."""
    import onnx_ir as ir

    accept: Condition = (lambda _: True) if variant == "nocond" else condition(variant)

    def work(model: Any) -> None:
        graph = model.graph
        for add in graph:
            matmul = add.inputs[0].producer() if add.op_type == "Add" else None
            if matmul is None or matmul.op_type != "MatMul" or len(add.inputs[0].uses()) != 1:
                continue
            x, w = matmul.inputs
            if accept(w.name):
                gemm = ir.Node("", "Gemm", [x, w, add.inputs[1]])
                ir.convenience.replace_nodes_and_values(graph, add, [add, matmul], [gemm], add.outputs, gemm.outputs)

    def count(model: Any) -> int:
        return sum(node.op_type == "Gemm" for node in model.graph)

    return make_case(n, variant, builders.onnx_ir, work, count)


def graphsurgeon(n: int, variant: str) -> Case:
    """onnx-graphsurgeon's pattern matcher."""
    import onnx_graphsurgeon as gs
    from onnx_graphsurgeon.logger import G_LOGGER

    G_LOGGER.severity = G_LOGGER.ERROR  # else it prints a line for each attempt
    accept: Condition = (lambda _: True) if variant == "nocond" else condition(variant)
    pattern = gs.GraphPattern()
    x, w, b = pattern.variable(), pattern.variable(), pattern.variable()
    product = pattern.add("mm", "MatMul", check_func=lambda node: accept(node.inputs[1].name), inputs=[x, w])
    pattern.set_output_tensors([pattern.add("add", "Add", inputs=[product, b])])

    def work(graph: Any) -> None:
        for match in pattern.match_all(graph):
            matmul, add = match.get("mm"), match.get("add")
            operands = [*matmul.inputs, add.inputs[1]]
            matmul.outputs.clear()
            add.op, add.inputs = "Gemm", operands
        graph.cleanup()

    def count(graph: Any) -> int:
        return sum(node.op == "Gemm" for node in graph.nodes)

    return make_case(n, variant, builders.graphsurgeon, work, count)


def fusion_pass(variant: str) -> Any:
    """The pass of ours, as its author would write it."""
    from ge.es.onnx import Add, Gemm, MatMul
    from ge.passes import PatternFusionPass, pattern

    accept = condition(variant)

    class Fuse(PatternFusionPass):  # type: ignore[misc, valid-type]
        """Replaces ``Add(MatMul(x, w), b)`` with ``Gemm(x, w, b)`` where the weight's name is accepted."""

        @pattern
        def matmul_add(self, inputs: Any) -> Any:
            x, w, b = inputs[:3]
            return Add(MatMul(x, w), b)

        if variant != "nocond":

            def meet_requirements(self, match_result: Any) -> bool:
                return accept(match_result.get_captured_tensor(1).node.name)

        def replacement(self, inputs: Any) -> Any:
            x, w, b = inputs[:3]
            return Gemm(x, w, b)

    return Fuse


def ours(n: int, variant: str) -> Case:
    """``ge.passes``: the native executor calls the Python hooks."""
    from ge.passes import apply_pass

    chosen = fusion_pass(variant)

    def count(graph: Any) -> int:
        return sum(node.type == "Gemm" for node in graph.get_direct_nodes())

    return make_case(n, variant, builders.ge_graph, lambda graph: apply_pass(graph, chosen), count)


WORKLOAD = Workload(
    name="W3",
    title="replace Add(MatMul(x, w), b) by Gemm(x, w, b)",
    variants=("all", "half", "none", "nocond"),
    default_n=9_999,
    contestants={"ours": ours, "mlir_pdl": mlir_pdl, "onnx_ir": onnx_ir, "graphsurgeon": graphsurgeon},
    best=dict.fromkeys(("all", "half", "none", "nocond"), "mlir_pdl"),
)
