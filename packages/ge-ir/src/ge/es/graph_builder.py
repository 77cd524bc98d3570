"""`GraphBuilder`: builds a graph by calling functions that take and give tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from ge.es._constants import checked_shape, constant, scalar
from ge.es._scopes import apply_scopes, attr_scope, check_scopes, control_dependency_scope
from ge.es._tensor_holder import TensorHolder
from ge.es.tensor_like import convert_to_tensor_holder, partner_data_type
from ge.graph import DataType, Format, Graph, InputType, Node, Shape, Tensor, TensorDesc
from ge.graph._attributes import encode
from ge.graph._checks import check_index, check_instance, check_int, check_str
from ge.graph._desc import check_data_type, check_format
from ge.graph._enums import AttrValueType
from ge.graph._subgraphs import attach

__all__ = ["GraphBuilder", "InputType", "TensorHolder", "attr_scope", "control_dependency_scope"]

_DEFAULT_NAME = "graph"
_OUTPUT = 1  # ge_ir_scope


class GraphBuilder:
    """Builds one graph; `build_and_reset` gives it away, and every later call raises ``RuntimeError``.

    Each creation gives `TensorHolder` objects, which keep the builder alive. Tensors of different builders
    cannot be combined: ``ValueError``.
    """

    __slots__ = ("__weakref__", "_graph", "_inputs", "_name", "_outputs", "_subgraph_names")

    def __init__(self, name: str | None = None) -> None:
        """Starts an empty graph.

        Raises:
            TypeError: The name is no str.
            RuntimeError: The native library failed.
        """
        self._name = _DEFAULT_NAME if name is None else check_str(name, "builder name")
        self._graph: Graph | None = Graph(self._name)
        self._inputs: list[int] = []
        self._outputs: list[tuple[int, Node, int]] = []
        self._subgraph_names: set[str] = set()

    @property
    def name(self) -> str:
        """Name of the graph."""
        return self._name

    def __copy__(self) -> NoReturn:
        raise RuntimeError("GraphBuilder cannot be copied; build the graph and use graph.clone()")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        raise RuntimeError("GraphBuilder cannot be copied; build the graph and use graph.clone()")

    def __repr__(self) -> str:
        state = "built" if self._graph is None else f"{self._graph.node_count} nodes"
        return f"GraphBuilder({self._name!r}, {state})"

    # -- inputs, constants, variables

    def create_input(
        self,
        index: int,
        *,
        name: str | None = None,
        type_str: InputType = InputType.DATA,
        data_type: DataType = DataType.DT_FLOAT,
        format: Format = Format.FORMAT_ND,
        shape: Sequence[int] | Shape | None = None,
    ) -> TensorHolder:
        """A graph input.

        Args:
            index: Position among the inputs, from 0; the build checks that there is no gap.
            name: Name; ``None``: ``input_<index>``.
            type_str: Operator type.
            data_type: Element type.
            format: Layout.
            shape: Sizes, -1 where unknown; ``None``: a scalar.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: A size is below -1.
            RuntimeError: The index is negative, the name is taken, or the graph was built.
        """
        self._check_open()
        number = check_index(index, "index")
        chosen = f"input_{number}" if name is None else check_str(name, "name")
        if not isinstance(type_str, InputType):
            raise TypeError(f"type_str must be an InputType, found {type(type_str).__name__}: {type_str!r}")
        desc = TensorDesc(checked_shape(shape), check_format(format), check_data_type(data_type))
        node = self._create(type_str.value, [], name=chosen, attrs={"index": encode(number)})
        node.update_output_desc(0, desc)
        self._inputs.append(number)
        return TensorHolder._make(self, node, 0)

    def create_inputs(self, num: int, start_index: int = 0) -> list[TensorHolder]:
        """Scalar float inputs ``start_index`` to ``start_index + num - 1``.

        Raises:
            TypeError: ``num`` is no positive int, or ``start_index`` no int of 0 or more.
            RuntimeError: The graph was built.
        """
        if check_int(num, "num") <= 0:
            raise TypeError(f"num must be a positive int, found {num}")
        if check_int(start_index, "start_index") < 0:
            raise TypeError(f"start_index must be an int of 0 or more, found {start_index}")
        return [self.create_input(index) for index in range(start_index, start_index + num)]

    def create_const_int64(self, value: Any, shape: Sequence[int] | None = None) -> TensorHolder:
        """INT64 constant: a number gives a scalar, a list 1-D or ``shape``.

        Raises:
            TypeError: A value is no int.
            ValueError: The counts differ (both are named), or a value is out of range.
            RuntimeError: The graph was built.
        """
        return self._constant_of(value, DataType.DT_INT64, shape)

    def create_const_float(self, value: Any, shape: Sequence[int] | None = None) -> TensorHolder:
        """FLOAT constant, from ints or floats; see `create_const_int64`."""
        return self._constant_of(value, DataType.DT_FLOAT, shape)

    def create_const_uint64(self, value: Any, shape: Sequence[int] | None = None) -> TensorHolder:
        """UINT64 constant; see `create_const_int64`."""
        return self._constant_of(value, DataType.DT_UINT64, shape)

    def create_const_int32(self, value: Any, shape: Sequence[int] | None = None) -> TensorHolder:
        """INT32 constant; see `create_const_int64`."""
        return self._constant_of(value, DataType.DT_INT32, shape)

    def create_const_uint32(self, value: Any, shape: Sequence[int] | None = None) -> TensorHolder:
        """UINT32 constant; see `create_const_int64`."""
        return self._constant_of(value, DataType.DT_UINT32, shape)

    def create_vector_int64(self, value: Sequence[int]) -> TensorHolder:
        """1-D INT64 constant.

        Raises:
            TypeError: It is no list of int.
            ValueError: A value is out of range.
            RuntimeError: The graph was built.
        """
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"value must be a list of int, found {type(value).__name__}: {value!r}")
        return self._constant_of(value, DataType.DT_INT64, None)

    def create_scalar_int64(self, value: int) -> TensorHolder:
        """INT64 scalar.

        Raises:
            TypeError: It is no int.
            ValueError: It is out of range.
            RuntimeError: The graph was built.
        """
        return self._scalar_of(value, DataType.DT_INT64)

    def create_scalar_int32(self, value: int) -> TensorHolder:
        """INT32 scalar; see `create_scalar_int64`."""
        return self._scalar_of(value, DataType.DT_INT32)

    def create_scalar_float(self, value: float) -> TensorHolder:
        """FLOAT scalar, from an int or float; see `create_scalar_int64`."""
        return self._scalar_of(value, DataType.DT_FLOAT)

    def create_scalar_uint64(self, value: int) -> TensorHolder:
        """UINT64 scalar; see `create_scalar_int64`."""
        return self._scalar_of(value, DataType.DT_UINT64)

    def create_scalar_uint32(self, value: int) -> TensorHolder:
        """UINT32 scalar; see `create_scalar_int64`."""
        return self._scalar_of(value, DataType.DT_UINT32)

    def create_const(self, value: Any, *, name: str | None = None) -> TensorHolder:
        """A constant of any type from a `Tensor` (shared), a numpy array, a number or a nested list.

        Raises:
            TypeError: The value is something else.
            ValueError: A list is ragged.
            RuntimeError: The name is taken, or the graph was built.
        """
        self._check_open()
        if isinstance(value, Tensor):
            return self._constant(value, name)
        holder = convert_to_tensor_holder(value, self)
        if holder is None:
            raise TypeError("value must be a Tensor, a numpy array, a number or a list, found None")
        if name is not None:
            holder._node.name = check_str(name, "name")
        return holder

    def create_variable(self, index: int, name: str) -> TensorHolder:
        """A variable; index and name identify it for the runtime.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: The name is taken, or the graph was built.
        """
        self._check_open()
        number = check_index(index, "index")
        node = self._create("Variable", [], name=check_str(name, "name"), attrs={"index": encode(number)})
        return TensorHolder._make(self, node, 0)

    def _constant_of(self, value: Any, data_type: DataType, shape: Sequence[int] | None) -> TensorHolder:
        self._check_open()
        return self._constant(constant(value, data_type, shape))

    def _scalar_of(self, value: Any, data_type: DataType) -> TensorHolder:
        self._check_open()
        return self._constant(scalar(value, data_type))

    def _constant(self, tensor: Tensor, name: str | None = None) -> TensorHolder:
        self._check_open()
        chosen = "" if name is None else check_str(name, "name")
        node = self._create("Const", [], name=chosen, attrs={"value": (AttrValueType.VT_TENSOR, tensor)})
        dtype, layout, _, dims = tensor._info()[:4]
        node._desc_set(_OUTPUT, 0, (dtype, layout, layout, 1, dims, None, 0, (), None))
        return TensorHolder._make(self, node, 0)

    # -- attributes, control edges

    def set_graph_attr_int64(self, attr_name: str, value: int) -> None:
        """Sets an attribute of the graph.

        Raises:
            TypeError: The name is no str or the value no int.
            RuntimeError: The graph was built.
        """
        self._open_graph().set_attr(check_str(attr_name, "attr_name"), _int(value))

    def set_graph_attr_string(self, attr_name: str, value: str) -> None:
        """As `set_graph_attr_int64`, a str."""
        self._open_graph().set_attr(check_str(attr_name, "attr_name"), check_str(value, "value"))

    def set_graph_attr_bool(self, attr_name: str, value: bool) -> None:
        """As `set_graph_attr_int64`, a bool."""
        self._open_graph().set_attr(check_str(attr_name, "attr_name"), _bool(value))

    def set_tensor_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Sets an attribute of one output.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: The tensor is of another builder.
            RuntimeError: The graph was built.
        """
        self._set_tensor_attr(tensor, attr_name, value, _int)

    def set_tensor_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """As `set_tensor_attr_int64`, a str."""
        self._set_tensor_attr(tensor, attr_name, value, _str)

    def set_tensor_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """As `set_tensor_attr_int64`, a bool."""
        self._set_tensor_attr(tensor, attr_name, value, _bool)

    def set_node_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Sets an attribute of the node that produces the tensor; errors as `set_tensor_attr_int64`."""
        self._set_node_attr(tensor, attr_name, value, _int)

    def set_node_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """As `set_node_attr_int64`, a str."""
        self._set_node_attr(tensor, attr_name, value, _str)

    def set_node_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """As `set_node_attr_int64`, a bool."""
        self._set_node_attr(tensor, attr_name, value, _bool)

    def _set_tensor_attr(self, tensor: Any, attr_name: str, value: Any, check: Callable[[Any], Any]) -> None:
        self._check_own(tensor, "tensor")
        tensor._node.set_output_attr(check_str(attr_name, "attr_name"), tensor._index, check(value))

    def _set_node_attr(self, tensor: Any, attr_name: str, value: Any, check: Callable[[Any], Any]) -> None:
        self._check_own(tensor, "tensor")
        tensor._node.set_attr(check_str(attr_name, "attr_name"), check(value))

    def add_control_dependency(self, dst_tensor: TensorHolder, src_tensors: Sequence[TensorHolder]) -> None:
        """Makes the producer of ``dst_tensor`` run after those of ``src_tensors``.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: A tensor is of another builder.
            RuntimeError: The graph was built.
        """
        self._check_own(dst_tensor, "dst_tensor")
        if not isinstance(src_tensors, (list, tuple)):
            raise TypeError(f"src_tensors must be a list of TensorHolder, found {type(src_tensors).__name__}")
        for position, source in enumerate(src_tensors):
            self._check_own(source, f"src_tensors[{position}]")
        for source in src_tensors:
            source._node._control_add(dst_tensor._node)

    # -- outputs, build

    def set_graph_output(self, tensor: TensorHolder, output_index: int) -> None:
        """Makes a tensor graph output ``output_index``; the build checks that there is no gap.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: The tensor is of another builder.
            RuntimeError: The index is negative, or the graph was built.
        """
        self._check_own(tensor, "tensor")
        self._outputs.append((check_index(output_index, "output_index"), tensor._node, tensor._index))

    def build_and_reset(self, outputs: Sequence[TensorHolder] | None = None) -> Graph:
        """Gives the graph away.

        Args:
            outputs: Graph outputs from 0 on, beside those set with `set_graph_output`.

        Raises:
            TypeError: ``outputs`` is no list of TensorHolder.
            ValueError: One is of another builder.
            RuntimeError: Indices of inputs or outputs have a gap or a duplicate (the text names the index), or the
                graph was built before. After a failure the builder is as it was.
        """
        graph = self._open_graph()
        chosen = list(self._outputs)
        if outputs is not None:
            if not isinstance(outputs, (list, tuple)):
                raise TypeError(f"outputs must be a list of TensorHolder, found {type(outputs).__name__}: {outputs!r}")
            for position, tensor in enumerate(outputs):
                self._check_own(tensor, f"outputs[{position}]")
                chosen.append((position, tensor._node, tensor._index))
        _check_contiguous(self._inputs, "input", self._name)
        _check_contiguous([number for number, _, _ in chosen], "output", self._name)
        if chosen:
            chosen.sort(key=lambda item: item[0])
            values = [(node, index) for _, node, index in chosen]
            graph._create_node("NetOutput", "", 0, "", values, 0, None)
        self._graph = None
        self._outputs.clear()
        return graph

    # -- what operator functions are built from

    def _add_op(
        self,
        type: str,
        inputs: Sequence[Any],
        *,
        domain: str = "",
        version: int = 0,
        attrs: Mapping[str, Any] | None = None,
        output_count: int = 1,
        subgraphs: Mapping[str, Graph | Sequence[Graph]] | None = None,
        name: str | None = None,
    ) -> list[TensorHolder]:
        """Adds one operator.

        Args:
            type: Operator type.
            inputs: Operands: tensors, tensor-likes, ``None`` for an absent one.
            domain: Operator domain.
            version: Opset version; 0 unsaid.
            attrs: Attributes; ``None`` values are left out, a pair ``(AttrValueType, plain value)`` is stored as it is.
                A `Tensor` is given away.
            output_count: Number of outputs.
            subgraphs: Bodies by key; those of a list get the keys ``<key>0``, ``<key>1``, ... They are given away.
            name: Name; ``None``: made from the type.

        Raises:
            TypeError: An operand has the wrong type.
            ValueError: Tensors of different builders, a literal that does not fit, an attribute without a kind.
            RuntimeError: A subgraph or tensor was given away before, a name is taken, or the graph was built. No node
                is left.
        """
        self._check_open()
        for position, operand in enumerate(inputs):
            if isinstance(operand, TensorHolder):
                self._check_own(operand, f"input {position} of {type}")
        encoded = {key: _encode_attr(type, key, value) for key, value in (attrs or {}).items() if value is not None}
        given = _given_tensors(encoded)
        bodies = dict(_flat_bodies(subgraphs or {}))
        self._check_bodies(bodies)
        operands = self._operands(inputs)
        node = self._create(type, operands, domain, version, name or "", encoded, output_count)
        for tensor in given:
            tensor._transfer_ownership(self._graph)
        for key, body in bodies.items():
            attach(node, key, body)
            self._subgraph_names.add(body.name)
        return [TensorHolder._make(self, node, index) for index in range(output_count)]

    def _operands(self, inputs: Sequence[Any]) -> list[tuple[Node, int] | None]:
        partner: DataType | None = None
        if any(item is not None and not isinstance(item, TensorHolder) for item in inputs):
            partner = partner_data_type(inputs)
        values: list[tuple[Node, int] | None] = []
        for item in inputs:
            holder = item if isinstance(item, TensorHolder) else convert_to_tensor_holder(item, self, partner)
            values.append(None if holder is None else (holder._node, holder._index))
        return values

    def _create(
        self,
        op_type: str,
        inputs: Sequence[tuple[Node, int] | None],
        domain: str = "",
        version: int = 0,
        name: str = "",
        attrs: Mapping[str, tuple[int, Any]] | None = None,
        output_count: int = 1,
    ) -> Node:
        check_scopes(self)
        node: Node = self._open_graph()._create_node(op_type, domain, version, name, inputs, output_count, None)
        for key, (kind, value) in (attrs or {}).items():
            node._attr_set(0, 0, key, kind, value)
        apply_scopes(node)
        return node

    def _check_bodies(self, bodies: Mapping[str, Graph]) -> None:
        taken = set(self._subgraph_names)
        for key, body in bodies.items():
            check_instance(body, Graph, f"subgraph {key!r}")._check_transferable()
            name = body.name
            # Unnamed builders all give the default name; only chosen names must differ.
            if name != _DEFAULT_NAME and name in taken:
                raise RuntimeError(f"subgraph name {name!r} is already used in graph {self._name!r}; names must differ")
            taken.add(name)

    def _check_open(self) -> None:
        if self._graph is None:
            raise RuntimeError(
                f"GraphBuilder has already been built: {self._name!r} takes no more calls; make a new one"
            )

    def _open_graph(self) -> Graph:
        self._check_open()
        assert self._graph is not None
        return self._graph

    def _check_own(self, tensor: Any, what: str) -> None:
        check_instance(tensor, TensorHolder, what)
        if tensor._builder is not self:
            raise ValueError(
                f"{what} is a tensor of GraphBuilder {tensor._builder._name!r}; tensors from different GraphBuilders "
                f"cannot be combined in {self._name!r}"
            )
        self._check_open()


def _flat_bodies(subgraphs: Mapping[str, Graph | Sequence[Graph]]) -> Iterator[tuple[str, Graph]]:
    for key, body in subgraphs.items():
        if isinstance(body, (list, tuple)):
            yield from ((f"{key}{position}", item) for position, item in enumerate(body))
        else:
            yield key, body  # type: ignore[misc]


def _encode_attr(op_type: str, key: str, value: Any) -> tuple[int, Any]:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], AttrValueType):
        return value
    try:
        return encode(value)
    except ValueError as error:
        raise ValueError(f"attribute {key!r} of {op_type}: {error}") from None


def _given_tensors(encoded: Mapping[str, tuple[int, Any]]) -> list[Tensor]:
    found: list[Tensor] = []
    for kind, value in encoded.values():
        if kind == AttrValueType.VT_TENSOR:
            found.append(value)
        elif kind == AttrValueType.VT_LIST_TENSOR:
            found += value
    for tensor in found:
        if tensor._owner is not None:
            raise RuntimeError("this Tensor was already given to an operator; pass another, or node.get_attr's copy")
    return found


def _check_contiguous(numbers: list[int], what: str, name: str) -> None:
    seen: set[int] = set()
    for number in numbers:
        if number in seen:
            raise RuntimeError(f"cannot build graph {name!r}: {what} index {number} is used twice")
        seen.add(number)
    for expected in range(len(numbers)):
        if expected not in seen:
            raise RuntimeError(
                f"cannot build graph {name!r}: {what} index {expected} is missing, found {sorted(seen)}; "
                f"{what} indices must be 0 to {len(numbers) - 1}"
            )


def _int(value: Any) -> int:
    return check_int(value, "value")


def _str(value: Any) -> str:
    return check_str(value, "value")


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"value must be bool, found {type(value).__name__}: {value!r}")
    return value
