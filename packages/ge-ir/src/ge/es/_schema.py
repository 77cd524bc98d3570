"""What is known of an operator: its inputs, outputs, attributes and type constraints at one version."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence, Tuple

__all__ = ["AttributeKind", "AttributeSchema", "OpSchema", "Parameter", "ParameterKind", "normalize_domain"]

#: ONNX allows both spellings of its default domain; GE keeps the short one.
_DEFAULT_DOMAIN_ALIAS = "ai.onnx"


def normalize_domain(domain: str) -> str:
    """The domain as stored on nodes: ``"ai.onnx"`` is the default domain ``""``."""
    return "" if domain == _DEFAULT_DOMAIN_ALIAS else domain


class ParameterKind(enum.IntEnum):
    """How many values a formal input or output takes."""

    SINGLE = 0
    OPTIONAL = 1
    VARIADIC = 2


class AttributeKind(enum.Enum):
    """What an attribute holds: the kinds of ONNX, and after them those that only framework operators have."""

    INT = "INT"
    FLOAT = "FLOAT"
    STRING = "STRING"
    TENSOR = "TENSOR"
    GRAPH = "GRAPH"
    TYPE_PROTO = "TYPE_PROTO"
    SPARSE_TENSOR = "SPARSE_TENSOR"
    INTS = "INTS"
    FLOATS = "FLOATS"
    STRINGS = "STRINGS"
    TENSORS = "TENSORS"
    GRAPHS = "GRAPHS"
    TYPE_PROTOS = "TYPE_PROTOS"
    SPARSE_TENSORS = "SPARSE_TENSORS"
    BOOL = "BOOL"
    BOOLS = "BOOLS"
    DATA_TYPE = "DATA_TYPE"
    DATA_TYPES = "DATA_TYPES"

    @property
    def is_graph(self) -> bool:
        """True for the kinds that are kept as subgraphs of the node."""
        return self in (AttributeKind.GRAPH, AttributeKind.GRAPHS)


@dataclass(frozen=True)
class Parameter:
    """A formal input or output.

    Attributes:
        name: Formal name, for example ``X``.
        kind: Single, optional or variadic; only the last parameter of a list is variadic.
        type: Letter of a type constraint (``T``), or a type itself (``tensor(int64)``); empty if anything goes.
        homogeneous: For a variadic parameter: all its values have one type.
    """

    name: str
    kind: ParameterKind = ParameterKind.SINGLE
    type: str = ""
    homogeneous: bool = True


@dataclass(frozen=True)
class AttributeSchema:
    """A formal attribute.

    Attributes:
        name: Attribute name.
        kind: What it holds.
        required: True if a node must have it; then ``default`` is None.
        default: Value that an absent attribute stands for, None if the operator says none. ONNX floats are given as
            the shortest decimal; compare them in float32.
    """

    name: str
    kind: AttributeKind
    required: bool = False
    default: object = None


@dataclass(frozen=True)
class OpSchema:
    """One operator at one version of its domain.

    Attributes:
        domain: Operator domain, ``""`` for ONNX's own and for framework operators.
        name: Operator type.
        since_version: First opset with this form; 0 for framework operators, which have no opset.
        inputs: Formal inputs in order.
        outputs: Formal outputs in order.
        attributes: Formal attributes by name, sorted.
        type_constraints: Allowed types by constraint letter.
        min_input: Fewest inputs (trailing absent ones not counted).
        max_input: Most inputs; None if there is no limit.
        min_output: Fewest outputs.
        max_output: Most outputs; None if there is no limit.
        deprecated: The operator left the domain at this version.
        deterministic: Equal inputs give equal outputs. False for random operators, and for control flow, whose bodies
            may be.
        experimental: The domain makes no promise for it.
        commutative: The order of the data inputs does not matter.
    """

    domain: str
    name: str
    since_version: int
    inputs: Tuple[Parameter, ...] = ()
    outputs: Tuple[Parameter, ...] = ()
    attributes: Mapping[str, AttributeSchema] = field(default_factory=dict)
    type_constraints: Mapping[str, Tuple[str, ...]] = field(default_factory=dict)
    min_input: int = 0
    max_input: Optional[int] = None
    min_output: int = 0
    max_output: Optional[int] = None
    deprecated: bool = False
    deterministic: bool = True
    experimental: bool = False
    commutative: bool = False

    @property
    def variadic_input(self) -> Parameter | None:
        """The variadic input, which is always the last one, or None."""
        return _variadic(self.inputs)

    @property
    def variadic_output(self) -> Parameter | None:
        """The variadic output, which is always the last one, or None."""
        return _variadic(self.outputs)

    def allowed_types(self, parameter: Parameter) -> tuple[str, ...]:
        """The types a parameter may have, in ONNX spelling; empty if the schema does not restrict it."""
        if parameter.type in self.type_constraints:
            return self.type_constraints[parameter.type]
        return (parameter.type,) if "(" in parameter.type else ()

    def __str__(self) -> str:
        where = f"{self.domain}::" if self.domain else ""
        return f"{where}{self.name}-{self.since_version}"


def _variadic(parameters: Sequence[Parameter]) -> Parameter | None:
    if parameters and parameters[-1].kind is ParameterKind.VARIADIC:
        return parameters[-1]
    return None
