"""The extension as a module: where it refuses to load, and that its errors are those of the ctypes layer."""

from __future__ import annotations

import pytest
from artifact import NATIVE, preload_version, run_python

ERRORS = """
from ge.graph import DataType, Format, Graph, Node, Tensor, TensorDesc, _base
graph = Graph("g")
x = graph.create_node("Data", name="x", attrs={"index": 0})
relu = graph.create_node("Relu", [x], name="relu")
gone = graph.create_node("Neg", [x], name="gone")
graph.remove_node(gone)
moved = Graph("moved")
orphan = moved.create_node("Relu", name="orphan")
Graph._adopt(moved._release())
other = Graph("other")
stranger = other.create_node("Relu", name="stranger")
cases = {
    "stale name": lambda: gone.name, "stale type": lambda: gone.type, "stale inputs": lambda: gone.inputs,
    "stale attr": lambda: gone.get_attr("a"), "stale set": lambda: gone.set_attr("a", 1),
    "stale graph": lambda: gone.graph,
    "expired graph": lambda: moved.name, "expired version": lambda: moved.version,
    "expired nodes": lambda: moved.get_direct_nodes(),
    "expired node": lambda: orphan.name, "expired node users": lambda: orphan.users(),
    "expired print": lambda: moved.to_text(),
    "no attr": lambda: relu.get_attr("absent"), "no input": lambda: relu.input(3), "no output": lambda: relu.users(1),
    "negative": lambda: relu.input(-1), "huge": lambda: relu.use_count(2**32), "bool index": lambda: relu.input(True),
    "text index": lambda: relu.users("0"), "float index": lambda: relu.use_count(1.0),
    "name taken": lambda: graph.create_node("Relu", name="relu"), "rename": lambda: setattr(relu, "name", "x"),
    "name no str": lambda: setattr(relu, "name", 3), "graph name no str": lambda: setattr(graph, "name", None),
    "foreign": lambda: graph.create_node("Relu", [stranger]), "foreign control": lambda: relu._control_add(stranger),
    "no control": lambda: relu._control_remove(x), "still read": lambda: graph.remove_node(x),
    "absent node": lambda: graph.find_node_by_name("absent"), "parse": lambda: Graph.parse("nonsense", "file.txt"),
    "tensor size": lambda: Tensor()._create(0, 2, (3,), b"12", None),
    "no file": lambda: Tensor()._map_file("/nowhere", 0, 4, 0, 2, (1,)),
    "commit": lambda: graph._transaction(1), "no subgraph": lambda: graph._detach("body"),
    "remove attr": lambda: relu.remove_attr("a"),
    "symbol": lambda: _base.module.symbol_text(2**31), "node made": lambda: Node(), "arity": lambda: x._set_arity(0, 0),
    "no desc": lambda: relu.get_output_desc(4),
}
assert _base.BINDING == BINDING, _base.BINDING
for name, call in cases.items():
    try:
        call()
        print(name, "| no error")
    except BaseException as error:
        context = getattr(error, "context", {})
        # Which call noticed that an object has expired is no part of the contract.
        slot = "" if context.get("status") == "EXPIRED" else getattr(error, "api_name", "")
        print(name, "|", type(error).__name__, "|", str(error), "|", context, slot)
"""


def test_errors_are_those_of_the_ctypes_layer():
    found = {
        binding: run_python(f"BINDING = {binding!r}\n" + ERRORS, env={"GE_BINDING": binding}).splitlines()
        for binding in ("ctypes", "native")
    }
    assert len(found["ctypes"]) == 41
    assert not any(line.endswith("no error") for line in found["ctypes"])
    assert found["native"] == found["ctypes"]


VALUES = """
import math
from ge.graph import AttrValueType as K, Graph, Tensor, _base
assert _base.BINDING == BINDING
graph = Graph("g\\udc80")
node = graph.create_node("Relu", name="n\\udcff")
tensor = Tensor([1.0, 2.0])
values = [
    (1, -(2**63)), (1, 2**63 - 1), (2, math.inf), (2, -0.0), (3, "t\\u00e9xt\\0end"), (3, b"\\xff\\xfe"),
    (3, ""), (4, True), (4, False),
    (5, 27), (6, tensor), (7, b"\\0\\1"), (7, b""), (8, "seq(tensor(float))"), (9, ("outer", 1)),
    (10, 0.5), (16, [1, -2]), (16, []),
    (17, [0.1, 2.0]), (18, ["a", "", "b\\0", b"\\xff"]), (18, []), (19, [True, False, True]), (20, [0, 9, 27]),
    (21, [tensor, tensor]),
    (22, ["tensor(float)"]), (23, [[1, 2], [], [3]]), (23, []), (24, [0.5]),
]
for number, (kind, value) in enumerate(values):
    node._attr_set(0, 0, f"k{number}", kind, value)
print(repr(graph.name), repr(node.name), node._attr_keys(0, 0))
for number, (kind, value) in enumerate(values):
    found = node._attr_get(0, 0, f"k{number}")
    tensors = found[1] if kind == 21 else [found[1]] if kind == 6 else []
    show = [item.numpy().tolist() for item in tensors] or found[1]
    print(found[0], repr(show), type(found[1]).__name__)
descs = [
    (0, 2, 2, 1, (2, -1), (None, "N"), 0, (), None),
    (28, 2, 2, 2, (), None, 1, (3,), None),
    (9, 0, 1, 0, (), None, 0, (), "seq(tensor(int64))"),
]
for desc in descs:
    node._desc_set(1, 0, desc)
    print(node._desc_find(1, 0))
print(graph.to_text(), graph._columns_ops()[0] == node._handle.to_bytes(8, "little"), hash(node) == hash(node._handle))
same = graph._find("n\\udcff")
print(node == same, node != same, node == 3, node == graph, graph == Graph._wrap(graph._handle, None))
print(type(graph.version).__name__, type(node.is_live).__name__)
"""


