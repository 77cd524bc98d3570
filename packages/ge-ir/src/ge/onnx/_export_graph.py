"""Writes one graph, with its bodies, as GraphProto or FunctionProto."""

from __future__ import annotations

import re
from array import array
from typing import Any, Protocol

from ge.es._schema import ParameterKind
from ge.es._schema_registry import find_schema
from ge.graph import AttrValueType as Kind
from ge.graph import Graph, Node
from ge.graph._enums import InputType
from ge.onnx import _keys as keys
from ge.onnx._errors import OnnxExportError
from ge.onnx._export_names import Names, OutputPlan, OutputRule
from ge.onnx._export_node import fill_node_attributes, fill_node_extras
from ge.onnx._extras import SELF, VALUE_INPUT, VALUE_OUTPUT, fill_extras, get_list, get_text
from ge.onnx._framework_ops import FRAMEWORK_DOMAIN, SUBGRAPH_DOMAIN, is_framework_op
from ge.onnx._types import fill_type_proto, type_proto_from_text

__all__ = ["Exporter", "GraphExporter"]

_INPUT_TYPES = frozenset(kind.value for kind in InputType)
_CONST_TYPES = ("Const", "Constant")
_LIST_BODY = re.compile(r"(.*)\[(\d+)\]")
_TOPOLOGICAL = 1  # ge_ir_order


class Exporter(Protocol):
    """What a graph needs from the model it is in."""

    def fill_tensor(self, proto: Any, tensor: Any, name: str) -> None:
        """Writes a constant, its data inline or elsewhere."""

    def use_operator(self, node: Node, domain: str) -> None:
        """Notes the domain of a node, and checks that its version is that of the file."""

    def add_call(self, node: Node, body: Graph, names: Names) -> tuple[str, list[str]]:
        """Makes a function of a called subgraph; gives its name and the values it captures."""


