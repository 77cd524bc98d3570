"""Many threads at one partition, and thousands of splits without anything left behind."""

from __future__ import annotations

import gc
import resource
import threading
from ctypes import byref, c_uint64
from typing import Callable

from ge.graph import Graph
from ge.partition import DynamicShapePartitioner, PartitionRules, _abi, flatten
from partition_graphs import chain
from partition_harness import Failed, graph_handle, live_objects, raw, split
from random_graphs import random_graph


def run_together(bodies: list[Callable[[], None]]) -> None:
    """Runs the bodies at once; fails with the first failure of one."""
    failures: list[BaseException] = []

    def guarded(body: Callable[[], None]) -> None:
        try:
            body()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_readers_of_one_partition_do_not_disturb_each_other() -> None:
    handle = split(chain("SSDS" * 25))
    info = _abi.ge_partition_info()
    raw("partition_info", handle, byref(info))

    def read(offset: int) -> None:
        reason, found = _abi.ge_partition_reason(), c_uint64()
        for at in range(400):
            index = (at + offset) % info.node_count
            raw("partition_reason", handle, index, byref(reason))
            name = bytes(reason.name[: reason.name_size])
            text = bytes(reason.text[: reason.text_size]).decode()
            raw("partition_find", handle, name, len(name), byref(found))
            assert found.value == index
            assert ("lies on a path" in text) == (reason.rule == _abi.GePartitionRule.ABSORBED)

    run_together([lambda offset=offset: read(offset) for offset in range(0, 100, 13)])  # type: ignore[misc]
    raw("partition_release", handle)


def test_threads_with_graphs_of_their_own() -> None:
    texts: list[set[str]] = [set() for _ in range(6)]

    def work(at: int) -> None:
        for _ in range(40):
            graph = random_graph(at // 2, 15)
            handle = split(graph)
            texts[at].add(graph.to_text())
            raw("partition_release", handle)

    run_together([lambda at=at: work(at) for at in range(6)])  # type: ignore[misc]
    assert all(len(found) == 1 for found in texts)
    assert texts[0] == texts[1] != texts[2]


def test_a_release_among_readers_is_an_error_and_no_crash() -> None:
    for _ in range(30):
        handle = split(chain("SD"))
        seen: list[int] = []

        def read(handle: int = handle, seen: list[int] = seen) -> None:
            info = _abi.ge_partition_info()
            try:
                for _ in range(200):
                    raw("partition_info", handle, byref(info))
                    seen.append(info.part_count)
            except Failed as failure:
                assert failure.status == _abi.GeStatus.STALE_HANDLE

        run_together([read, read, lambda handle=handle: raw("partition_release", handle)])  # type: ignore[misc]
        assert set(seen) <= {2}


def used_memory() -> int:
    """KiB of the process that are resident now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def test_thousands_of_splits_leave_nothing() -> None:
    def rounds(count: int) -> None:
        for at in range(count):
            graph = random_graph(at % 20, 12)
            handle = split(graph)
            if at % 3:
                raw("partition_flatten", graph_handle(graph), byref(c_uint64()))
            raw("partition_release", handle)

    gc.collect()
    before = live_objects()
    rounds(600)
    gc.collect()
    memory = used_memory()
    rounds(3000)
    gc.collect()
    assert live_objects() == before
    assert used_memory() - memory < 3000, "more than one KiB a round stays"


def test_reports_release_what_they_hold() -> None:
    partitioner = DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=1))
    graph = Graph("g")
    handles = set()
    for _ in range(20):
        graph = chain("SD")
        report = partitioner.partition(graph)
        handles.add(report._handle & 0xFFFFFFFF)
        flatten(graph)
        del report
        gc.collect()
    assert len(handles) == 1  # the place of a released partition is used again
