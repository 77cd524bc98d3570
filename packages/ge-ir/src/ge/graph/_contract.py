"""The primitive layer: what every binding of ``libge_ir`` provides, written once.

`Graph`, `Node` and `Tensor` are Python classes that derive from `GraphBase`, `NodeBase` and
`TensorBase`. Those three exist once in `_base_ctypes` (any interpreter) and once in the native
extension of an artifact set; `_base` picks one. A binding is a module with the functions of
`BindingModule` and the three classes below. A contract test compares both with this file: the same
names, kinds (method, classmethod, property) and parameter names.

Rules that hold for both:

1. Names without a leading underscore are inherited unchanged by the public classes; their parameters
   may be passed by keyword and have the right types checked (``TypeError``). Names with an underscore
   are called by this package alone, positionally, with checked arguments.
2. ``_handle`` is the 64-bit handle, 0 for an object without one. ``_owner`` is a Python object that
   must outlive this one: for a node always a `Graph` object, for a subgraph the `Graph` object it was
   reached from, for a graph given away its new owner, for a root ``None``. What is reached from a graph
   object ``g`` gets ``g._owner`` if that is a graph object, else ``g`` itself; what is reached from a
   node ``n`` gets ``n._owner``. All three attributes may be read and written from Python.
3. ``_owns`` says that this object releases the handle when it dies (graphs: ``graph_release``;
   tensors: ``tensor_release``). Nodes never own.
4. Objects are equal when their handles are equal and not 0; the hash is the hash of the handle.
5. Objects are made through ``_wrap``/``_adopt`` of the most derived classes, those given to
   `register_types`; ``_wrap`` runs no ``__init__``. Where a node's graph is the root that ``_owner``
   stands for, the very ``_owner`` object is returned.
6. A status other than OK raises what the factory given to `register_error` makes of
   ``(status, message, slot)``. Use of an object with a handle of 0, or whose ``_owner`` is a graph object
   with a handle of 0, is status EXPIRED with the message ``"<Class> has expired"``.
7. Texts are ``str``. STRING attributes that are not UTF-8 come as ``bytes``. Booleans are ``bool``.
8. An index that is no 32-bit unsigned number is status OUT_OF_RANGE.
9. Nothing here imports numpy.

Plain forms used below:

* ``AttrItem = (kind, value)``, kind as in ``ge_ir_attr_kind``. Values: INT/DTYPE ``int``, BOOL
  ``bool``, FLOAT/FLOAT32 ``float``, STRING ``str`` (or ``bytes``), BYTES ``bytes``, TYPE ``str``,
  REFERENCE ``(str, int)`` = (attribute name, its kind), TENSOR a `Tensor` object (on get: a new
  reference), and ``list`` of these for the list kinds; LIST_LIST_INT is a list of lists of int.
* ``DescItem = (dtype, format, origin_format, rank_kind, dims, symbols, origin_rank_kind, origin_dims,
  type_text)``: ints, ``dims``/``origin_dims`` tuples of int, ``symbols`` ``None`` or a tuple of
  ``str | None`` as long as dims, ``type_text`` ``str | None``.
* ``Value = (node, output_index)``; an absent one is ``None``.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Protocol, Sequence, Tuple, Type

AttrItem = Tuple[int, Any]
DescItem = Tuple[
    int, int, int, int, Tuple[int, ...], Optional[Tuple[Optional[str], ...]], int, Tuple[int, ...], Optional[str]
]


class AttributeOwner(Protocol):
    """What graphs and nodes share: attributes and subgraphs (graphs: scope 0, index 0)."""

    def _attr_get(self, scope: int, index: int, key: str) -> AttrItem:
        """One attribute; status NOT_FOUND raises."""

    def _attr_find(self, scope: int, index: int, key: str) -> AttrItem | None:
        """As `_attr_get`, but ``None`` for status NOT_FOUND."""

    def _attr_set(self, scope: int, index: int, key: str, kind: int, value: Any) -> None:
        """Sets or replaces an attribute of that kind."""

    def _attr_remove(self, scope: int, index: int, key: str) -> None:
        """Removes an attribute."""

    def _attr_keys(self, scope: int, index: int) -> list[str]:
        """Keys in order of first setting."""

    def _subgraphs(self) -> list[tuple[str, Any]]:
        """(key, `Graph`) of the direct subgraphs in order of attaching."""

    def _subgraph(self, key: str) -> Any:
        """The subgraph under the key, or ``None``."""

    def _attach(self, key: str, child: Any) -> None:
        """Native attach only; the flags ``_owns``/``_owner`` of the child are the caller's business."""

    def _detach(self, key: str) -> int:
        """Native detach; the handle of the child, now a root that the caller must own."""


