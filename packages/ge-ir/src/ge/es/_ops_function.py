"""Makes the Python function of one operator from its schema."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from ge.es._ops_attributes import AttrItem, encode_attribute
from ge.es._ops_operands import to_operands
from ge.es._ops_signature import (
    attribute_keyword,
    input_names,
    make_doc,
    make_signature,
    output_names,
    variadic_count_name,
)
from ge.es._ops_types import set_output_types
from ge.es._schema import OpSchema, ParameterKind
from ge.es._schema_registry import near_matches, versions_with_attribute
from ge.graph import AttrValueType

if TYPE_CHECKING:
    from ge.graph import Graph

__all__ = ["OpFunction", "make_op_function"]

OpFunction = Callable[..., Any]


class _OpCall:
    """Everything one op function needs, worked out once."""

    def __init__(self, schema: OpSchema, version: int) -> None:
        self.schema = schema
        self.version = version
        self.input_names = input_names(schema)
        self.signature = make_signature(schema)
        self.parameters = self.signature.parameters
        self.attributes = {attribute_keyword(item.name): item for item in schema.attributes.values()}
        self.required = [key for key, item in self.attributes.items() if item.required]
        self.count_name = variadic_count_name(schema)
        self.positional = self.input_names or ["owner_builder"]
        self.output_class = _output_class(schema)

    def __call__(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        values = self.bind(args, kwargs)
        attributes, subgraphs = self.split_attributes(values)
        count = self.output_count(values, attributes, subgraphs)
        if self.schema.name == "Split" and "num_outputs" in self.attributes and values.get("split") is None:
            # From opset 18 on Split has to say in how many parts it cuts; the number of outputs says it already.
            attributes.setdefault("num_outputs", (AttrValueType.VT_INT, count))
        operands = [values.get(name) for name in self.input_names]
        builder, inputs = to_operands(self.schema, self.input_names, operands, values.get("owner_builder"))
        outputs = builder._add_op(
            self.schema.name,
            inputs,
            domain=self.schema.domain,
            version=self.version,
            attrs=attributes,
            output_count=count,
            subgraphs=subgraphs or None,
            name=values.get("node_name"),
        )
        set_output_types(self.schema, inputs, attributes, outputs)
        return self.result(outputs)

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name. ``inspect.Signature.bind`` would do, but is slow and says less."""
        if len(args) > len(self.positional):
            raise TypeError(
                f"{self.schema}: takes {len(self.positional)} positional arguments ({', '.join(self.positional)}), "
                f"found {len(args)}; attributes are given by keyword{_list_hint(self.schema)}"
            )
        values = dict(zip(self.positional, args))
        for key, value in kwargs.items():
            if key not in self.parameters:
                raise TypeError(self.unknown_keyword(key))
            if key in values:
                raise TypeError(f"{self.schema}: argument {key!r} is given twice, by position and by keyword")
            values[key] = value
        for key in self.required:
            if values.get(key) is None:
                raise TypeError(f"{self.schema}: attribute {key!r} ({self.attributes[key].kind.value}) is required")
        return values

    def unknown_keyword(self, key: str) -> str:
        """Error text for a keyword that the operator does not have."""
        versions = versions_with_attribute(self.schema.domain, self.schema.name, key)
        if versions:
            forms = ", ".join(str(version) for version in versions)
            return (
                f"{self.schema}: unknown attribute {key!r}; the forms of opset {forms} have it, "
                f"not that of {self.version}"
            )
        near = near_matches(key, list(self.parameters))
        if near:
            return f"{self.schema}: unknown attribute {key!r}; did you mean {near}?"
        known = ", ".join(self.attributes) or "none"
        return f"{self.schema}: unknown attribute {key!r}; its attributes are: {known}"

    def split_attributes(self, values: Mapping[str, Any]) -> tuple[dict[str, AttrItem], dict[str, Any]]:
        """Checked attributes, and graphs. What the caller did not give stays absent: absent means the default."""
        attributes: dict[str, AttrItem] = {}
        subgraphs: dict[str, Any] = {}
        for key, attribute in self.attributes.items():
            value = values.get(key)
            if value is None:
                continue
            if attribute.kind.is_graph:
                subgraphs[attribute.name] = _checked_graphs(self.schema, attribute.name, attribute.kind.value, value)
            else:
                attributes[attribute.name] = encode_attribute(self.schema, attribute, value)
        return attributes, subgraphs

    def output_count(
        self, values: Mapping[str, Any], attributes: Mapping[str, AttrItem], subgraphs: Mapping[str, Any]
    ) -> int:
        """Number of outputs to make, from the keyword or from what the operator implies."""
        schema = self.schema
        singles = sum(output.kind is ParameterKind.SINGLE for output in schema.outputs)
        if self.count_name is not None:
            found = values.get(self.count_name)
            if found is None:
                found = _implied_count(schema, attributes, subgraphs)
            if found is None:
                raise TypeError(f"{schema}: say how many outputs there are: {self.count_name}=...")
            return len(schema.outputs) - 1 + _checked_count(schema, self.count_name, found, 0, None)
        found = values.get("output_count")
        if found is None:
            # Every output optional (LSTM and its kin): all, for none alone is the natural result.
            return singles or len(schema.outputs)
        return _checked_count(schema, "output_count", found, max(1, singles), len(schema.outputs))

    def result(self, outputs: list[Any]) -> Any:
        """One holder, a list, or a named tuple."""
        if len(self.schema.outputs) == 1 and self.count_name is None:
            return outputs[0]
        if self.output_class is None:
            return outputs
        if self.count_name is not None:
            fixed = len(self.schema.outputs) - 1
            return self.output_class(*outputs[:fixed], outputs[fixed:])
        if len(outputs) == 1:
            return outputs[0]
        absent = len(self.schema.outputs) - len(outputs)
        return self.output_class(*outputs, *[None] * absent)


