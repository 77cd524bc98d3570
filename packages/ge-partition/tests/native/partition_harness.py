"""Short ways to use the ge_partition table from tests."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import Any

from ge.graph import Graph, _library
from ge.graph import _abi as graph_abi
from ge.partition import _abi
from ge.partition._library import api, find_library

__all__ = ["DEAD", "Failed", "graph_handle", "live_objects", "options", "raw", "run_python", "split"]

# Nothing, near misses of every handle type, and types that do not exist.
DEAD = [
    0,
    1,
    0xFFFFFFFF,
    (1 << 64) - 1,
    1 << 32,
    *(kind << 56 | 0xFFFFFF << 32 | 0xFFFF for kind in (1, 2, 3, 10, 200)),
]


class Failed(Exception):
    """A slot failed; has the status and the message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{_abi.GeStatus(status).name}: {message}")
        self.status, self.message = _abi.GeStatus(status), message


def raw(slot: str, *arguments: Any) -> None:
    """Calls a slot with C arguments and checks its error block.

    Raises:
        Failed: The status is not OK.
    """
    error = _abi.new_error()
    values = [ctypes.addressof(item) if isinstance(item, ctypes.Array) else item for item in arguments]
    status = getattr(api().raw, slot)(*values, ctypes.addressof(error))
    assert status in {int(known) for known in _abi.GeStatus}
    if status == 0:
        return
    assert error.code == status
    message = _abi.error_text(error)
    assert message
    raise Failed(status, message)


def options(**fields: Any) -> Any:
    """Options of a split; ``limit`` is text or bytes."""
    limit = fields.pop("limit", "1")
    result = _abi.ge_partition_dynamic_options(**fields)
    if limit is not None:
        data = limit.encode() if isinstance(limit, str) else limit
        result.static_model_ops_lower_limit = ctypes.cast(ctypes.c_char_p(data), ctypes.POINTER(ctypes.c_char))
        result.static_model_ops_lower_limit_size = len(data)
    return result


def graph_handle(graph: Graph) -> int:
    """The handle of a graph."""
    handle: int = graph._handle
    return handle


def split(graph: Graph | int, **fields: Any) -> int:
    """Splits a graph; the handle of the partition."""
    handle = graph if isinstance(graph, int) else graph_handle(graph)
    result = ctypes.c_uint64()
    raw("partition_dynamic", handle, ctypes.byref(options(**fields)), ctypes.byref(result))
    assert result.value >> 56 == _abi.GeHandleType.PARTITION
    return result.value


def live_objects() -> tuple[int, ...]:
    """Live graphs, nodes, tensors and blobs of the graph library."""
    found = graph_abi.load(_library.find_library()).call.library_stats()
    return found.graphs, found.nodes, found.tensors, found.blobs


PRELUDE = f"""
import ctypes, sys
sys.path[:0] = {sys.path!r}
from ge.graph import Graph, _abi as graph_abi, _library
from ge.partition import _abi
graph_library = graph_abi.load(_library.find_library())
library = _abi.load({find_library()!r})
"""


def run_python(code: str) -> str:
    """Runs code in a process of its own, with both tables loaded and none bound; what it prints."""
    done = subprocess.run([sys.executable, "-c", PRELUDE + code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()