class GraphBase(AttributeOwner, Protocol):
    """Primitive face of a graph."""

    _handle: int
    _owner: Any
    _owns: bool

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        """An object for a graph that somebody else owns."""

    @classmethod
    def _adopt(cls, handle: int) -> Any:
        """An object that owns the root graph."""

    @classmethod
    def _parse(cls, text: str, source_name: str) -> Any:
        """A new owned graph from text."""

    def _create(self, name: str) -> None:
        """Gives this empty object a new root graph, owned."""

    def _release(self) -> int:
        """Gives the handle up: this object is empty afterwards and does not free."""

    def _clone(self, name: str) -> Any:
        """Owned deep copy of a root."""

    @property
    def name(self) -> str:
        """Name; may be set."""

    @property
    def version(self) -> int:
        """Grows with every change; restored by a rollback."""

    @property
    def node_count(self) -> int:
        """Number of direct nodes."""

    def _parent(self) -> tuple[int, str]:
        """Handle of the owner (node, graph, 0 for a root) and the key there."""

    def _nodes(self, order: int) -> list[Any]:
        """Direct nodes; 0 list order, 1 topological."""

    def _find(self, name: str) -> Any:
        """The direct node of that name, or ``None``."""

    def _sort(self) -> None:
        """Makes the list order topological."""

    def _unique_name(self, base: str) -> str:
        """A free node name."""

    def _verify(self) -> str:
        """Report of the verifier, empty when all is well. Findings do not raise here."""

    def _print(self, flags: int) -> str:
        """Text form."""

    def _create_node(
        self,
        op_type: str,
        domain: str,
        op_version: int,
        name: str,
        inputs: Sequence[tuple[Any, int] | None],
        output_count: int,
        before: Any,
    ) -> Any:
        """A new node; an empty name is made from the type; ``before`` a node or ``None``."""

    def _transaction(self, step: int) -> int:
        """0 begin (gives the depth), 1 commit, 2 rollback (give 0)."""

    def _columns_ops(self) -> tuple[bytes, bytes, bytes]:
        """Columns node (u64), type symbol (u32), domain symbol (u32)."""

    def _columns_edges(self) -> tuple[bytes, bytes, bytes, bytes]:
        """Columns user (u64), slot (u32), producer (u64), output index (u32)."""


