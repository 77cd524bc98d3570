"""Builds one graph, with its bodies, from a plan and the protos."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Tuple

from ge.error import GeError
from ge.es._schema import normalize_domain
from ge.es._schema_registry import UnknownOperatorError, find_schema, get_schema, is_known_domain
from ge.graph import AttrValueType as Kind
from ge.graph import Graph, Node
from ge.onnx import _keys as keys
from ge.onnx._attributes import GRAPHS, item_from_attribute
from ge.onnx._errors import OnnxImportError, near
from ge.onnx._extras import SELF, VALUE_INPUT, VALUE_OUTPUT, checked_texts, keep_extras, keep_list, keep_text
from ge.onnx._framework_ops import (
    ATTRIBUTE_METADATA,
    CONTROL_METADATA,
    FRAMEWORK_DOMAIN,
    SUBGRAPH_DOMAIN,
    control_names,
    restore_private_attributes,
)
from ge.onnx._plan import GraphPlan, attribute_graphs, describe_node, plan_function
from ge.onnx._tensors import tensor_from_proto
from ge.onnx._types import NOTHING, DescItem, item_from_proto, item_from_tensor, text_from_proto

__all__ = ["GraphImporter", "ModelContext", "body_key"]

_Value = Tuple[Node, int]
_OUTPUT_NODE = "NetOutput"


class ModelContext(NamedTuple):
    """What is the same for every graph of a model, or of a function.

    Attributes:
        opsets: Version by normalized domain.
        functions: (domain, name, overload) of the functions of the model.
        base_dir: Folder that external data must lie in; None if there is none.
        calls: Functions that export made of called subgraphs, by name; they become subgraphs again.
        inputs_hide_initializers: True below IR version 4, where every initializer must be listed as an input as well.
            From 4 on, an input with an initializer is one that a caller may leave out.
    """

    opsets: Mapping[str, int]
    functions: frozenset[tuple[str, str, str]]
    calls: Mapping[str, Any]
    base_dir: Optional[str]
    inputs_hide_initializers: bool


def body_key(attribute: str, index: int, is_list: bool) -> str:
    """Key of a body at its node: the attribute, with its position if the attribute is a list of graphs."""
    return f"{attribute}[{index}]" if is_list else attribute


class GraphImporter:
    """Fills one empty graph.

    Values are found by name, first here, then in the graphs around: a body reads an outer value through a plain edge.
    """

    def __init__(self, graph: Graph, plan: GraphPlan, context: ModelContext, outer: GraphImporter | None) -> None:
        self.graph = graph
        self.plan = plan
        self.context = context
        self.outer = outer
        self.values: dict[str, _Value] = {}
        self._descs: dict[str, Any] = {}
        self._names: set[str] = set()
        self._explicit: set[str] = set()
        self._counters: dict[str, int] = {}
        self._by_name: dict[str, Node] = {}

    # -- graph level

    def build(self, proto: Any) -> None:
        """Fills the graph from a GraphProto."""
        keep_extras(self.graph, proto)
        self._declare(proto.value_info, [node.name for node in self.plan.nodes])
        initializers = {tensor.name: tensor for tensor in proto.initializer}
        sparse = {item.values.name: item for item in proto.sparse_initializer}
        self._inputs(proto.input, initializers, sparse)
        for name, tensor in initializers.items():
            if name not in self.values:
                self._constant(name, tensor)
        for name, item in sparse.items():
            if name not in self.values:
                self._sparse_constant(name, item)
        outputs = {value.name: value for value in proto.output}
        self._nodes(outputs)
        self._outputs([value.name for value in proto.output], list(proto.output))
        for annotation in proto.quantization_annotation:
            self._quantization(annotation)

    def build_function(self, proto: Any) -> None:
        """Fills the graph from a FunctionProto."""
        keep_extras(self.graph, proto)
        self._declare(proto.value_info, [node.name for node in self.plan.nodes])
        for index, name in enumerate(proto.input):
            self._data(name, index, self._descs.get(name))
        self._nodes({})
        self._outputs(list(proto.output), [])

    def _declare(self, value_info: Any, explicit: list[str]) -> None:
        self._descs = {value.name: value for value in value_info}
        self._explicit.update(explicit)

    # -- values

    def find(self, name: str) -> _Value | None:
        """The value of a name here or in a graph around."""
        scope: GraphImporter | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None

    def _resolve(self, name: str, reader: str) -> _Value:
        found = self.find(name)
        if found is not None:
            return found
        known: list[str] = []
        scope: GraphImporter | None = self
        while scope is not None:
            known += scope.values
            scope = scope.outer
        raise OnnxImportError(
            f"{self.plan.where}: {reader} reads {name!r}, which no input, initializer or node defines"
            f"{near(name, known)}"
        )

    def _describe(self, node: Node, scope: int, index: int, value: Any) -> None:
        """Sets a descriptor from a ValueInfoProto."""
        item, text = self._type_of(value)
        if item != NOTHING:
            node._desc_set(scope, index, item)
        if text:
            node._attr_set(scope, index, keys.TYPE, int(Kind.VT_TYPE), text)
        keep_extras(node, value, scope, index)

    def _type_of(self, value: Any) -> tuple[DescItem, str]:
        """Descriptor of a ValueInfoProto, and its type as text where the descriptor does not say all of it."""
        try:
            item, exact = item_from_proto(value.type)
            return item, "" if exact else text_from_proto(value.type)
        except ValueError as error:
            raise OnnxImportError(f"{self.plan.where}: value {value.name!r}: {error}") from error

    def _quantization(self, annotation: Any) -> None:
        found = self.values.get(annotation.tensor_name)
        if found is None:
            raise OnnxImportError(
                f"{self.plan.where}: quantization annotation for {annotation.tensor_name!r}, which is no value "
                f"of the graph"
                f"{near(annotation.tensor_name, self.values)}"
            )
        node, index = found
        entries = annotation.quant_parameter_tensor_names
        keep_list(node, keys.QUANT_KEYS, checked_texts(entry.key for entry in entries), VALUE_OUTPUT, index)
        keep_list(node, keys.QUANT_TENSORS, checked_texts(entry.value for entry in entries), VALUE_OUTPUT, index)

    # -- inputs and constants

    def _inputs(self, inputs: Any, initializers: Mapping[str, Any], sparse: Mapping[str, Any]) -> None:
        index = 0
        for position, value in enumerate(inputs):
            name = value.name
            tensor = initializers.get(name)
            if self.context.inputs_hide_initializers and (tensor is not None or name in sparse):
                node = self._constant(name, tensor) if tensor is not None else self._sparse_constant(name, sparse[name])
                node._attr_set(SELF, 0, keys.INPUT_POSITION, int(Kind.VT_INT), position)
                self._keep_declared(node, value)
                continue
            node = self._data(name, index, value)
            if tensor is not None:
                node._attr_set(SELF, 0, "value", int(Kind.VT_TENSOR), self._tensor(tensor))
            index += 1

    def _keep_declared(self, node: Node, value: Any) -> None:
        """What an input says of an initializer, where it is not what the data says."""
        item, text = self._type_of(value)
        if text or item != node._desc_find(VALUE_OUTPUT, 0):
            node._attr_set(VALUE_OUTPUT, 0, keys.TYPE, int(Kind.VT_TYPE), text_from_proto(value.type))
        keep_extras(node, value, VALUE_OUTPUT, 0)

    def _data(self, name: str, index: int, value: Any) -> Node:
        node = self._value_node("Data", name)
        node._attr_set(SELF, 0, "index", int(Kind.VT_INT), index)
        if value is not None:
            self._describe(node, VALUE_OUTPUT, 0, value)
        return node

    def _value_node(self, op_type: str, name: str) -> Node:
        node: Node = self.graph._create_node(op_type, "", 0, self._unique(name), (), 1, None)
        node._set_value_name(0, name)
        self.values[name] = (node, 0)
        return node

    def _tensor(self, proto: Any) -> Any:
        try:
            return tensor_from_proto(proto, self.context.base_dir)
        except OnnxImportError as error:
            raise OnnxImportError(f"{self.plan.where}: {error}") from error

    def _constant(self, name: str, proto: Any) -> Node:
        tensor = self._tensor(proto)
        node = self._value_node("Const", name)
        node._attr_set(SELF, 0, "value", int(Kind.VT_TENSOR), tensor)
        info = tensor._info()
        node._desc_set(VALUE_OUTPUT, 0, item_from_tensor(info[0], info[3]))
        keep_extras(node, proto)
        if name in self._descs:
            keep_extras(node, self._descs[name], VALUE_OUTPUT, 0)
        return node

    def _sparse_constant(self, name: str, proto: Any) -> Node:
        node = self._value_node("Const", name)
        data = proto.SerializeToString(deterministic=True)
        node._attr_set(SELF, 0, keys.SPARSE_INITIALIZER, int(Kind.VT_BYTES), data)
        return node

    def _unique(self, name: str) -> str:
        """A node name that no node has and no later node wants."""
        if name not in self._names:
            self._names.add(name)
            return name
        number = self._counters.get(name, 0)
        while True:
            number += 1
            made = f"{name}_{number}"
            if made not in self._names and made not in self._explicit:
                break
        self._counters[name] = number
        self._names.add(made)
        return made

    def _node_name(self, proto: Any) -> str:
        if proto.name:
            return self._unique(proto.name)
        # A name made here must not be one that a later node has.
        base = proto.op_type
        return self._unique(base) if base not in self._explicit else self._unique_after(base)

    def _unique_after(self, base: str) -> str:
        self._names.add(base)
        made = self._unique(base)
        self._names.discard(base)
        return made

    # -- nodes

    def _nodes(self, outputs: Mapping[str, Any]) -> None:
        for proto, bodies in zip(self.plan.nodes, self.plan.bodies):
            try:
                self._node(proto, bodies, outputs)
            except (OnnxImportError, UnknownOperatorError):
                raise
            except (GeError, ValueError) as error:
                raise OnnxImportError(f"{self.plan.where}: {describe_node(proto)}: {error}") from error
        self._control_edges()

    def _node(self, proto: Any, bodies: Mapping[tuple[str, int], GraphPlan], outputs: Mapping[str, Any]) -> None:
        reader = describe_node(proto)
        domain = normalize_domain(proto.domain)
        version = self._version(proto, domain)
        inputs = [self._resolve(name, reader) if name else None for name in proto.input]
        name = self._node_name(proto)
        is_call = domain == SUBGRAPH_DOMAIN and proto.op_type in self.context.calls
        op_type = "PartitionedCall" if is_call else proto.op_type
        if is_call or domain == FRAMEWORK_DOMAIN:
            domain, version = "", 0
        node: Node = self.graph._create_node(op_type, domain, version, name, inputs, len(proto.output), None)
        if proto.name and name != proto.name:
            keep_text(node, keys.NODE_NAME, proto.name)
        if is_call:
            self._called_subgraph(node, self.context.calls[proto.op_type])
        self._node_extras(node, proto)
        for index, value_name in enumerate(proto.output):
            if value_name:
                self._node_output(node, index, value_name, outputs.get(value_name))
        for attribute in proto.attribute:
            self._attribute(node, proto, attribute, bodies)
        self._by_name[proto.name] = node

    def _control_edges(self) -> None:
        """Control edges that export kept as metadata; names that are gone are passed over."""
        for proto in self.plan.nodes:
            target = self._by_name[proto.name] if proto.metadata_props else None
            for name in control_names(proto) if target is not None else ():
                source = self._by_name.get(name) or self.graph._find(name)
                if source is not None:
                    source._control_add(target)

    def _called_subgraph(self, node: Node, proto: Any) -> None:
        graph = Graph(proto.name)
        node.add_subgraph("f", graph)
        context = self.context._replace(inputs_hide_initializers=False)
        GraphImporter(graph, plan_function(proto), context, None).build_function(proto)

    def _node_extras(self, node: Node, proto: Any) -> None:
        keep_extras(node, proto, without=(CONTROL_METADATA, ATTRIBUTE_METADATA))
        restore_private_attributes(node, proto)
        keep_text(node, keys.OVERLOAD, checked_texts([proto.overload])[0])
        configurations = proto.device_configurations
        if configurations:
            keep_list(
                node, keys.NODE_CONFIGURATION, (item.SerializeToString(deterministic=True) for item in configurations)
            )

    def _node_output(self, node: Node, index: int, name: str, output: Any) -> None:
        node._set_value_name(index, name)
        self.values[name] = (node, index)
        value = self._descs.get(name)
        if value is not None:
            self._describe(node, VALUE_OUTPUT, index, value)
        elif output is not None:
            self._element_type(node, index, output)

    def _element_type(self, node: Node, index: int, output: Any) -> None:
        """Of what the graph declares for its output, the type is taken; the shape is a claim that files get wrong."""
        item, _ = self._type_of(output)
        if item != NOTHING:
            loose: DescItem = (*item[:3], 0, (), None, 0, (), item[8])
            node._desc_set(VALUE_OUTPUT, index, loose)

    def _version(self, proto: Any, domain: str) -> int:
        """Opset version of a node, after checking that the operator exists there."""
        if domain == FRAMEWORK_DOMAIN:
            return 0
        version = self.context.opsets.get(domain)
        key = (domain, proto.op_type, proto.overload)
        if version is None:
            if key in self.context.functions:
                return 1
            known = ", ".join(repr(name or "ai.onnx") for name in self.context.opsets) or "none"
            raise OnnxImportError(
                f"{self.plan.where}: {describe_node(proto)}: no opset is imported for domain {domain or 'ai.onnx'!r} "
                f"(imported: {known})"
            )
        if key in self.context.functions:
            return version
        schema = find_schema(domain, proto.op_type, version)
        if (schema is None and is_known_domain(domain)) or (schema is not None and not schema.since_version):
            self._unknown(proto, domain, version)
        return version

    def _unknown(self, proto: Any, domain: str, version: int) -> None:
        try:
            get_schema(domain, proto.op_type, version)
        except UnknownOperatorError as error:
            raise UnknownOperatorError(f"{self.plan.where}: {describe_node(proto)}: {error}") from None
        raise UnknownOperatorError(
            f"{self.plan.where}: {describe_node(proto)}: {proto.op_type!r} is an operator of the graph engine; in a "
            f"file its domain is {FRAMEWORK_DOMAIN!r}"
        )

    def _attribute(self, node: Node, proto: Any, attribute: Any, bodies: Mapping[tuple[str, int], GraphPlan]) -> None:
        name = attribute.name
        graphs = attribute_graphs(attribute)
        if not graphs and attribute.type == GRAPHS and not attribute.ref_attr_name:
            node._attr_set(SELF, 0, name, int(Kind.VT_LIST_STRING), [])
            keep_text(node, keys.ATTRIBUTE_KIND + name, "GRAPHS")
        elif graphs:
            for index, body in enumerate(graphs):
                key = body_key(name, index, attribute.type == GRAPHS)
                self._body(node, key, body, bodies[(name, index)])
        else:
            try:
                (kind, value), hidden = item_from_attribute(attribute, self.context.base_dir)
            except OnnxImportError as error:
                raise OnnxImportError(f"{self.plan.where}: {describe_node(proto)}: {error}") from error
            node._attr_set(SELF, 0, name, kind, value)
            if hidden:
                keep_text(node, keys.ATTRIBUTE_KIND + name, hidden)
        if attribute.doc_string:
            keep_text(node, keys.ATTRIBUTE_DOC + name, attribute.doc_string)

    def _body(self, node: Node, key: str, proto: Any, plan: GraphPlan) -> None:
        graph = Graph(proto.name)
        # Attached before it is filled: only then may its nodes read values of the graphs around.
        node.add_subgraph(key, graph)
        context = self.context._replace(inputs_hide_initializers=False)
        GraphImporter(graph, plan, context, self).build(proto)

    # -- outputs

    def _outputs(self, names: list[str], declared: list[Any]) -> None:
        inputs = [self._resolve(name, f"output {index}") for index, name in enumerate(names)]
        node_name = self._unique(_OUTPUT_NODE)
        node: Node = self.graph._create_node(_OUTPUT_NODE, "", 0, node_name, inputs, 0, None)
        node._attr_set(SELF, 0, "output_names", int(Kind.VT_LIST_STRING), names)
        for index, value in enumerate(declared):
            self._describe(node, VALUE_INPUT, index, value)
