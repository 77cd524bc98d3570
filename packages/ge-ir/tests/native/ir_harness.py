"""Short ways to use the ge_ir table from tests, and a full dump of a graph tree for comparisons."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator, Optional, Sequence

import pytest
from ge.graph import _abi, _library
from ge.graph._abi import AbiError, GeStatus

SELF, OUTPUT, INPUT = 0, 1, 2
LIST, TOPOLOGICAL = 0, 1
FLOAT, INT32, STRING, INT4 = 0, 3, 13, 29
DEAD = [0, 1, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 1 << 56, 2 << 56, 3 << 56, 4 << 56, 200 << 56]


def u64s(values: Sequence[int]) -> Any:
    return (ctypes.c_uint64 * len(values))(*values)


def u32s(values: Sequence[int]) -> Any:
    return (ctypes.c_uint32 * len(values))(*values)


def i64s(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def data_pointer(data: bytes) -> Any:
    """A value for a ptr field of a struct; the field keeps the bytes alive."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)


class Ir:
    """The table with Python values, plus helpers that build structs."""

    def __init__(self) -> None:
        self.api = _abi.load(_library.find_library())
        self.call = self.api.call
        self.raw = self.api.raw
        self.graphs: list[int] = []
        self.tensors: list[int] = []

    def release_all(self) -> None:
        """Releases the roots and tensor references made through the helpers, unless the test did."""
        for graph in self.graphs:
            with contextlib.suppress(AbiError):
                while True:  # an open transaction may hold on to parts of the tree
                    self.call.transaction_rollback(graph)
        for graph in self.graphs:
            with contextlib.suppress(AbiError):
                self.call.graph_release(graph)
        for tensor in self.tensors:
            with contextlib.suppress(AbiError):
                self.call.tensor_release(tensor)

    @contextlib.contextmanager
    def fails(self, status: GeStatus, *parts: str) -> Iterator[None]:
        """The block must fail with that status and a message that has every part."""
        with pytest.raises(AbiError) as caught:
            yield
        assert caught.value.status == status, str(caught.value)
        for part in parts:
            assert part in caught.value.message, caught.value.message
        assert caught.value.message

    def graph(self, name: str = "g") -> int:
        graph = self.call.graph_create(name)
        self.graphs.append(graph)
        return graph

    def clone(self, graph: int, name: str = "copy") -> int:
        copy = self.call.graph_clone(graph, name)
        self.graphs.append(copy)
        return copy

    def node(
        self,
        graph: int,
        name: str = "",
        inputs: Sequence[Any] = (),
        outputs: int = 1,
        type: str = "Op",
        domain: str = "",
        version: int = 0,
        before: int = 0,
    ) -> int:
        """An input is a node (its output 0), a (node, index) pair, or None."""
        pairs = [(0, 0) if i is None else (i, 0) if isinstance(i, int) else i for i in inputs]
        data = name.encode()
        spec = _abi.ge_ir_node_spec(
            type_symbol=self.call.symbol_intern(type),
            domain_symbol=self.call.symbol_intern(domain),
            op_version=version,
            name=_abi.bytes_pointer(data),
            name_size=len(data),
            input_nodes=u64s([p[0] for p in pairs]),
            input_indices=u32s([p[1] for p in pairs]),
            input_count=len(pairs),
            output_count=outputs,
            before=before,
        )
        return self.call.node_create(graph, spec)

    def body(self, owner: int, key: str = "body", name: str = "sub") -> int:
        child = self.graph(name)
        self.call.subgraph_attach(owner, key, child)
        return child

    def names(self, graph: int, order: int = LIST) -> list[str]:
        return [self.call.node_name(n) for n in self.call.graph_nodes(graph, order)]

    # --- attributes

    def set_attr(self, owner: int, key: str, spec: Any, scope: int = SELF, index: int = 0) -> None:
        self.call.attr_set(owner, scope, index, key, spec)

    def set_int(self, owner: int, key: str, value: int, scope: int = SELF, index: int = 0) -> None:
        self.set_attr(owner, key, _abi.ge_ir_attr(kind=1, i=value), scope, index)

    def attr(self, owner: int, key: str, scope: int = SELF, index: int = 0) -> tuple[Any, ...]:
        """A value as plain Python data: (kind, i, f, data bytes, offsets)."""
        value = self.call.attr_get(owner, scope, index, key)
        offsets = [value.offsets[i] for i in range(value.count + 1)] if value.offsets else []
        width = {16: 8, 17: 8, 20: 4, 21: 8, 24: 8}.get(value.kind, 1)
        size = offsets[-1] * (8 if value.kind == 23 else 1) if offsets else value.count * width
        data = ctypes.string_at(value.data, size) if value.data else b""
        return value.kind, value.i, value.f, data, offsets

    def attrs(self, owner: int, scope: int = SELF, index: int = 0) -> list[tuple[Any, ...]]:
        keys = [self.call.symbol_text(s) for s in self.call.attr_keys(owner, scope, index)]
        return [(key, *self.attr(owner, key, scope, index)) for key in keys]

    # --- descriptors

    def desc(self, dtype: int = FLOAT, dims: Optional[Sequence[int]] = None, **fields: Any) -> Any:
        if dims is not None:
            fields.update(rank_kind=1, dims=i64s(dims), dim_count=len(dims))
        fields.setdefault("format", 2)
        fields.setdefault("origin_format", 2)
        return _abi.ge_ir_desc(dtype=dtype, **fields)

    def read_desc(self, node: int, scope: int, index: int) -> Optional[tuple[Any, ...]]:
        try:
            d = self.call.desc_get(node, scope, index)
        except AbiError as error:
            assert error.status == GeStatus.NOT_FOUND
            return None
        symbols = [d.dim_symbols[i] for i in range(d.dim_count)] if d.dim_symbols else None
        text = ctypes.string_at(d.type_text, d.type_text_size) if d.type_text else None
        dims = [d.dims[i] for i in range(d.dim_count)]
        origin = [d.origin_dims[i] for i in range(d.origin_dim_count)]
        return d.dtype, d.format, d.origin_format, d.rank_kind, d.origin_rank_kind, dims, symbols, origin, text

    # --- tensors

    def tensor(self, data: bytes, dims: Sequence[int], dtype: int = FLOAT, **fields: Any) -> int:
        spec = _abi.ge_ir_tensor_spec(
            dtype=dtype,
            dims=i64s(dims),
            dim_count=len(dims),
            data=data_pointer(data),
            size=len(data),
            **fields,
        )
        tensor = self.call.tensor_create(spec)
        self.tensors.append(tensor)
        return tensor

    # --- whole trees

    def verify(self, graph: int) -> str:
        """Findings of graph_verify, empty if it is content."""
        report = ctypes.c_uint64()
        error = _abi.new_error()
        status = self.raw.graph_verify(graph, ctypes.byref(report), ctypes.addressof(error))
        assert status in (GeStatus.OK, GeStatus.VERIFY_FAILED), _abi.error_text(error)
        text = self.call.blob_view(report.value)
        self.call.blob_release(report.value)
        assert bool(text) == (status == GeStatus.VERIFY_FAILED)
        return text.decode()

    def dump_node(self, node: int, versions: bool = True) -> tuple[Any, ...]:
        call = self.call
        inputs, outputs = call.node_arity(node)
        return (
            node,
            call.node_name(node),
            call.node_op(node),
            call.node_inputs(node),
            [call.value_uses(node, i) for i in range(outputs)],
            [call.value_name(node, i) for i in range(outputs)],
            [self.read_desc(node, OUTPUT, i) for i in range(outputs)],
            [self.read_desc(node, INPUT, i) for i in range(inputs)],
            call.control_inputs(node),
            call.control_outputs(node),
            self.attrs(node),
            [self.attrs(node, OUTPUT, i) for i in range(outputs)],
            [self.attrs(node, INPUT, i) for i in range(inputs)],
            [self.dump(child, versions) for child in call.subgraph_list(node)],
        )

    def dump(self, graph: int, versions: bool = True) -> tuple[Any, ...]:
        """Everything observable of a tree, handles included."""
        call = self.call
        return (
            graph,
            call.graph_name(graph),
            call.graph_version(graph) if versions else None,
            call.graph_owner(graph),
            self.attrs(graph),
            [self.dump_node(node, versions) for node in call.graph_nodes(graph, LIST)],
            [self.dump(child, versions) for child in call.subgraph_list(graph)],
        )

    def live(self) -> tuple[int, ...]:
        stats = self.call.library_stats()
        return stats.graphs, stats.nodes, stats.tensors, stats.blobs, stats.tensor_bytes