class NodeBase(AttributeOwner, Protocol):
    """Primitive face of a node."""

    _handle: int
    _owner: Any

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        """An object for a node of the tree whose root object is ``owner``."""

    @property
    def name(self) -> str:
        """Name; may be set."""

    @property
    def type(self) -> str:
        """Operator type."""

    @property
    def domain(self) -> str:
        """Operator domain, ``""`` the default."""

    @property
    def op_version(self) -> int:
        """Opset version, 0 unsaid."""

    @property
    def graph(self) -> Any:
        """The graph it is in (rule 5)."""

    @property
    def is_live(self) -> bool:
        """Whether the node still exists; never raises."""

    @property
    def input_count(self) -> int:
        """Number of input slots, absent ones counted."""

    @property
    def output_count(self) -> int:
        """Number of outputs."""

    @property
    def inputs(self) -> list[tuple[Any, int] | None]:
        """All inputs as values; ``None`` where absent."""

    @property
    def control_inputs(self) -> list[Any]:
        """Sources of incoming control edges."""

    @property
    def control_outputs(self) -> list[Any]:
        """Targets of outgoing control edges."""

    def input(self, index: int) -> tuple[Any, int] | None:
        """One input; status OUT_OF_RANGE raises."""

    def users(self, index: int = 0) -> list[tuple[Any, int]]:
        """Readers of one output: (node, input slot)."""

    def use_count(self, index: int = 0) -> int:
        """Number of readers of one output."""

    def _set_input(self, index: int, producer: Any, output_index: int) -> None:
        """Connects a slot; producer ``None`` makes it absent."""

    def _set_arity(self, inputs: int, outputs: int) -> None:
        """Grows or shrinks."""

    def _set_op(self, op_type: str, domain: str, op_version: int) -> None:
        """Changes the operator in place."""

    def _replace_uses(self, index: int, new_node: Any, new_index: int) -> None:
        """Moves every reader of one output to another value."""

    def _control_add(self, target: Any) -> None:
        """Control edge from this node."""

    def _control_remove(self, target: Any) -> None:
        """Removes it."""

    def _move_before(self, anchor: Any) -> None:
        """List order; ``None``: to the end."""

    def _remove(self, flags: int) -> None:
        """Removes the node from its graph."""

    def _value_name(self, index: int) -> str:
        """Name of an output value."""

    def _set_value_name(self, index: int, name: str) -> None:
        """Names an output value."""

    def _desc_find(self, scope: int, index: int) -> DescItem | None:
        """Descriptor; ``None`` for status NOT_FOUND."""

    def _desc_set(self, scope: int, index: int, desc: DescItem) -> None:
        """Sets a descriptor."""


class TensorBase(Protocol):
    """Primitive face of a constant."""

    _handle: int
    _owner: Any
    _owns: bool

    @classmethod
    def _wrap(cls, handle: int, owner: Any) -> Any:
        """An object with its own new reference (retains, releases when it dies)."""

    @classmethod
    def _adopt(cls, handle: int) -> Any:
        """An object that takes over the caller's reference."""

    def _create(self, dtype: int, format: int, dims: Sequence[int], data: bytes, offsets: Sequence[int] | None) -> None:
        """Copies the bytes; offsets (element count + 1) for STRING."""

    def _borrow(self, dtype: int, format: int, dims: Sequence[int], address: int, size: int, keep: Any) -> None:
        """Uses memory in place; ``keep`` is dropped when the last reference goes, from any thread."""

    def _map_file(self, path: str, offset: int, size: int, dtype: int, format: int, dims: Sequence[int]) -> None:
        """Maps part of a file read-only."""

    def _info(self) -> tuple[int, int, bool, tuple[int, ...], int, int, int, int, int]:
        """(dtype, format, mapped, dims, element count, address, bytes, address of offsets, references)."""


class BindingModule(Protocol):
    """Functions and names of the module itself."""

    BINDING: str
    """``"ctypes"`` or ``"native"``."""
    GraphBase: Type[Any]
    NodeBase: Type[Any]
    TensorBase: Type[Any]

    def register_types(self, graph: type, node: type, tensor: type) -> None:
        """The most derived classes; called once by `ge.graph`."""

    def register_error(self, factory: Callable[[int, str, str], BaseException]) -> None:
        """Makes the exception for (status, message, slot name)."""

    def symbol(self, text: str) -> int:
        """Interns a text; cached."""

    def symbol_text(self, symbol: int) -> str:
        """Text of a symbol; cached."""

    def library_version(self) -> str:
        """Version text of libge_ir."""

    def library_stats(self) -> dict[str, int]:
        """Live graphs, nodes, tensors, blobs, symbols, tensor_bytes."""

    def getter_address(self) -> int:
        """Address of ``ge_ir_get_api``, for handing over to a sibling library."""