def test_values_go_in_and_out_as_in_the_ctypes_layer():
    found = {
        binding: run_python(
            f"BINDING = {binding!r}\n" + VALUES,
            env={"GE_BINDING": binding, "PYTHONIOENCODING": "utf-8:backslashreplace"},
        )
        for binding in ("ctypes", "native")
    }
    assert found["native"] == found["ctypes"] and found["ctypes"].count("\n") > 30


def test_a_second_name_is_refused():
    code = """
    first = load()
    try:
        load("other._ge_pass_native")
    except ImportError as error:
        print(error)
    """
    assert run_python(code).strip() == (
        "_ge_pass_native is already loaded in this process as module '_ge_pass_native'; it cannot be loaded again as "
        "'other._ge_pass_native'"
    )


SUBINTERPRETER = """
import os, sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
inner = PRELUDE + '''
try:
    load()
    text = "loaded"
except ImportError as error:
    text = str(error)
import os
os.write({write}, text.encode())
'''
read, write = os.pipe()
try:
    child = interpreters.create("legacy")
except TypeError:
    child = interpreters.create()
failure = interpreters.run_string(child, inner.format(write=write))
assert failure is None, failure
print(os.read(read, 500).decode())
"""


def test_a_subinterpreter_is_refused():
    from artifact import LOAD_NATIVE

    found = run_python(f"PRELUDE = {LOAD_NATIVE!r}\n" + SUBINTERPRETER, prelude="")
    # From CPython 3.12 on the interpreter itself may refuse first.
    assert "sub-interpreter" in found or "does not support loading in subinterpreters" in found


def test_another_minor_is_refused(tmp_path):
    # sys.version need not change with it: some builds bind libpython's own calls to itself.
    code = """
    try:
        load()
    except ImportError as error:
        print(error)
    """
    text = run_python(code, env=preload_version(tmp_path, "3.99.0 (test)"))
    assert "_ge_pass_native was built for CPython 3." in text and "but this is CPython 3.99.0 (test)" in text
    assert "pip install --force-reinstall ge-bridge-native" in text


def test_binding():
    code = f"""
    module = load()
    assert module.BINDING == "native" and module.__file__ == {NATIVE!r} and module.getter_address() == 0
    try:
        module.symbol("x")
    except RuntimeError as error:
        print(error)
    from ge.graph import _abi, _library
    address = _abi.load(_library.find_library()).getter_address()
    module.bind(address)
    module.bind(address)
    assert module.getter_address() == address and module.symbol_text(module.symbol("x")) == "x"
    try:
        module.bind(address + 16)
    except RuntimeError as error:
        print(error)
    for types in ((int, int, int), (module.GraphBase, module.NodeBase, str)):
        try:
            module.register_types(*types)
        except TypeError as error:
            print(error)
    graph = module.GraphBase()
    graph._create("alone")
    print(graph.name, graph._create_node("Relu", "", 0, "n", [], 1, None).type)
    """
    lines = run_python(code).splitlines()
    assert "pip install --upgrade ge-ir" in lines[0]
    assert "cannot be bound to the one at" in lines[1]
    assert "does not derive from" in lines[2] and "does not derive from" in lines[3]
    assert lines[4] == "alone Relu"


def test_wrong_arguments_raise_and_do_not_crash():
    code = """
    import itertools
    from ge.graph import Graph, Tensor, _base
    graph = Graph("g")
    node = graph.create_node("Relu", name="n")
    things = [None, 0, -1, 2**70, 1.5, "x", b"x", [], (1,), {}, graph, node, Tensor([1.0]), object, "\\udc80"]
    names = [name for name in dir(_base.NodeBase) if name.startswith("_") and not name.startswith("__")]
    names += [name for name in dir(_base.GraphBase) if name.startswith("_") and not name.startswith("__")]
    names += [name for name in dir(_base.TensorBase) if name.startswith("_") and not name.startswith("__")]
    skip = {"_handle", "_owner", "_owns", "_borrow", "_release", "_adopt", "_wrap", "_COPY_HINT"}
    calls = 0
    for name in sorted(set(names) - skip):
        for item in (node, graph, Tensor([1.0])):
            method = getattr(item, name, None)
            if not callable(method):
                continue
            for count in (0, 1, 2, 3):
                rows = itertools.product(things, repeat=count) if count < 3 else zip(things, things[3:], things[5:])
                for arguments in rows:
                    calls += 1
                    try:
                        method(*arguments)
                    except Exception:
                        pass
    for name in ("symbol", "symbol_text", "bind", "register_types"):
        for thing in things:
            try:
                getattr(_base.module, name)(thing)
            except Exception:
                pass
    print(calls > 5000)
    """
    assert run_python(code, env={"GE_BINDING": "native"}).strip() == "True"


@pytest.mark.parametrize("binding", ["ctypes", "native"])
def test_borrowed_memory_is_let_go_from_any_thread(binding):
    code = """
    import threading, weakref
    import numpy as np
    from ge.graph import Tensor
    class Keep:
        pass
    data, keep = np.arange(4, dtype="float32"), Keep()
    seen = weakref.ref(keep)
    tensor = Tensor()
    tensor._borrow(0, 2, (4,), data.ctypes.data, 16, keep)
    del keep
    assert seen() is not None and tensor._info()[4] == 4
    box = [tensor]
    del tensor
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    print(seen() is None)
    """
    assert run_python(code, env={"GE_BINDING": binding}).strip() == "True"
