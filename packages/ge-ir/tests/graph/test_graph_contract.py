"""Both bindings against the written contract, and the input structs against the generated ones."""

from __future__ import annotations

import ctypes
import inspect
import re

import pytest
from ge.graph import Graph, Node, Tensor, _base, _contract
from ge.graph import _base_ctypes as over_ctypes

BINDINGS = {"ctypes": over_ctypes, _base.BINDING: _base.module}
CLASSES = ("GraphBase", "NodeBase", "TensorBase")


def members(contract):
    """Name to (kind, parameter names) of everything a contract class declares."""
    found = {}
    for cls in reversed(contract.__mro__):
        if cls.__module__ != _contract.__name__:
            continue
        for name, value in vars(cls).items():
            if name.startswith(("__", "_is_")) or name == "_no_init_or_replace_init":  # of typing.Protocol itself
                continue
            if isinstance(value, property):
                found[name] = ("property", ())
            elif isinstance(value, classmethod):
                found[name] = ("classmethod", tuple(inspect.signature(value.__func__).parameters)[1:])
            elif inspect.isfunction(value):
                found[name] = ("method", tuple(inspect.signature(value).parameters)[1:])
    return found


def parameters(function):
    """Parameter names without self or cls, of a Python function or one of nanobind."""
    native = getattr(function, "__nb_signature__", None)
    if native is None:
        names = list(inspect.signature(function).parameters)
        return tuple(name for name in names if name not in ("self", "cls"))
    inside = re.match(r"def \w+\((.*)\)(?: ->|:|$)", native[0][0], re.S).group(1)
    names = re.findall(r"(?:^|, )(\w+)(?::|=|(?=,|$))", inside)
    return tuple(name for name in names if name not in ("self", "cls"))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("binding", sorted(BINDINGS))
def test_every_member_is_there_in_its_kind(binding, name):
    cls = getattr(BINDINGS[binding], name)
    for member, (kind, expected) in members(getattr(_contract, name)).items():
        found = inspect.getattr_static(cls, member)
        where = f"{name}.{member}"
        if kind == "property":
            assert hasattr(found, "__get__") and not callable(getattr(cls, member, None)), where
        else:
            assert callable(getattr(cls, member)), where
            assert parameters(getattr(cls, member)) == expected, where


@pytest.mark.parametrize("binding", sorted(BINDINGS))
def test_every_function_is_there(binding):
    module = BINDINGS[binding]
    for name, (_, expected) in members(_contract.BindingModule).items():
        assert parameters(getattr(module, name)) == expected, name
    assert binding == module.BINDING


def test_public_classes_derive_from_the_chosen_binding():
    assert issubclass(Graph, _base.module.GraphBase) and issubclass(Node, _base.module.NodeBase)
    assert issubclass(Tensor, _base.module.TensorBase)


def test_attributes_may_be_read_and_written():
    graph = Graph("g")
    assert (graph._owner, graph._owns) == (None, True) and graph._handle >> 56 == 1
    node = graph.create_node("Relu")
    assert node._owner is graph and node._handle >> 56 == 2
    tensor = Tensor([1.0])
    assert tensor._owns and tensor._handle >> 56 == 3
    view = Graph._wrap(graph._handle, "kept")
    assert view._owner == "kept" and not view._owns
    view._owner = graph
    assert view.get_direct_nodes()[0]._owner is graph


def test_columns():
    graph = Graph("g")
    nodes = [graph.create_node("Data", name=f"x{index}") for index in range(100)]
    add = graph.create_node("Add", nodes, domain="d")
    handles, types, domains = graph._columns_ops()
    assert memoryview(handles).cast("Q").tolist() == [node._handle for node in [*nodes, add]]
    text = _base.module.symbol_text
    assert [text(number) for number in memoryview(types).cast("I")] == ["Data"] * 100 + ["Add"]
    assert text(memoryview(domains).cast("I")[-1]) == "d"
    users, slots, producers, indices = graph._columns_edges()
    assert set(memoryview(users).cast("Q")) == {add._handle}
    assert memoryview(slots).cast("I").tolist() == list(range(100))
    assert memoryview(producers).cast("Q").tolist() == [node._handle for node in nodes]
    assert set(memoryview(indices).cast("I")) == {0}
    assert Graph("empty")._columns_edges() == (b"", b"", b"", b"")


def test_module_functions():
    module = _base.module
    assert module.symbol("") == 0 and module.symbol_text(module.symbol("Relu")) == "Relu"
    with pytest.raises(RuntimeError):
        module.symbol_text(2**31)
    assert re.match(r"\d+\.\d+\.\d+", module.library_version())
    assert set(module.library_stats()) == {"graphs", "nodes", "tensors", "blobs", "symbols", "tensor_bytes"}
    assert module.getter_address() > 0


@pytest.mark.parametrize(
    ("own", "generated"),
    [
        ("AttrIn", "ge_ir_attr"),
        ("NodeSpecIn", "ge_ir_node_spec"),
        ("DescIn", "ge_ir_desc"),
        ("TensorSpecIn", "ge_ir_tensor_spec"),
    ],
)
def test_input_structs_lie_as_the_generated_ones(own, generated):
    from ge.graph import _abi, _ctypes_native

    ours, theirs = getattr(_ctypes_native, own), getattr(_abi, generated)
    assert ctypes.sizeof(ours) == ctypes.sizeof(theirs)
    for name, *_ in theirs._fields_:
        assert (getattr(ours, name).offset, getattr(ours, name).size) == (
            getattr(theirs, name).offset,
            getattr(theirs, name).size,
        )
