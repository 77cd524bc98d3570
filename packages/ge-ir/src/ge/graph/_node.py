"""`Node`: one operator of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ge.graph import _owner
from ge.graph._attributes import decode, encode
from ge.graph._base import NodeBase
from ge.graph._checks import check_index, check_instance, check_int, check_str
from ge.graph._desc import TensorDesc
from ge.graph._enums import AttrValueType

if TYPE_CHECKING:
    from ge.graph._graph import Graph

__all__ = ["Node"]

_OUTPUT, _INPUT = 1, 2  # ge_ir_scope


class Node(NodeBase):
    """An operator with data inputs, outputs, control edges, attributes and subgraphs.

    Nodes come from graphs: `Graph.create_node`, `Graph.get_direct_nodes`, another node's edges. Two
    objects of one node are equal and hash alike. A node keeps its graph alive; once it is removed from
    it, every use raises ``RuntimeError`` ("... has expired").

    Inherited from the binding: ``name`` (settable), ``type``, ``domain``, ``op_version``, ``graph``,
    ``is_live``, ``input_count``, ``output_count``, ``inputs``, ``input(i)``, ``users(i)``,
    ``use_count(i)``, ``control_inputs``, ``control_outputs``.
    """

    __slots__ = ()
    _COPY_HINT = "it is a reference to a node of a graph: pass it on as it is"

    attr_names = property(_owner.attr_names)
    get_attr = _owner.get_attr
    find_attr = _owner.find_attr
    get_attr_type = _owner.get_attr_type
    has_attr = _owner.has_attr
    set_attr = _owner.set_attr
    remove_attr = _owner.remove_attr
    __copy__ = _owner.refuse_copy
    __deepcopy__ = _owner.refuse_copy
    __reduce_ex__ = _owner.refuse_pickle

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Refused.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("Node cannot be constructed; use Graph.create_node or a GraphBuilder")

    def __repr__(self) -> str:
        return f"Node({self.name!r}, type={self.type!r})" if self.is_live else "Node(expired)"

    # -- edges

    def get_in_control_nodes(self) -> list[Node]:
        """Sources of incoming control edges, in order of making."""
        return self.control_inputs

    def get_out_control_nodes(self) -> list[Node]:
        """Targets of outgoing control edges, in order of making."""
        return self.control_outputs

    def get_in_data_nodes_and_port_indexes(self, index: int) -> tuple[Node, int]:
        """Producer of an input and its output index.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such input, or it is absent.
        """
        found = self.input(check_index(index, "input index"))
        if found is None:
            raise RuntimeError(f"input {index} of node {self.name!r} ({self.type}) is absent")
        return found

    def get_out_data_nodes_and_port_indexes(self, index: int) -> list[tuple[Node, int]]:
        """Readers of an output with their input slots.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such output.
        """
        return self.users(check_index(index, "output index"))

    def get_inputs_size(self) -> int:
        """Number of input slots, absent ones counted."""
        return self.input_count

    def get_outputs_size(self) -> int:
        """Number of outputs."""
        return self.output_count

    def set_input(self, index: int, producer: Node | None, output_index: int = 0) -> None:
        """Makes an input read another value; ``None`` makes it absent.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: There is no such slot or output, or the producer is not in scope.
        """
        check_index(index, "input index")
        if producer is not None:
            check_instance(producer, Node, "producer")
        self._set_input(index, producer, check_index(output_index, "output index"))

    def replace_uses(self, index: int, new_node: Node, new_index: int = 0) -> None:
        """Every reader of output ``index`` reads ``(new_node, new_index)`` instead, but ``new_node`` itself.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: A reader could not see the new value; then nothing changes.
        """
        check_instance(new_node, Node, "new_node")
        self._replace_uses(check_index(index, "output index"), new_node, check_index(new_index, "new_index"))

    def resize(self, *, inputs: int | None = None, outputs: int | None = None) -> None:
        """Changes the number of input slots or outputs; new inputs are absent.

        Raises:
            TypeError: A count is no int.
            RuntimeError: An output that is still read would go.
        """
        new_inputs = self.input_count if inputs is None else check_index(inputs, "inputs")
        self._set_arity(new_inputs, self.output_count if outputs is None else check_index(outputs, "outputs"))

    # -- operator, order

    def set_op(self, op_type: str, domain: str = "", op_version: int = 0) -> None:
        """Changes the operator in place; edges and attributes stay.

        Raises:
            TypeError: An argument has the wrong type.
        """
        self._set_op(check_str(op_type, "op_type"), check_str(domain, "domain"), check_int(op_version, "op_version"))

    def move_before(self, anchor: Node | None) -> None:
        """Moves the node in the list order: before another one, or to the end.

        Raises:
            TypeError: The anchor is no Node.
            RuntimeError: The anchor is in another graph.
        """
        self._move_before(None if anchor is None else check_instance(anchor, Node, "anchor"))

    # -- attributes of inputs and outputs

    def get_input_attr(self, name: str, index: int) -> Any:
        """Attribute of an input; errors as `get_attr`."""
        return self._scoped_attr(_INPUT, name, index)

    def set_input_attr(self, name: str, index: int, value: Any, *, kind: AttrValueType | None = None) -> None:
        """Sets an attribute of an input; errors as `set_attr`."""
        self._set_scoped_attr(_INPUT, name, index, value, kind)

    def get_output_attr(self, name: str, index: int) -> Any:
        """Attribute of an output; errors as `get_attr`."""
        return self._scoped_attr(_OUTPUT, name, index)

    def set_output_attr(self, name: str, index: int, value: Any, *, kind: AttrValueType | None = None) -> None:
        """Sets an attribute of an output; errors as `set_attr`."""
        self._set_scoped_attr(_OUTPUT, name, index, value, kind)

    def _scoped_attr(self, scope: int, name: str, index: int) -> Any:
        check_str(name, "attribute name")
        return decode(*self._attr_get(scope, check_index(index, "index"), name))

    def _set_scoped_attr(self, scope: int, name: str, index: int, value: Any, kind: AttrValueType | None) -> None:
        check_str(name, "attribute name")
        self._attr_set(scope, check_index(index, "index"), name, *encode(value, kind))

    # -- descriptors, value names

    def get_input_desc(self, index: int) -> TensorDesc:
        """Descriptor of an input: its own one, else its producer's.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such input, or it is absent.
        """
        return self._desc(_INPUT, check_index(index, "input index"), "input")

    def get_output_desc(self, index: int) -> TensorDesc:
        """Descriptor of an output.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such output.
        """
        return self._desc(_OUTPUT, check_index(index, "output index"), "output")

    def update_input_desc(self, index: int, desc: TensorDesc) -> None:
        """Gives an input a descriptor of its own.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: There is no such input.
        """
        check_instance(desc, TensorDesc, "desc")
        self._desc_set(_INPUT, check_index(index, "input index"), desc._to_item())

    def update_output_desc(self, index: int, desc: TensorDesc) -> None:
        """Sets the descriptor of an output.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: There is no such output.
        """
        check_instance(desc, TensorDesc, "desc")
        self._desc_set(_OUTPUT, check_index(index, "output index"), desc._to_item())

    def _desc(self, scope: int, index: int, what: str) -> TensorDesc:
        item = self._desc_find(scope, index)
        if item is None:
            raise RuntimeError(f"{what} {index} of node {self.name!r} ({self.type}) is absent and has no descriptor")
        return TensorDesc._from_item(item)

    def output_name(self, index: int = 0) -> str:
        """Name of an output value, empty if it has none.

        Raises:
            TypeError: The index is no int.
            RuntimeError: There is no such output.
        """
        return self._value_name(check_index(index, "output index"))

    def set_output_name(self, index: int, name: str) -> None:
        """Names an output value.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: There is no such output.
        """
        self._set_value_name(check_index(index, "output index"), check_str(name, "name"))

    # -- subgraphs

    @property
    def subgraphs(self) -> dict[str, Graph]:
        """Bodies by key (the operator's attribute), in order of attaching."""
        return dict(self._subgraphs())

    def add_subgraph(self, key: str, graph: Graph) -> None:
        """Gives a root graph to the node as a body; it keeps its new owner alive from then on.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: The key is taken, or the graph was given away before.
        """
        from ge.graph._subgraphs import attach

        attach(self, check_str(key, "key"), graph)

    def remove_subgraph(self, key: str) -> Graph:
        """Takes a body back as a root graph.

        Raises:
            TypeError: The key is no str.
            RuntimeError: There is none, or it reads values of the graphs around it.
        """
        from ge.graph._subgraphs import detach

        return detach(self, check_str(key, "key"))
