"""Writes a root graph as a ModelProto, with functions, opsets, metadata and external data."""

from __future__ import annotations

import re
from typing import Any, Callable

from ge.es._schema_compat import incompatibility
from ge.es._schema_registry import find_schema
from ge.graph import Graph, Node
from ge.onnx import _keys as keys
from ge.onnx._errors import OnnxExportError
from ge.onnx._export_graph import GraphExporter
from ge.onnx._export_names import Names, OutputRule
from ge.onnx._export_outputs import complete_outputs
from ge.onnx._extras import SELF, fill_extras, fill_metadata, get_list, get_text
from ge.onnx._framework_ops import FRAMEWORK_DOMAIN, SUBGRAPH_DOMAIN, is_framework_op
from ge.onnx._tensors import fill_tensor_proto

__all__ = ["ModelExporter", "TensorSink"]

#: Puts the data of a constant somewhere else and says so in its TensorProto; returns False to have it written inline.
TensorSink = Callable[[Any, Any], bool]

# Opset of a graph that says none: the one that ge.es.onnx makes nodes of.
_DEFAULT_OPSET = 21
#: protobuf cannot write more than 2 GiB; names and structure need some room.
_INLINE_LIMIT = (1 << 31) - (64 << 20)
# The IR version that came with the releases up to an opset; runtimes for the opset read it.
_IR_BY_OPSET = ((8, 3), (9, 4), (10, 5), (11, 6), (14, 7), (18, 8), (20, 9), (22, 10), (23, 11), (24, 12), (27, 13))
_NEWEST_IR = 14
_IR_WITH_FREE_INITIALIZERS = 4
_IR_WITH_FUNCTIONS = 8