def _output_class(schema: OpSchema) -> Any:
    """Named tuple of the outputs; None for a sole output and for none."""
    if len(schema.outputs) < 2:
        return None
    return collections.namedtuple(f"{schema.name}Output", output_names(schema), module=__name__)


def _list_hint(schema: OpSchema) -> str:
    variadic = schema.variadic_input
    return f", and input {variadic.name!r} is one list" if variadic is not None else ""


def _checked_graphs(schema: OpSchema, name: str, kind: str, value: object) -> Any:
    from ge.graph import Graph

    if kind == "GRAPH" and isinstance(value, Graph):
        return value
    if (
        kind == "GRAPHS"
        and isinstance(value, (list, tuple))
        and value
        and all(isinstance(item, Graph) for item in value)
    ):
        return list(value)
    expected = "a Graph" if kind == "GRAPH" else "a list of Graph, at least one"
    raise TypeError(
        f"{schema}: attribute {name!r}: expected {expected}, found {value!r} of type {type(value).__name__}"
    )


def _checked_count(schema: OpSchema, name: str, value: object, least: int, most: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{schema}: {name}: expected int, found {value!r} of type {type(value).__name__}")
    if value < least or (most is not None and value > most):
        limit = f"at least {least}" if most is None else f"{least} to {most}"
        raise ValueError(f"{schema}: {name}: expected {limit}, found {value}")
    return value


def _implied_count(schema: OpSchema, attributes: Mapping[str, AttrItem], subgraphs: Mapping[str, Any]) -> int | None:
    """Variadic outputs that attributes or bodies already tell: of Split, If, Loop, Scan, SequenceMap."""
    if schema.domain or schema.since_version == 0:
        return None
    if "num_outputs" in attributes:
        return int(attributes["num_outputs"][1])
    if schema.name == "Split" and "split" in attributes:
        return len(attributes["split"][1])
    bodies = {"If": ("then_branch", 0), "Scan": ("body", 0), "SequenceMap": ("body", 0), "Loop": ("body", 1)}
    if schema.name in bodies:
        key, extra = bodies[schema.name]  # a Loop body also gives the condition
        return _graph_output_count(subgraphs[key]) - extra
    return None


def _graph_output_count(graph: Graph) -> int:
    net_outputs = [node for node in graph.get_direct_nodes() if node.type == "NetOutput"]
    return net_outputs[0].get_inputs_size() if net_outputs else 0


def make_op_function(schema: OpSchema, version: int, module: str) -> OpFunction:
    """The function of an operator.

    Args:
        schema: The operator.
        version: Opset version that its nodes get.
        module: Name of the module it is an attribute of.
    """
    call = _OpCall(schema, version)

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(args, kwargs)

    function.__name__ = function.__qualname__ = schema.name
    function.__module__ = module
    function.__doc__ = make_doc(schema)
    function.__signature__ = call.signature  # type: ignore[attr-defined]
    function.schema = schema  # type: ignore[attr-defined]
    return function
