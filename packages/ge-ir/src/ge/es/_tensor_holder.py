"""`TensorHolder`: the output of an operator that a `GraphBuilder` is building."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ge.es.tensor_like import resolve_builder
from ge.graph._desc import TensorDesc, check_data_type, check_format
from ge.graph._enums import DataType, Format
from ge.graph._shape import Shape, to_shape

if TYPE_CHECKING:
    from ge.es.graph_builder import GraphBuilder
    from ge.graph import Node

__all__ = ["TensorHolder"]

_OUTPUT = 1  # ge_ir_scope
_ND = int(Format.FORMAT_ND)


class TensorHolder:
    """One output of a node under construction.

    ``+ - * / ** @`` and unary ``-`` add the ONNX operators Add, Sub, Mul, Div, Pow, MatMul and Neg; the other operand
    may be a tensor of the same builder or anything `ge.es.tensor_like` takes: a literal gets this tensor's element
    type, where that is known. Comparison operators are Python's: two holders are equal only if they are one object.

    A holder keeps its builder alive, never the other way round.
    """

    __slots__ = ("_builder", "_index", "_node")
    # numpy must leave ``array + holder`` to the reflected operator instead of looping over its elements.
    __array_ufunc__ = None

    _builder: GraphBuilder
    _node: Node
    _index: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Refused.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("TensorHolder cannot be constructed; use the create methods of a GraphBuilder")

    @classmethod
    def _make(cls, builder: GraphBuilder, node: Node, index: int) -> TensorHolder:
        holder = cls.__new__(cls)
        holder._builder, holder._node, holder._index = builder, node, index
        return holder

    def __copy__(self) -> NoReturn:
        raise RuntimeError("TensorHolder cannot be copied: it is a reference, pass it on as it is")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        raise RuntimeError("TensorHolder cannot be copied: it is a reference, pass it on as it is")

    def __repr__(self) -> str:
        return f"TensorHolder({self.name!r})" if self._node.is_live else "TensorHolder(expired)"

    # -- reading

    @property
    def name(self) -> str:
        """Name of the value if it has one, else of its node, with ``:<index>`` but for output 0."""
        node, index = self._node, self._index
        return node.output_name(index) or (node.name if index == 0 else f"{node.name}:{index}")

    @property
    def node(self) -> Node:
        """The node that produces the value."""
        return self._node

    @property
    def index(self) -> int:
        """Which output of the node it is."""
        return self._index

    @property
    def desc(self) -> TensorDesc:
        """Type, layout and shape, as far as they are known."""
        return self._node.get_output_desc(self._index)

    @property
    def data_type(self) -> DataType:
        """Element type; `DT_UNDEFINED` if it is not known."""
        return self.desc.data_type

    @property
    def shape(self) -> Shape:
        """Shape; unknown rank if it is not known."""
        return self.desc.shape

    def get_owner_builder(self) -> GraphBuilder:
        """The builder whose graph it is in."""
        return self._builder

    def _get_node_snapshot(self) -> Node:
        """Same as `node`."""
        return self._node

    # -- describing

    def set_data_type(self, data_type: DataType) -> TensorHolder:
        """Says the element type.

        Raises:
            TypeError: It is no DataType.
            RuntimeError: The graph was built.
        """
        check_data_type(data_type)
        return self._update(self.desc.set_data_type(data_type))

    def set_format(self, format: Format) -> TensorHolder:
        """Says the layout.

        Raises:
            TypeError: It is no Format.
            RuntimeError: The graph was built.
        """
        check_format(format)
        return self._update(self.desc.set_format(format))

    def set_shape(self, shape: Shape | Sequence[int]) -> TensorHolder:
        """Says the shape.

        Raises:
            TypeError: It is no list of int.
            ValueError: A size is below -1.
            RuntimeError: The graph was built.
        """
        return self._update(self.desc.set_shape(to_shape(shape)))

    def _update(self, desc: TensorDesc) -> TensorHolder:
        self._builder._check_open()
        self._node.update_output_desc(self._index, desc)
        return self

    # -- arithmetic

    def add(self, other: Any) -> TensorHolder:
        """``self + other``: Add."""
        return _binary("Add", self, other)

    def sub(self, other: Any) -> TensorHolder:
        """``self - other``: Sub."""
        return _binary("Sub", self, other)

    def mul(self, other: Any) -> TensorHolder:
        """``self * other``: Mul."""
        return _binary("Mul", self, other)

    def div(self, other: Any) -> TensorHolder:
        """``self / other``: Div."""
        return _binary("Div", self, other)

    def __add__(self, other: Any) -> TensorHolder:
        return _binary("Add", self, other)

    def __radd__(self, other: Any) -> TensorHolder:
        return _binary("Add", other, self)

    def __sub__(self, other: Any) -> TensorHolder:
        return _binary("Sub", self, other)

    def __rsub__(self, other: Any) -> TensorHolder:
        return _binary("Sub", other, self)

    def __mul__(self, other: Any) -> TensorHolder:
        return _binary("Mul", self, other)

    def __rmul__(self, other: Any) -> TensorHolder:
        return _binary("Mul", other, self)

    def __truediv__(self, other: Any) -> TensorHolder:
        return _binary("Div", self, other)

    def __rtruediv__(self, other: Any) -> TensorHolder:
        return _binary("Div", other, self)

    def __pow__(self, other: Any) -> TensorHolder:
        return _binary("Pow", self, other)

    def __rpow__(self, other: Any) -> TensorHolder:
        return _binary("Pow", other, self)

    def __matmul__(self, other: Any) -> TensorHolder:
        return _binary("MatMul", self, other)

    def __rmatmul__(self, other: Any) -> TensorHolder:
        return _binary("MatMul", other, self)

    def __neg__(self) -> TensorHolder:
        return _arithmetic(self._builder, "Neg", [self])

    def _known_type(self) -> int:
        item = self._node._desc_find(_OUTPUT, self._index)
        return int(DataType.DT_UNDEFINED) if item is None else int(item[0])


def _binary(op_type: str, left: Any, right: Any) -> TensorHolder:
    if left is None or right is None:
        raise TypeError(f"{op_type} needs two operands, found None")
    return _arithmetic(resolve_builder(left, right), op_type, [left, right])


def _arithmetic(builder: GraphBuilder, op_type: str, operands: list[Any]) -> TensorHolder:
    """These operators keep the element type of their first operand: saying it lets later literals take it."""
    result = builder._add_op(op_type, operands)[0]
    first = operands[0]
    if not isinstance(first, TensorHolder):  # a literal: the constant that it became
        producer = result._node.inputs[0]
        assert producer is not None  # None operands were refused
        first = TensorHolder._make(builder, *producer)
    dtype = first._known_type()
    if dtype != DataType.DT_UNDEFINED:
        result._node._desc_set(_OUTPUT, 0, (dtype, _ND, _ND, 0, (), None, 0, (), None))
    return result