class ModelExporter:
    """One export. Also what graphs need of their model; see ``_export_graph.Exporter``."""

    def __init__(self, graph: Graph, sink: TensorSink | None = None) -> None:
        """Prepares an export.

        Args:
            graph: A root graph.
            sink: Where the data of constants goes; None writes it inline.

        Raises:
            OnnxExportError: The graph is a subgraph.
        """
        import onnx

        if graph._parent()[0]:
            raise OnnxExportError(f"graph {graph.name!r} is a subgraph; only a root graph is a model")
        self.proto = onnx.ModelProto()
        self._onnx = onnx
        self._graph = graph
        self._sink = sink
        self._inline_bytes = 0
        self._opsets = _opsets_of(graph)
        self._declared = bool(self._opsets)
        if not self._declared:
            self._opsets = _opsets_in_use(graph)
        self._function_names: set[str] = set()
        self._scopes: list[dict[str, int]] = [self._opsets]

    def build(self) -> Any:
        """The ModelProto."""
        model, graph = self.proto, self._graph
        exporter = GraphExporter(graph, self, None, OutputRule.ROOT)
        exporter.fill_graph(model.graph)
        for key, child in graph._subgraphs():
            if child._attr_find(SELF, 0, keys.FUNCTION_NAME) is None:
                raise OnnxExportError(f"library subgraph {key!r} is no function of a model and has no place in ONNX")
            self._fill_function(model.functions.add(), child)
        for domain, version in self._opsets.items():
            self._add_opset(model.opset_import, domain, version)
        self._fill_model()
        self._fill_ir_version(exporter)
        complete_outputs(model, shapes=not self._declared)
        return model

    # -- what graphs ask for

    def fill_tensor(self, proto: Any, tensor: Any, name: str) -> None:
        """Writes a constant, inline or through the sink.

        Raises:
            OnnxExportError: ONNX lacks the element type, or the inline data goes beyond what protobuf can hold.
        """
        if self._sink is not None:
            fill_tensor_proto(proto, tensor, name, data=False)
            if self._sink(proto, tensor):
                return
            proto.Clear()
        self._inline_bytes += int(tensor._info()[6])
        if self._inline_bytes > _INLINE_LIMIT:
            raise OnnxExportError(
                f"the constants of graph {self._graph.name!r} take more than {_INLINE_LIMIT} bytes, which one protobuf "
                f"message cannot hold; use save_model(graph, path, external_data=True)"
            )
        fill_tensor_proto(proto, tensor, name)

    def use_operator(self, node: Node, domain: str) -> None:
        """Notes the domain of a node, and checks that its version fits that of the file.

        Raises:
            OnnxExportError: The node was written for another form of its operator.
        """
        opsets, version = self._scopes[-1], node.op_version
        if domain == FRAMEWORK_DOMAIN:
            opsets.setdefault(domain, 1)
            return
        present = opsets.get(domain)
        if present is None:
            opsets[domain] = version or (_DEFAULT_OPSET if not domain else 1)
            return
        if version in (0, present):
            return
        made, wanted = find_schema(domain, node.type, version), find_schema(domain, node.type, present)
        if made is None or made is wanted:
            return
        bodies = [key for key, _ in node._subgraphs()]
        reason = "it does not exist there"
        if wanted is not None:
            names = [*node._attr_keys(SELF, 0), *bodies]
            reason = incompatibility(made, wanted, node.input_count, node.output_count, names)
        if reason:
            raise OnnxExportError(
                f"node {node.name!r} is {node.type} of opset {version}, but the model imports opset {present} "
                f"of domain {domain or 'ai.onnx'!r}, and {reason}; make it with ge.es.onnx.opset({present})"
            )

    def add_call(self, node: Node, body: Graph, names: Names) -> tuple[str, list[str]]:
        """Makes a local function of a called subgraph.

        A function cannot read values around it, so captured values become further inputs.

        Returns:
            Name of the function, and the names of the values that the call has to pass after its own inputs.
        """
        base = re.sub(r"\W", "_", body.name or node.name) or "subgraph"
        name, number = base, 0
        while name in self._function_names:
            number += 1
            name = f"{base}_{number}"
        self._function_names.add(name)
        function = self._onnx.FunctionProto()
        exporter = GraphExporter(body, self, None, OutputRule.FUNCTION)
        captured = _captures(body)
        outer_names = []
        for producer, index in captured:
            outer_name = names.find((producer, index))
            if outer_name is None:
                raise OnnxExportError(f"subgraph {body.name!r} reads a value that is in none of the graphs around it")
            outer_names.append(outer_name)
            exporter.names.values[(producer, index)] = exporter.names.reserve(outer_name)
        function.name, function.domain = name, SUBGRAPH_DOMAIN
        function.input.extend(exporter.names.values[(item._handle, 0)] for item in exporter.inputs)
        function.input.extend(exporter.names.values[key] for key in captured)
        self._fill_function_body(function, exporter, self._opsets)
        for domain, version in self._opsets.items():
            self._add_opset(function.opset_import, domain, version)
        self.proto.functions.append(function)
        self._opsets.setdefault(SUBGRAPH_DOMAIN, 1)
        return name, outer_names

    # -- functions

    def _fill_function_body(self, proto: Any, exporter: GraphExporter, opsets: dict[str, int]) -> None:
        self._scopes.append(opsets)
        try:
            exporter.fill_constant_nodes(proto)
            exporter.fill_nodes(proto)
        finally:
            self._scopes.pop()
        proto.output.extend(plan.name for plan in exporter.outputs)
        exporter._fill_value_info(proto)

    def _fill_function(self, proto: Any, graph: Graph) -> None:
        proto.name, proto.domain = get_text(graph, keys.FUNCTION_NAME), get_text(graph, keys.FUNCTION_DOMAIN)
        overload = get_text(graph, keys.OVERLOAD)
        if overload:
            proto.overload = overload
        proto.attribute.extend(get_list(graph, keys.FUNCTION_ATTRIBUTES))
        for data in get_list(graph, keys.FUNCTION_DEFAULTS):
            proto.attribute_proto.add().ParseFromString(data if isinstance(data, bytes) else data.encode("utf-8"))
        fill_extras(proto, graph)
        exporter = GraphExporter(graph, self, None, OutputRule.FUNCTION)
        proto.input.extend(exporter.names.values[(node._handle, 0)] for node in exporter.inputs)
        opsets = _opsets_of(graph) or dict(self._opsets)
        self._fill_function_body(proto, exporter, opsets)
        for domain, version in opsets.items():
            self._add_opset(proto.opset_import, domain, version)

    # -- model

    def _add_opset(self, target: Any, domain: str, version: int) -> None:
        entry = target.add()
        entry.domain, entry.version = domain, version

    def _fill_model(self) -> None:
        model, graph = self.proto, self._graph
        for field, key in (
            ("producer_name", keys.PRODUCER_NAME),
            ("producer_version", keys.PRODUCER_VERSION),
            ("domain", keys.MODEL_DOMAIN),
            ("doc_string", keys.MODEL_DOC_STRING),
        ):
            text = get_text(graph, key)
            if text:
                setattr(model, field, text)
        if not self._declared and not model.producer_name:
            model.producer_name = "ge"
        version = graph._attr_find(SELF, 0, keys.MODEL_VERSION)
        if version is not None:
            model.model_version = version[1]
        names = get_list(graph, keys.MODEL_METADATA_KEYS)
        fill_metadata(model, zip(names, get_list(graph, keys.MODEL_METADATA_VALUES)))
        for field, key in (("training_info", keys.TRAINING_INFO), ("configuration", keys.MODEL_CONFIGURATION)):
            for data in get_list(graph, key):
                getattr(model, field).add().ParseFromString(data if isinstance(data, bytes) else data.encode("utf-8"))

    def _fill_ir_version(self, exporter: GraphExporter) -> None:
        """The version of the imported file, or the least one for the opsets; more where the content needs it."""
        model = self.proto
        kept = self._graph._attr_find(SELF, 0, keys.IR_VERSION)
        if kept is not None:
            version = int(kept[1])
        else:
            opset = self._opsets.get("", 1)
            version = next((ir for newest, ir in _IR_BY_OPSET if opset <= newest), _NEWEST_IR)
        listed = sum(node._attr_find(SELF, 0, keys.INPUT_POSITION) is not None for node in exporter.constants)
        if listed < len(exporter.constants):
            version = max(version, _IR_WITH_FREE_INITIALIZERS)
        if model.functions:
            version = max(version, _IR_WITH_FUNCTIONS)
        model.ir_version = version