class GraphExporter:
    """Names and writes the parts of one graph."""

    def __init__(self, graph: Graph, model: Exporter, outer: Names | None, rule: OutputRule) -> None:
        """Sorts the nodes of a graph into inputs, constants, operators and the output node, and names all values.

        Args:
            graph: The graph.
            model: The model it belongs to.
            outer: Names of the graph around a body; None for a root or a function.
            rule: What its outputs may be.

        Raises:
            OnnxExportError: Outputs cannot be named.
            GeError: The nodes depend on each other in a cycle.
        """
        self.graph = graph
        self.model = model
        self.names = Names(graph, outer)
        self.inputs: list[Node] = []
        self.constants: list[Node] = []
        self.nodes: list[Node] = []
        self.output_node: Node | None = None
        for node in graph._nodes(_TOPOLOGICAL):
            self._sort_in(node)
        self.inputs.sort(key=_index_of)
        self._edges = _edges_of(graph)
        self.outputs = self._name_values(rule)
        self._node_names: set[str] = set()

    def _sort_in(self, node: Node) -> None:
        op_type = node.type
        if node.domain or node.op_version:
            self.nodes.append(node)
        elif op_type in _INPUT_TYPES:
            self.inputs.append(node)
        elif op_type in _CONST_TYPES:
            self.constants.append(node)
        elif op_type != "NetOutput":
            self.nodes.append(node)
        elif self.output_node is None:
            self.output_node = node
        else:
            raise OnnxExportError(
                f"graph {self.graph.name!r} has two output nodes: {self.output_node.name!r}, {node.name!r}"
            )

    # -- names

    def _name_values(self, rule: OutputRule) -> list[OutputPlan]:
        local = {node._handle for node in [*self.inputs, *self.constants, *self.nodes]}
        for node in self.inputs:
            self.names.name_value(node, 0)
        listed = [node for node in self.constants if node._attr_find(SELF, 0, keys.INPUT_POSITION) is not None]
        for node in listed:
            self.names.name_value(node, 0)
        values = self.output_node.inputs if self.output_node is not None else []
        plans = self.names.plan_outputs(values, self._wanted(len(values)), local, rule)
        for node in self.constants:
            self.names.name_value(node, 0)
        for node in self.nodes:
            self._name_outputs(node)
        return plans

    def _wanted(self, count: int) -> list[str]:
        assert self.output_node is not None or not count
        names = get_list(self.output_node, "output_names") if self.output_node is not None else []
        if names and len(names) != count:
            raise OnnxExportError(
                f"output node {self.output_node.name!r} of graph {self.graph.name!r} has {count} inputs, "  # type: ignore[union-attr]
                f"but {len(names)} output_names"
            )
        return names or [""] * count

    def _name_outputs(self, node: Node) -> None:
        """A result without a name and without a reader stays nameless, which in ONNX says that it is not wanted."""
        count = node.output_count
        for index in range(count):
            if node._value_name(index) or node.use_count(index) or not self._may_be_absent(node, index):
                self.names.name_value(node, index)
        if count and not any((node._handle, index) in self.names.values for index in range(count)):
            self.names.name_value(node, 0)

    def _may_be_absent(self, node: Node, index: int) -> bool:
        schema = find_schema(node.domain, node.type, node.op_version)
        if schema is None or index >= len(schema.outputs):
            return False
        return schema.outputs[index].kind is ParameterKind.OPTIONAL

    def value_name(self, producer: int, index: int, reader: str) -> str:
        """Name of a value that a node reads."""
        name = self.names.find((producer, index))
        if name is None:
            raise OnnxExportError(
                f"graph {self.graph.name!r}: {reader} reads a value that is neither in its graph nor in one around it; "
                f"a function cannot capture values"
            )
        return name

    # -- graphs

    def fill_graph(self, proto: Any) -> None:
        """Writes the graph into an empty GraphProto."""
        proto.name = self.graph.name
        fill_extras(proto, self.graph)
        self._fill_inputs(proto)
        for node in self.constants:
            self._fill_initializer(proto, node)
        self.fill_nodes(proto)
        for position, plan in enumerate(self.outputs):
            value = proto.output.add()
            value.name = plan.name
            assert self.output_node is not None
            self._fill_value(value, self.output_node, VALUE_INPUT, position)
        self._fill_value_info(proto)
        for node in [*self.inputs, *self.constants, *self.nodes]:
            self._fill_quantization(proto, node)

    def _fill_inputs(self, proto: Any) -> None:
        """Inputs in order; constants that were inputs as well take their old places among them."""
        placed: list[tuple[int, Node]] = []
        for node in self.constants:
            position = node._attr_find(SELF, 0, keys.INPUT_POSITION)
            if position is not None:
                placed.append((position[1], node))
        placed.sort(key=lambda item: item[0])
        waiting = iter(self.inputs)
        at = 0
        while True:
            if at < len(placed) and placed[at][0] <= len(proto.input):
                node, at = placed[at][1], at + 1
            else:
                following = next(waiting, None)
                if following is None:
                    break
                node = following
            self._fill_input(proto, node)
        for _, node in placed[at:]:
            self._fill_input(proto, node)

    def _fill_input(self, proto: Any, node: Node) -> None:
        value = proto.input.add()
        value.name = self.names.values[(node._handle, 0)]
        if node.type in _CONST_TYPES:
            self._fill_declared(value, node)
            return
        self._fill_value(value, node, VALUE_OUTPUT, 0)
        default = node._attr_find(SELF, 0, "value")
        if default is not None:
            self.model.fill_tensor(proto.initializer.add(), default[1], value.name)

    def _fill_declared(self, value: Any, node: Node) -> None:
        """An initializer that is also an input: what the file declared, else what the data is."""
        text = node._attr_find(VALUE_OUTPUT, 0, keys.TYPE)
        item = node._desc_find(VALUE_OUTPUT, 0)
        if text is not None:
            type_proto_from_text(value.type, text[1])
        elif item is not None:
            fill_type_proto(value.type, item, None)
        fill_extras(value, node, VALUE_OUTPUT, 0)

    def _fill_value(self, value: Any, node: Node, scope: int, index: int) -> None:
        """Type and extras of a ValueInfoProto."""
        item = node._desc_find(scope, index)
        text = node._attr_find(scope, index, keys.TYPE)
        if item is not None and not fill_type_proto(value.type, item, text[1] if text is not None else None):
            value.ClearField("type")
        fill_extras(value, node, scope, index)

    def _fill_initializer(self, proto: Any, node: Node) -> None:
        name = self.names.values[(node._handle, 0)]
        sparse = node._attr_find(SELF, 0, keys.SPARSE_INITIALIZER)
        if sparse is not None:
            target = proto.sparse_initializer.add()
            target.ParseFromString(sparse[1])
            target.values.name = name
            return
        tensor = proto.initializer.add()
        self.model.fill_tensor(tensor, _constant_value(node), name)
        fill_extras(tensor, node)

    def _fill_value_info(self, proto: Any) -> None:
        """Types of inner values; those of outputs stand at the outputs."""
        outputs = {plan.name for plan in self.outputs}
        for node in self.constants:
            self._fill_constant_info(proto, node)
        for node in self.nodes:
            for index in range(node.output_count):
                name = self.names.values.get((node._handle, index))
                if name is None or name in outputs:
                    continue
                value = proto.value_info.add()
                value.name = name
                self._fill_value(value, node, VALUE_OUTPUT, index)
                if not value.HasField("type"):
                    del proto.value_info[-1]

    def _fill_constant_info(self, proto: Any, node: Node) -> None:
        """The type of a constant is in its data; only what the file said beyond that is written."""
        keys_kept = node._attr_keys(VALUE_OUTPUT, 0)
        listed = node._attr_find(SELF, 0, keys.INPUT_POSITION) is not None
        if not listed and (keys.DOC_STRING in keys_kept or keys.METADATA_KEYS in keys_kept):
            value = proto.value_info.add()
            value.name = self.names.values[(node._handle, 0)]
            self._fill_value(value, node, VALUE_OUTPUT, 0)

    def _fill_quantization(self, proto: Any, node: Node) -> None:
        for index in range(node.output_count):
            found = get_list(node, keys.QUANT_KEYS, VALUE_OUTPUT, index)
            name = self.names.values.get((node._handle, index))
            if not found or name is None:
                continue
            annotation = proto.quantization_annotation.add()
            annotation.tensor_name = name
            for key, tensor in zip(found, get_list(node, keys.QUANT_TENSORS, VALUE_OUTPUT, index)):
                entry = annotation.quant_parameter_tensor_names.add()
                entry.key, entry.value = key, tensor

    # -- nodes, for graphs and functions

    def fill_nodes(self, proto: Any) -> None:
        """Writes the operators, producers first, then the copies that outputs need."""
        for node in self.nodes:
            self._fill_node(proto.node.add(), node)
        for plan in self.outputs:
            if plan.copied:
                copy = proto.node.add()
                copy.op_type = "Identity"
                copy.name = self._unique_node_name(f"{plan.name}/copy")
                copy.input.append(self.value_name(*plan.key, f"output {plan.name!r}"))
                copy.output.append(plan.name)

    def fill_constant_nodes(self, proto: Any) -> None:
        """Writes the constants as Constant operators: functions have no initializers."""
        for node in self.constants:
            target = proto.node.add()
            target.op_type = "Constant"
            target.name = self._unique_node_name(node.name)
            target.output.append(self.names.values[(node._handle, 0)])
            attribute = target.attribute.add()
            sparse = node._attr_find(SELF, 0, keys.SPARSE_INITIALIZER)
            if sparse is not None:
                attribute.name, attribute.type = "sparse_value", 11
                attribute.sparse_tensor.ParseFromString(sparse[1])
            else:
                attribute.name, attribute.type = "value", 4
                self.model.fill_tensor(attribute.t, _constant_value(node), "")

    def _unique_node_name(self, wanted: str) -> str:
        name, number = wanted, 0
        while name in self._node_names:
            number += 1
            name = f"{wanted}_{number}"
        self._node_names.add(name)
        return name

    def _fill_node(self, proto: Any, node: Node) -> None:
        kept = node._attr_find(SELF, 0, keys.NODE_NAME)
        proto.name = self._unique_node_name(kept[1] if kept is not None else node.name)
        op_type, domain = node.type, node.domain
        bodies = node._subgraphs()
        inputs = self._input_names(node)
        framework = is_framework_op(op_type, domain, node.op_version)
        if framework and op_type in ("PartitionedCall", "StatefulPartitionedCall") and len(bodies) == 1:
            proto.op_type, captured = self.model.add_call(node, bodies[0][1], self.names)
            proto.domain = SUBGRAPH_DOMAIN
            proto.input.extend([*inputs, *captured])
        else:
            proto.op_type = op_type
            proto.domain = FRAMEWORK_DOMAIN if framework else domain
            proto.input.extend(inputs)
            self.model.use_operator(node, proto.domain)
            fill_node_attributes(proto, node, framework=framework)
            self._fill_bodies(proto, node, bodies)
        proto.output.extend(self.names.values.get((node._handle, index), "") for index in range(node.output_count))
        fill_node_extras(proto, node)

    def _input_names(self, node: Node) -> list[str]:
        names = [""] * node.input_count
        for slot, producer, index in self._edges.get(node._handle, ()):
            names[slot] = self.value_name(producer, index, f"node {node.name!r}")
        return names

    def _fill_bodies(self, proto: Any, node: Node, bodies: list[tuple[str, Graph]]) -> None:
        lists: dict[str, Any] = {}
        for key, body in bodies:
            match = _LIST_BODY.fullmatch(key)
            if match is None:
                attribute = proto.attribute.add()
                attribute.name, attribute.type = key, 5
                target = attribute.g
            else:
                attribute = lists.get(match[1])
                if attribute is None:
                    attribute = lists[match[1]] = proto.attribute.add()
                    attribute.name, attribute.type = match[1], 10
                target = attribute.graphs.add()
            target.SetInParent()
            doc = get_text(node, keys.ATTRIBUTE_DOC + attribute.name)
            if doc:
                attribute.doc_string = doc
            GraphExporter(body, self.model, self.names, OutputRule.BODY).fill_graph(target)


def _constant_value(node: Node) -> Any:
    found = node._attr_find(SELF, 0, "value")
    if found is None or found[0] != Kind.VT_TENSOR:
        raise OnnxExportError(f"constant {node.name!r} has no tensor attribute 'value'")
    return found[1]


def _index_of(node: Node) -> int:
    found = node._attr_find(SELF, 0, "index")
    return int(found[1]) if found is not None else 0


def _edges_of(graph: Graph) -> dict[int, list[tuple[int, int, int]]]:
    """(slot, producer, output index) of every edge, by reader."""
    users, slots, producers, indices = graph._columns_edges()
    edges: dict[int, list[tuple[int, int, int]]] = {}
    columns = (array("Q", users), array("I", slots), array("Q", producers), array("I", indices))
    for user, slot, producer, index in zip(*columns):
        edges.setdefault(user, []).append((slot, producer, index))
    return edges
