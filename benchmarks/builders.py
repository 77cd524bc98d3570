"""A spec as the graph of each contestant, one Python call a node, as a user would write it."""

from __future__ import annotations

from typing import Any, List

from specs import INPUT_NAMES, SHAPE, Spec, sinks


def ge_graph(spec: Spec, labels: bool = False, shapes: bool = False) -> Any:
    """Through ``Graph.create_node``."""
    from ge.graph import DataType, Graph, TensorDesc

    graph = Graph("bench")
    create = graph.create_node
    desc = [TensorDesc(list(SHAPE), data_type=DataType.DT_FLOAT)] if shapes else []
    values: List[Any] = [
        create("Data", name=name, attrs={"index": index}, output_descs=desc) for index, name in enumerate(INPUT_NAMES)
    ]
    for number, (op, inputs, label) in enumerate(spec):
        attrs = {"layer": label} if labels else None
        values.append(
            create(op, [values[value] for value in inputs], name=f"n{number}", attrs=attrs, output_descs=desc)
        )
    create("NetOutput", [values[value] for value in sinks(spec)], name="out", output_count=0)
    return graph


def ge_es(spec: Spec) -> Any:
    """Through the eager-style builder and the ONNX op functions."""
    import ge.es.onnx as ops
    from ge.es import GraphBuilder

    builder = GraphBuilder("bench")
    values = [builder.create_input(index, name=name, shape=list(SHAPE)) for index, name in enumerate(INPUT_NAMES)]
    functions = {op: getattr(ops, op) for op in {op for op, _, _ in spec}}
    for op, inputs, _ in spec:
        values.append(functions[op](*[values[value] for value in inputs]))
    return builder.build_and_reset([values[value] for value in sinks(spec)])


def onnx_helper(spec: Spec) -> Any:
    """Through ``onnx.helper``, the way most users write ONNX."""
    from onnx import TensorProto, helper

    names = list(INPUT_NAMES)
    nodes = []
    for number, (op, inputs, label) in enumerate(spec):
        out = f"v{number}"
        nodes.append(helper.make_node(op, [names[value] for value in inputs], [out], f"n{number}", layer=label))
        names.append(out)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "bench",
        [info(name, TensorProto.FLOAT, SHAPE) for name in INPUT_NAMES],
        [info(names[value], TensorProto.FLOAT, SHAPE) for value in sinks(spec)],
        value_info=[info(name, TensorProto.FLOAT, SHAPE) for name in names[4:]],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def onnx_ir(spec: Spec) -> Any:
    """Through onnx-ir's object graph."""
    import onnx_ir as ir

    kind, shape = ir.TensorType(ir.DataType.FLOAT), ir.Shape(list(SHAPE))
    values = [ir.Value(name=name, shape=shape, type=kind) for name in INPUT_NAMES]
    graph = ir.Graph(list(values), [], nodes=[], opset_imports={"": 18}, name="bench")
    for number, (op, inputs, label) in enumerate(spec):
        attributes = (ir.AttrInt64("layer", label),)
        node = ir.Node("", op, [values[value] for value in inputs], attributes, graph=graph, name=f"n{number}")
        node.outputs[0].shape, node.outputs[0].type = shape, kind
        values.append(node.outputs[0])
    graph.outputs.extend(values[value] for value in sinks(spec))
    return ir.Model(graph, ir_version=10)


def graphsurgeon(spec: Spec) -> Any:
    """Through onnx-graphsurgeon: plain Python attributes."""
    import numpy as np
    import onnx_graphsurgeon as gs

    values = [gs.Variable(name, np.float32, list(SHAPE)) for name in INPUT_NAMES]
    nodes = []
    for number, (op, inputs, label) in enumerate(spec):
        out = gs.Variable(f"v{number}", np.float32, list(SHAPE))
        nodes.append(gs.Node(op, f"n{number}", {"layer": label}, [values[value] for value in inputs], [out]))
        values.append(out)
    return gs.Graph(nodes, values[:4], [values[value] for value in sinks(spec)], opset=18)


def mlir_context() -> Any:
    """An MLIR context for operations of no registered dialect.

    The bindings look for a Python module of the dialect each time an operation is wrapped and fail anew each time,
    which costs forty times the work itself. A prefix under which an (empty) module of that name is found stops that.
    """
    import sys
    import types

    from iree.compiler import ir
    from iree.compiler._mlir_libs import _mlir

    package = types.ModuleType("ge_bench_dialects")
    package.__path__ = []  # type: ignore[attr-defined]
    sys.modules.setdefault("ge_bench_dialects", package)
    sys.modules.setdefault("ge_bench_dialects.t", types.ModuleType("ge_bench_dialects.t"))
    _mlir.globals.append_dialect_search_prefix("ge_bench_dialects")
    context = ir.Context()
    context.enable_multithreading(False)  # its idle threads spin, which CPU time would count
    context.allow_unregistered_dialects = True
    return context


def mlir(spec: Spec, context: Any) -> Any:
    """Through MLIR's Python bindings (the iree-base-compiler wheel)."""
    from iree.compiler import ir

    with context, ir.Location.unknown():
        types = [ir.RankedTensorType.get(list(SHAPE), ir.F32Type.get())]
        int64 = ir.IntegerType.get_signless(64)
        module = ir.Module.create()
        create = ir.Operation.create
        with ir.InsertionPoint(module.body):
            values = [
                create("t.Input", results=types, attributes={"sym": ir.StringAttr.get(name)}).result
                for name in INPUT_NAMES
            ]
            names = {op: f"t.{op}" for op, _, _ in spec}
            for op, inputs, label in spec:
                attributes = {"layer": ir.IntegerAttr.get(int64, label)}
                values.append(create(names[op], types, [values[value] for value in inputs], attributes).result)
            create("t.Output", operands=[values[value] for value in sinks(spec)])
    return module


def rustworkx(spec: Spec) -> Any:
    """A plain graph library with a native core."""
    import rustworkx as rx

    graph = rx.PyDiGraph(multigraph=True)
    values = [graph.add_node({"op": "Input", "name": name}) for name in INPUT_NAMES]
    for number, (op, inputs, label) in enumerate(spec):
        node = graph.add_node({"op": op, "name": f"n{number}", "layer": label, "shape": SHAPE})
        for value in inputs:
            graph.add_edge(values[value], node, None)
        values.append(node)
    return graph