def _opsets_of(graph: Graph) -> dict[str, int]:
    """Kept opset imports, as they stood in the file."""
    domains = get_list(graph, keys.OPSET_DOMAINS)
    versions = graph._attr_find(SELF, 0, keys.OPSET_VERSIONS)
    found = dict(zip(domains, versions[1] if versions is not None else ()))
    if "ai.onnx" in found:  # the long name of the default domain
        found.setdefault("", found.pop("ai.onnx"))
    return found


def _opsets_in_use(graph: Graph) -> dict[str, int]:
    """Newest version of each domain among the nodes of a graph that was not imported."""
    found = {"": 0}
    for node in graph.get_all_nodes():
        domain, version = node.domain, node.op_version
        if not is_framework_op(node.type, domain, version):
            found[domain] = max(found.get(domain, 0), version)
    found[""] = found[""] or _DEFAULT_OPSET
    return {domain: version or 1 for domain, version in found.items()}


def _captures(body: Graph) -> list[tuple[int, int]]:
    """Values that a graph or a body below it reads from outside, in order of first reading."""
    graphs = [body, *body.get_all_subgraphs()]
    own = {node._handle for graph in graphs for node in graph._nodes(0)}
    found: dict[tuple[int, int], None] = {}
    for graph in graphs:
        for node in graph._nodes(0):
            for value in node.inputs:
                if value is not None and value[0]._handle not in own:
                    found[(value[0]._handle, value[1])] = None
    return list(found)
