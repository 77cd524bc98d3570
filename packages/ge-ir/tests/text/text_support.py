"""What the tests of the text form share: the library's table, and a maker of graphs that does not use the parser."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path

import ge


def _load_module():
    """The table's binding by its file: these tests need nothing else of the package."""
    for root in ge.__path__:
        path = Path(root, "graph", "_abi.py")
        if path.is_file():
            spec = importlib.util.spec_from_file_location("ge_ir_abi_of_text_tests", path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            return module
    raise ImportError(f"no graph/_abi.py below {list(ge.__path__)}")


def _load_api():
    for root in ge.__path__:
        path = Path(root, "graph", "_lib", "libge_ir.so")
        if path.is_file():
            return abi.load(path)
    raise ImportError(f"no graph/_lib/libge_ir.so below {list(ge.__path__)}")


abi = _load_module()
call = _load_api().call
Kind = abi.GeIrAttrKind
Dtype = abi.GeIrDtype
ELIDE = abi.GeIrPrintFlags.ELIDE
DATA = abi.GeIrPrintFlags.DATA
SELF, OUTPUT, INPUT = 0, 1, 2
UNSET, KNOWN, UNKNOWN = 0, 1, 2


def parse(text, source="test.txt"):
    return call.graph_parse(text, source)


def text_of(graph, flags=0):
    """Text of a graph, as bytes."""
    blob = call.graph_print(graph, flags)
    try:
        return bytes(call.blob_view(blob))
    finally:
        call.blob_release(blob)


def printed(text, flags=0):
    """What is printed of a graph that was read from ``text``."""
    graph = parse(text)
    try:
        return text_of(graph, flags).decode()
    finally:
        call.graph_release(graph)


def again(graph, flags=0):
    """Checks print -> parse -> print; returns the text."""
    first = text_of(graph, flags)
    copy = parse(first, "printed")
    try:
        assert text_of(copy, flags) == first
    finally:
        call.graph_release(copy)
    return first


def live():
    """Counts of live objects, symbols apart (they are never given back)."""
    stats = call.library_stats()
    return {name: getattr(stats, name) for name in ("graphs", "nodes", "tensors", "blobs", "tensor_bytes")}


def _chars(data):
    return ctypes.cast(ctypes.create_string_buffer(data, len(data) or 1), ctypes.POINTER(ctypes.c_char))


def make_node(graph, op, inputs=(), outputs=1, name=b"", domain=b"", version=0):
    """A node; ``inputs`` are None or (node, index)."""
    count = len(inputs)
    nodes = (ctypes.c_uint64 * max(count, 1))(*[0 if v is None else v[0] for v in inputs])
    indices = (ctypes.c_uint32 * max(count, 1))(*[0 if v is None else v[1] for v in inputs])
    spec = abi.ge_ir_node_spec(
        type_symbol=call.symbol_intern(op),
        domain_symbol=call.symbol_intern(domain),
        op_version=version,
        name=_chars(name),
        name_size=len(name),
        input_nodes=nodes,
        input_indices=indices,
        input_count=count,
        output_count=outputs,
    )
    return call.node_create(graph, spec)


def make_desc(dtype, dims=None, symbols=None, rank=None, fmt=2, origin=None, origin_fmt=2, type_text=None):
    """A descriptor; it keeps what it points to."""
    known = () if dims is None else tuple(dims)
    desc = abi.ge_ir_desc(dtype=dtype, format=fmt, origin_format=origin_fmt)
    desc.rank_kind = rank if rank is not None else (UNSET if dims is None else KNOWN)
    desc.dims = (ctypes.c_int64 * max(len(known), 1))(*known)
    desc.dim_count = len(known)
    if symbols is not None:
        numbers = [call.symbol_intern(s) if s else 0 for s in symbols]
        desc.dim_symbols = (ctypes.c_uint32 * max(len(numbers), 1))(*numbers)
    if origin is not None:
        desc.origin_rank_kind = KNOWN
        desc.origin_dims = (ctypes.c_int64 * max(len(origin), 1))(*origin)
        desc.origin_dim_count = len(origin)
    if type_text is not None:
        desc.type_text = _chars(type_text)
        desc.type_text_size = len(type_text)
    return desc


def set_desc(node, desc, scope=OUTPUT, index=0):
    call.desc_set(node, scope, index, desc)


def make_tensor(dtype, dims, data, offsets=None):
    """A tensor handle; the caller releases it."""
    spec = abi.ge_ir_tensor_spec(dtype=dtype, format=2, dim_count=len(dims), size=len(data))
    spec.dims = (ctypes.c_int64 * max(len(dims), 1))(*dims)
    buffer = ctypes.create_string_buffer(data, len(data) or 1)
    spec.data = ctypes.cast(buffer, ctypes.c_void_p)
    if offsets is not None:
        spec.offsets = (ctypes.c_uint64 * len(offsets))(*offsets)
    return call.tensor_create(spec)


_ITEMS = {
    Kind.LIST_INT: ctypes.c_int64,
    Kind.LIST_FLOAT: ctypes.c_double,
    Kind.LIST_FLOAT32: ctypes.c_double,
    Kind.LIST_BOOL: ctypes.c_uint8,
    Kind.LIST_DTYPE: ctypes.c_int32,
    Kind.LIST_TENSOR: ctypes.c_uint64,
}


def _joined(parts):
    ends = [0]
    for part in parts:
        ends.append(ends[-1] + len(part))
    return (ctypes.c_uint64 * len(ends))(*ends)


def set_attr(owner, key, kind, value=None, scope=SELF, index=0):
    """Sets an attribute of any kind from plain Python values; bytes for every text."""
    attr = abi.ge_ir_attr(kind=kind)
    data = None
    if kind in (Kind.INT, Kind.BOOL, Kind.DTYPE, Kind.TENSOR):
        attr.i = value
    elif kind in (Kind.FLOAT, Kind.FLOAT32):
        attr.f = value
    elif kind in (Kind.STRING, Kind.BYTES, Kind.TYPE):
        data, attr.count = ctypes.create_string_buffer(value, len(value) or 1), len(value)
    elif kind == Kind.REFERENCE:
        data, attr.count, attr.i = ctypes.create_string_buffer(value[0], len(value[0]) or 1), len(value[0]), value[1]
    elif kind in _ITEMS:
        data, attr.count = (_ITEMS[kind] * max(len(value), 1))(*value), len(value)
    elif kind in (Kind.LIST_STRING, Kind.LIST_TYPE):
        joined = b"".join(value)
        data, attr.count, attr.offsets = (
            ctypes.create_string_buffer(joined, len(joined) or 1),
            len(value),
            _joined(value),
        )
    elif kind == Kind.LIST_LIST_INT:
        flat = [item for row in value for item in row]
        data, attr.count, attr.offsets = (ctypes.c_int64 * max(len(flat), 1))(*flat), len(value), _joined(value)
    if data is not None:
        attr.data = ctypes.cast(data, ctypes.c_void_p)
    call.attr_set(owner, scope, index, key, attr)
