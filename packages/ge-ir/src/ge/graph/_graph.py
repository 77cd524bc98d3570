"""`Graph`: a directed graph of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ge.graph import _graph_io, _owner, _subgraphs
from ge.graph._base import GraphBase
from ge.graph._checks import check_index, check_instance, check_int, check_str
from ge.graph._desc import TensorDesc
from ge.graph._node import Node
from ge.graph._transaction import Transaction

__all__ = ["Graph"]

_LIST_ORDER, _TOPOLOGICAL = 0, 1  # ge_ir_order
_DROP_USES = 1  # ge_ir_remove_flags
_CONTROL = -1


class Graph(GraphBase):
    """A graph of operators with inputs, outputs, attributes and subgraphs.

    Inputs are nodes of type ``Data`` (or another `InputType`) with an int attribute ``index``; constants are
    ``Const`` nodes with a tensor attribute ``value``; outputs are what the single ``NetOutput`` node reads, and
    its list attribute ``output_names``, where present, names them.

    Two objects of one graph are equal. Inherited from the binding: ``name`` (settable), ``version`` (grows with
    every change, restored by a rollback), ``node_count``.
    """

    __slots__ = ("__weakref__",)
    _COPY_HINT = "use graph.clone()"

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

    dump_to_file = _graph_io.dump_to_file
    dump_to_stream = _graph_io.dump_to_stream
    save_to_air = _graph_io.save_to_air
    load_from_air = _graph_io.load_from_air
    to_text = _graph_io.to_text
    inputs = property(_graph_io.inputs)
    outputs = property(_graph_io.outputs)
    input_names = property(_graph_io.input_names)
    output_names = property(_graph_io.output_names)

    def __init__(self, name: str = "graph") -> None:
        """Makes an empty graph.

        Raises:
            TypeError: The name is no str.
            RuntimeError: The native library failed.
        """
        super().__init__()
        self._create(check_str(name, "graph name"))

    def __repr__(self) -> str:
        try:
            return f"Graph({self.name!r}, {self.node_count} nodes)"
        except RuntimeError:
            return "Graph(expired)"

    def __str__(self) -> str:
        text: str = self.to_text(elide=True)
        return text

    @classmethod
    def parse(cls, text: str, source_name: str = "<text>") -> Graph:
        """A graph from its text form.

        Args:
            text: What `to_text` gives.
            source_name: Name of the source in error texts, for example a file name.

        Raises:
            TypeError: An argument is no str.
            RuntimeError: The text is malformed; the message has line, column and a caret.
        """
        check_str(text, "text")
        graph: Graph = cls._parse(text, check_str(source_name, "source_name"))
        return graph

    def clone(self, name: str | None = None) -> Graph:
        """A deep copy with subgraphs; constants are shared.

        Raises:
            TypeError: The name is no str.
            RuntimeError: The graph is a body that reads values of the graphs around it.
        """
        copy: Graph = self._clone(self.name if name is None else check_str(name, "name"))
        return copy

    # -- nodes

    def get_direct_nodes(self) -> list[Node]:
        """Nodes of this graph in list order, without those of subgraphs."""
        return self._nodes(_LIST_ORDER)

    def get_all_nodes(self) -> list[Node]:
        """Nodes of this graph and of all subgraphs below it; a graph's own nodes come first."""
        found: list[Node] = self._nodes(_LIST_ORDER)
        for graph in self.get_all_subgraphs():
            found += graph._nodes(_LIST_ORDER)
        return found

    def topological_order(self) -> list[Node]:
        """Direct nodes, producers first; the list order stays as it is.

        Raises:
            RuntimeError: The graph has a cycle.
        """
        return self._nodes(_TOPOLOGICAL)

    def sort(self) -> None:
        """Makes the list order topological, keeping it where it already is.

        Raises:
            RuntimeError: The graph has a cycle; the order stays.
        """
        self._sort()

    def find_node_by_name(self, name: str) -> Node:
        """The direct node of that name.

        Raises:
            TypeError: The name is no str.
            RuntimeError: There is none.
        """
        node: Node | None = self._find(check_str(name, "node name"))
        if node is None:
            raise RuntimeError(f"graph {self.name!r} has no node named {name!r} among its {self.node_count} nodes")
        return node

    def find_node(self, name: str) -> Node | None:
        """As `find_node_by_name`, but ``None`` where there is none.

        Raises:
            TypeError: The name is no str.
        """
        node: Node | None = self._find(check_str(name, "node name"))
        return node

    def unique_name(self, base: str) -> str:
        """A node name that is free: ``base`` or ``base_<n>``.

        Raises:
            TypeError: The base is no str.
        """
        return self._unique_name(check_str(base, "base"))

    def create_node(
        self,
        op_type: str,
        inputs: Sequence[Node | tuple[Node, int] | None] = (),
        *,
        name: str = "",
        domain: str = "",
        op_version: int = 0,
        output_count: int = 1,
        attrs: Mapping[str, Any] | None = None,
        output_descs: Sequence[TensorDesc | None] = (),
        before: Node | None = None,
    ) -> Node:
        """Makes a node in this graph.

        Args:
            op_type: Operator type.
            inputs: Values read: a node (its output 0), a pair ``(node, output index)``, or ``None`` (absent).
            name: Name; empty: a unique one is made from the type.
            domain: Operator domain.
            op_version: Opset version; 0 unsaid.
            output_count: Number of outputs.
            attrs: Attributes to set.
            output_descs: Descriptors of the first outputs; ``None`` leaves one unset.
            before: Node in front of which it stands in the list order; ``None``: at the end.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: An attribute value has no kind, or there are more descriptors than outputs.
            RuntimeError: The name is taken, or a producer is not in this graph or one around it. Nothing is left
                behind.
        """
        check_str(op_type, "op_type")
        values = [_as_value(item, position) for position, item in enumerate(inputs)]
        encoded = [(check_str(key, "attribute key"), *_encode(key, value)) for key, value in (attrs or {}).items()]
        count = check_index(output_count, "output_count")
        descs = [(position, desc) for position, desc in enumerate(output_descs) if desc is not None]
        for position, desc in descs:
            check_instance(desc, TensorDesc, f"output_descs[{position}]")
            if position >= count:
                raise ValueError(f"output_descs has an entry for output {position}, but output_count is {count}")
        node: Node = self._create_node(
            op_type,
            check_str(domain, "domain"),
            check_int(op_version, "op_version"),
            check_str(name, "name"),
            values,
            count,
            None if before is None else check_instance(before, Node, "before"),
        )
        for key, kind, value in encoded:
            node._attr_set(0, 0, key, kind, value)
        for position, desc in descs:
            node.update_output_desc(position, desc)
        return node

    def remove_node(self, node: Node, *, drop_uses: bool = False) -> None:
        """Removes a node of this graph with its edges and subgraphs.

        Args:
            node: The node.
            drop_uses: Readers of its outputs become absent inputs; without it a node that is read is refused.

        Raises:
            TypeError: It is no Node.
            RuntimeError: It is in another graph, or it is still read (the text names a reader).
        """
        check_instance(node, Node, "node")
        self._check_member(node)
        node._remove(_DROP_USES if drop_uses else 0)

    def replace_all_uses(self, old: Node | tuple[Node, int], new: Node | tuple[Node, int]) -> None:
        """Every reader of ``old`` (captures in subgraphs too) reads ``new`` instead, but the node of ``new`` itself.

        Raises:
            TypeError: An argument is neither a Node nor a pair.
            RuntimeError: A reader could not see the new value; then nothing changes.
        """
        old_value, new_value = _as_value(old, 0), _as_value(new, 1)
        if old_value is None or new_value is None:
            raise TypeError("replace_all_uses needs two values, found None")
        old_value[0]._replace_uses(old_value[1], new_value[0], new_value[1])

    # -- edges

    def add_data_edge(self, src_node: Node, src_port_index: int, dst_node: Node, dst_port_index: int) -> None:
        """Connects an output to an input slot that is absent.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: There is no such output or slot, the slot is connected, or the producer is not in scope.
        """
        self._check_pair(src_node, dst_node)
        check_index(src_port_index, "src_port_index")
        check_index(dst_port_index, "dst_port_index")
        present = dst_node.input(dst_port_index)
        if present is not None:
            raise RuntimeError(
                f"input {dst_port_index} of node {dst_node.name!r} already reads output {present[1]} of "
                f"{present[0].name!r}; remove that edge first, or use node.set_input"
            )
        dst_node._set_input(dst_port_index, src_node, src_port_index)

    def add_control_edge(self, src_node: Node, dst_node: Node) -> None:
        """Makes ``dst_node`` run after ``src_node``; adding it twice changes nothing.

        Raises:
            TypeError: An argument is no Node.
            RuntimeError: The nodes are not in one graph.
        """
        self._check_pair(src_node, dst_node)
        src_node._control_add(dst_node)

    def remove_edge(self, src_node: Node, src_port_index: int, dst_node: Node, dst_port_index: int) -> None:
        """Removes a data edge, or with -1 for both indices a control edge.

        Raises:
            TypeError: An argument has the wrong type.
            RuntimeError: There is no such edge.
        """
        self._check_pair(src_node, dst_node)
        source, target = check_int(src_port_index, "src_port_index"), check_int(dst_port_index, "dst_port_index")
        if source == target == _CONTROL:
            src_node._control_remove(dst_node)
            return
        check_index(source, "src_port_index")
        if dst_node.input(check_index(target, "dst_port_index")) != (src_node, source):
            raise RuntimeError(
                f"there is no edge from output {source} of {src_node.name!r} to input {target} of {dst_node.name!r}"
            )
        dst_node._set_input(target, None, 0)

    def _check_pair(self, src_node: Node, dst_node: Node) -> None:
        check_instance(src_node, Node, "src_node")
        self._check_member(check_instance(dst_node, Node, "dst_node"))

    def _check_member(self, node: Node) -> None:
        graph = node.graph
        if graph._handle != self._handle:
            raise RuntimeError(f"node {node.name!r} is in graph {graph.name!r}, not in graph {self.name!r}")

    # -- subgraphs

    @property
    def subgraphs(self) -> dict[str, Graph]:
        """Library subgraphs that this graph owns itself (those of its nodes are the nodes'), by key."""
        return dict(self._subgraphs())

    def get_all_subgraphs(self) -> list[Graph]:
        """All subgraphs below this graph: bodies of nodes and library subgraphs, outer ones first."""
        found: list[Graph] = []
        waiting: list[Graph] = [self]
        for graph in waiting:  # grows while it is walked
            direct = [child for _, child in graph._subgraphs()]
            for node in graph._nodes(_LIST_ORDER):
                direct += [child for _, child in node._subgraphs()]
            found += direct
            waiting += direct
        return found

    def get_subgraph(self, name: str) -> Graph | None:
        """The subgraph of that name: a library subgraph, else the first body below this graph; ``None``: there is none.

        Raises:
            TypeError: The name is no str.
        """
        library: Graph | None = self._subgraph(check_str(name, "subgraph name"))
        if library is not None:
            return library
        return next((graph for graph in self.get_all_subgraphs() if graph.name == name), None)

    def add_subgraph(self, graph: Graph) -> None:
        """Gives a root graph to this one as a library subgraph under its name.

        Raises:
            TypeError: It is no Graph.
            RuntimeError: The name is taken, or the graph was given away before.
        """
        _subgraphs.attach(self, check_instance(graph, Graph, "graph").name, graph)

    def remove_subgraph(self, name: str) -> Graph:
        """Takes a library subgraph back as a root graph.

        Raises:
            TypeError: The name is no str.
            RuntimeError: There is none of that name.
        """
        return _subgraphs.detach(self, check_str(name, "subgraph name"))

    @property
    def parent_node(self) -> Node | None:
        """The node whose body this graph is; ``None`` for a root or a library subgraph."""
        handle, _ = self._parent()
        return Node._wrap(handle, _subgraphs.root_of(self)) if handle >> 56 == _NODE_HANDLE else None

    # -- change as a whole

    def transaction(self) -> Transaction:
        """Edits that hold together: ``with graph.transaction():`` commits, or rolls back to the bit on an exception.

        Raises:
            RuntimeError: The native library failed.
        """
        return Transaction(_subgraphs.root_of(self))

    def verify(self) -> None:
        """Checks structure, uses, order, names and scopes, subgraphs included.

        Raises:
            RuntimeError: A rule is broken; the text lists every finding.
        """
        report: str = self._verify()
        if report:
            raise RuntimeError(f"graph {self.name!r} is not valid:\n{report}")

    # -- ownership, for this package and its siblings

    @classmethod
    def _create_from(cls, handle: int, owns_handle: bool = True, owner: Any = None) -> Graph:
        """An object for a handle.

        Raises:
            ValueError: The handle is 0.
        """
        if not handle:
            raise ValueError("graph handle must not be null")
        graph: Graph = cls._adopt(handle) if owns_handle else cls._wrap(handle, owner)
        return graph

    def _transfer_ownership_when_pass_as_subgraph(self, owner: Any) -> None:
        """Marks the graph as owned by ``owner``, which it keeps alive.

        Raises:
            RuntimeError: It was given away before.
        """
        self._check_transferable()
        self._owner, self._owns = owner, False

    def _check_transferable(self) -> None:
        if not self._handle:
            raise RuntimeError("Graph has expired: it was moved away and cannot be given to another owner")
        if not self._owns:
            raise RuntimeError(
                f"graph {self.name!r} is already owned by another object and cannot be given away again; "
                f"use graph.clone()"
            )

    def _expire(self) -> None:
        """Ends a view: every later use, also through its nodes, raises."""
        self._handle, self._owns = 0, False


_NODE_HANDLE = 2  # ge_handle_type of a node


def _encode(key: str, value: Any) -> tuple[int, Any]:
    from ge.graph._attributes import encode

    try:
        return encode(value)
    except ValueError as error:
        raise ValueError(f"attribute {key!r}: {error}") from None


def _as_value(item: Any, position: int) -> tuple[Node, int] | None:
    if item is None:
        return None
    if isinstance(item, Node):
        return item, 0
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Node):
        return item[0], check_index(item[1], f"output index of value {position}")
    raise TypeError(f"value {position} must be a Node, a pair (Node, int) or None, found {item!r}")
