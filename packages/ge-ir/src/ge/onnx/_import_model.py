"""Builds a root graph from a ModelProto."""

from __future__ import annotations

from typing import Any

from ge.es._schema import normalize_domain
from ge.graph import AttrValueType as Kind
from ge.graph import Graph
from ge.onnx import _keys as keys
from ge.onnx._errors import OnnxImportError
from ge.onnx._extras import SELF, checked_texts, keep_list, keep_metadata, keep_text
from ge.onnx._files import bad_text
from ge.onnx._framework_ops import SUBGRAPH_DOMAIN
from ge.onnx._import_graph import GraphImporter, ModelContext
from ge.onnx._plan import plan_function, plan_graph

__all__ = ["function_key", "import_model"]

# Before IR version 3, files had no opset imports and meant opset 1.
_FIRST_IR_WITH_OPSETS = 3
_IR_WITH_FREE_INITIALIZERS = 4


def function_key(domain: str, name: str, overload: str = "") -> str:
    """Name of the library subgraph of a function at the root graph."""
    return f"{domain}::{name}:{overload}" if overload else f"{domain}::{name}"


def import_model(model: Any, base_dir: str | None) -> Graph:
    """The graph of a model.

    Args:
        model: A ModelProto.
        base_dir: Folder that external data must lie in.

    Raises:
        OnnxImportError: The model is not valid; nothing is left behind.
    """
    _check_head(model)
    try:
        return _import(model, base_dir)
    except (AttributeError, TypeError, UnicodeError) as error:
        # protobuf gives texts that are not UTF-8 as bytes. Looking for them beforehand would cost every good model.
        found = bad_text(model, "model")
        if not found:
            raise
        raise OnnxImportError(f"a text of the model is not UTF-8: {found}") from error


def _import(model: Any, base_dir: str | None) -> Graph:
    opsets = _opsets(model.opset_import, "the model")
    if not opsets and model.ir_version < _FIRST_IR_WITH_OPSETS:
        opsets = {"": 1}
    functions = _function_names(model)
    hidden = model.ir_version < _IR_WITH_FREE_INITIALIZERS
    calls = {function.name: function for function in model.functions if function.domain == SUBGRAPH_DOMAIN}
    context = ModelContext(opsets, functions, calls, base_dir, hidden)
    proto = model.graph
    plan = plan_graph(
        f"graph {proto.name!r}",
        proto.node,
        (value.name for value in proto.input),
        [tensor.name for tensor in proto.initializer] + [item.values.name for item in proto.sparse_initializer],
        (value.name for value in proto.output),
    )
    graph = Graph(proto.name)
    _keep_model(graph, model)
    for function in model.functions:
        if function.domain != SUBGRAPH_DOMAIN:
            _import_function(graph, function, context)
    GraphImporter(graph, plan, context, None).build(proto)
    return graph


def _check_head(model: Any) -> None:
    if not model.HasField("graph"):
        raise OnnxImportError("not an ONNX model: it has no graph")
    if not model.ir_version:
        raise OnnxImportError("not an ONNX model, or a damaged one: it has no ir_version")


def _opsets(imports: Any, where: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in imports:
        domain = normalize_domain(entry.domain)
        if found.get(domain, entry.version) != entry.version:
            raise OnnxImportError(
                f"{where} imports two opsets of domain {domain or 'ai.onnx'!r}: {found[domain]} and {entry.version}"
            )
        found[domain] = entry.version
    return found


def _function_names(model: Any) -> frozenset[tuple[str, str, str]]:
    found: set[tuple[str, str, str]] = set()
    for function in model.functions:
        key = (normalize_domain(function.domain), function.name, function.overload)
        if key in found:
            raise OnnxImportError(f"function {function_key(*key)!r} is defined twice")
        found.add(key)
    return frozenset(found)


def _keep_opsets(graph: Graph, imports: Any) -> None:
    keep_list(graph, keys.OPSET_DOMAINS, checked_texts(entry.domain for entry in imports))
    if imports:
        versions = [entry.version for entry in imports]
        graph._attr_set(SELF, 0, keys.OPSET_VERSIONS, int(Kind.VT_LIST_INT), versions)


def _keep_model(graph: Graph, model: Any) -> None:
    graph._attr_set(SELF, 0, keys.IR_VERSION, int(Kind.VT_INT), model.ir_version)
    _keep_opsets(graph, model.opset_import)
    keep_text(graph, keys.PRODUCER_NAME, model.producer_name)
    keep_text(graph, keys.PRODUCER_VERSION, model.producer_version)
    keep_text(graph, keys.MODEL_DOMAIN, model.domain)
    keep_text(graph, keys.MODEL_DOC_STRING, model.doc_string)
    if model.HasField("model_version"):
        graph._attr_set(SELF, 0, keys.MODEL_VERSION, int(Kind.VT_INT), model.model_version)
    keep_metadata(graph, keys.MODEL_METADATA_KEYS, keys.MODEL_METADATA_VALUES, model.metadata_props)
    keep_list(graph, keys.TRAINING_INFO, (item.SerializeToString(deterministic=True) for item in model.training_info))
    keep_list(
        graph, keys.MODEL_CONFIGURATION, (item.SerializeToString(deterministic=True) for item in model.configuration)
    )


def _import_function(root: Graph, proto: Any, model_context: ModelContext) -> None:
    key = function_key(*checked_texts((proto.domain, proto.name, proto.overload)))
    plan = plan_function(proto)
    graph = Graph(key)
    root.add_subgraph(graph)
    graph._attr_set(SELF, 0, keys.FUNCTION_NAME, int(Kind.VT_STRING), proto.name)
    graph._attr_set(SELF, 0, keys.FUNCTION_DOMAIN, int(Kind.VT_STRING), proto.domain)
    keep_text(graph, keys.OVERLOAD, proto.overload)
    keep_list(graph, keys.FUNCTION_ATTRIBUTES, checked_texts(proto.attribute))
    keep_list(
        graph, keys.FUNCTION_DEFAULTS, (item.SerializeToString(deterministic=True) for item in proto.attribute_proto)
    )
    _keep_opsets(graph, proto.opset_import)
    opsets = _opsets(proto.opset_import, plan.where)
    context = model_context._replace(opsets=opsets, inputs_hide_initializers=False)
    GraphImporter(graph, plan, context, None).build_function(proto)
