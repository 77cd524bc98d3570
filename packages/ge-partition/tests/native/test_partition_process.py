"""What holds once for a process: binding, shutdown, and failures of the graph library in the middle of a call."""

from __future__ import annotations

import pytest
from partition_harness import run_python

GRAPH = """
graph = Graph.parse('''graph @g(%x: float32[4], %c: bool[]) {
  %w = float32[4](1.0, 2.0, 3.0, 4.0)
  %a: float32[4] = Add(%x, %w) {OwnerGraphIsUnknown = true}
  %b: float32[4] = If(%c) {_force_unknown_shape = true} after %x, %a
    then_branch: graph @t {
      %p: float32[4] = Add(%w, %a)
      return %p
    }
    else_branch: graph @e {
      %q: float32[4] = Neg(%x)
      return %q
    }
  %d: float32[4] as "value d" = Add(%b, %w)
  return %d, %b
}''')
handle = graph._handle
options = _abi.ge_partition_dynamic_options(
    static_model_ops_lower_limit=ctypes.cast(ctypes.c_char_p(b"1"), ctypes.POINTER(ctypes.c_char)),
    static_model_ops_lower_limit_size=1)
"""

# A getter that gives out the real table, but with slots that fail when `left` calls have been made.
FAULTS = """
left = None
class FaultyTable:
    def __init__(self, status):
        self.keep = []
        self.status = status
        real = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)(
            graph_library.getter_address())
        def get(table, size, error):
            status = real(table, size, error)
            if status == 0:
                slots = (ctypes.c_void_p * ((size - 48) // 8)).from_address(table + 48)
                for at, (name, kinds) in enumerate(graph_abi._SLOTS):
                    if name not in ("transaction_rollback", "graph_release", "blob_release"):
                        slots[at] = self.wrap(slots[at], kinds)
            return status
        self.getter = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)(get)
    def wrap(self, address, kinds):
        # Structs pass as addresses here: they go through untouched.
        plain = [ctypes.c_void_p if not issubclass(kind, ctypes._SimpleCData) or kind is ctypes.c_char_p else kind
                 for kind in kinds]
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, *plain)
        slot = kind(address)
        def call(*values):
            global left
            if left is not None:
                if left == 0:
                    return self.status
                left -= 1
            return slot(*values)
        wrapped = kind(call)
        self.keep.append(wrapped)
        return ctypes.cast(wrapped, ctypes.c_void_p).value
def live():
    found = graph_library.call.library_stats()
    return found.graphs, found.nodes, found.tensors, found.blobs
"""

SWEEP = """
table = FaultyTable({status})
library.call.bind_ir(ctypes.cast(table.getter, ctypes.c_void_p).value)
if {flatten}:
    library.call.partition_dynamic(handle, options)
before, version, objects = graph.to_text(), graph.version, live()
failures = 0
for count in range(100000):
    left = count
    try:
        if {flatten}:
            library.call.partition_flatten(handle)
        else:
            result = library.call.partition_dynamic(handle, options)
    except _abi.AbiError as error:
        left = None
        failures += 1
        assert error.status in ({status}, 0), error
        assert graph.to_text() == before, count
        assert graph.version == version, count
        assert live() == objects, (count, live(), objects)
        graph.verify()
    else:
        left = None
        break
assert graph.to_text() != before
graph.verify()
print(failures > 200)
"""


@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("status", [9, 16])
def test_a_failure_at_any_call_leaves_the_graph_as_it_was(flatten: bool, status: int) -> None:
    assert run_python(GRAPH + FAULTS + SWEEP.format(flatten=flatten, status=status)) == "True"


def test_a_split_without_a_graph_library() -> None:
    code = """
for action in (lambda: library.call.partition_dynamic(handle, options), lambda: library.call.partition_flatten(handle)):
    try:
        action()
    except _abi.AbiError as error:
        print(int(error.status), error.message)
"""
    lines = run_python(GRAPH + code).splitlines()
    assert lines == ["8 no ge_ir library is bound; call bind_ir first"] * 2


def test_the_same_getter_again_is_fine_and_another_is_refused() -> None:
    code = """
library.call.bind_ir(graph_library.getter_address())
library.call.bind_ir(graph_library.getter_address())
other = FaultyTable(9)
try:
    library.call.bind_ir(ctypes.cast(other.getter, ctypes.c_void_p).value)
except _abi.AbiError as error:
    print(int(error.status), error.message)
library.call.partition_dynamic(handle, options)
"""
    assert run_python(GRAPH + FAULTS + code).startswith("20 this process has already bound another ge_ir library")


def test_a_getter_that_fails_binds_nothing() -> None:
    code = """
kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
wrong = kind(lambda table, size, error: 11)
for getter in (ctypes.cast(wrong, ctypes.c_void_p).value, library.getter_address()):
    try:
        library.call.bind_ir(getter)
    except _abi.AbiError as error:
        print(int(error.status))
library.call.bind_ir(graph_library.getter_address())
library.call.partition_dynamic(handle, options)
"""
    assert run_python(GRAPH + code).split() == ["11", "11"]


def test_after_shutdown_results_can_be_read_and_released() -> None:
    code = """
library.call.bind_ir(graph_library.getter_address())
result = library.call.partition_dynamic(handle, options)
for _ in range(2):
    library.call.library_shutdown()
for action in (lambda: library.call.partition_dynamic(handle, options), lambda: library.call.partition_flatten(handle)):
    try:
        action()
    except _abi.AbiError as error:
        print(int(error.status))
print(library.call.partition_info(result).part_count, library.call.partition_find(result, "b"))
library.call.partition_release(result)
"""
    assert run_python(GRAPH + code).split() == ["18", "18", "3", "4"]


def test_a_process_may_end_with_partitions_and_threads() -> None:
    code = """
import threading
library.call.bind_ir(graph_library.getter_address())
result = library.call.partition_dynamic(handle, options)
def read():
    while True:
        library.call.partition_reason(result, 1)
for _ in range(3):
    threading.Thread(target=read, daemon=True).start()
print("end")
"""
    assert run_python(GRAPH + code) == "end"
