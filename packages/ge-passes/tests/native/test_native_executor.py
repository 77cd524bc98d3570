"""Registry, executor, switches, contexts, statistics. Row numbers as in test_native_matching.py."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
from ge.passes import _abi
from ge.passes._abi import GeStatus
from passes_harness import AFTER, BEFORE, DECOMPOSE, FUSION_BASE, PATTERN, Passes

RELU = "@relu (%x) { %y = Relu(%x) return %y }"
TANH = "@tanh (%x) { %y = Tanh(%x) return %y }"
ONE = "@g (%x) { %a = Relu(%x) return %a }"


def test_names_and_keys_are_unique(passes: Passes) -> None:
    first = passes.register("p", kind=FUSION_BASE, key="module:First:p")
    with passes.fails(GeStatus.ALREADY_EXISTS, "named 'p'", "module:First:p", "module:Second:p"):
        passes.register("p", kind=FUSION_BASE, key="module:Second:p")
    with passes.fails(GeStatus.ALREADY_EXISTS, "'module:First:p' is taken by pass 'p'", "'q'"):
        passes.register("q", kind=FUSION_BASE, key="module:First:p")
    assert passes.call.pass_list() == passes.passes
    passes.call.pass_unregister(passes.passes[0])
    assert first.dropped == 1 and passes.call.pass_list() == []
    with passes.fails(GeStatus.STALE_HANDLE):
        passes.call.pass_unregister(passes.passes[0])
    passes.register("p", kind=FUSION_BASE, key="module:Second:p")


@pytest.mark.parametrize(
    "kind, missing",
    [
        (FUSION_BASE, "run"),
        (PATTERN, "patterns"),
        (PATTERN, "replacement"),
        (DECOMPOSE, "replacement"),
        (PATTERN, "create"),
        (PATTERN, "destroy"),
    ],
)
def test_required_callbacks(passes: Passes, kind: int, missing: str) -> None:
    """Row 162."""
    types = ["A"] if kind == DECOMPOSE else []
    passes.register("whole", kind=kind, op_types=types)
    callbacks = passes.keep[-3]
    setattr(callbacks, missing, type(getattr(callbacks, missing))())
    with passes.fails(GeStatus.INVALID_ARGUMENT, "'p'", f"callback {missing}"):
        passes.call.pass_register(passes.desc("p", kind, BEFORE, types), callbacks)


def test_descriptors(passes: Passes) -> None:
    passes.register("p", kind=DECOMPOSE, op_types=["A", "B"], stage=AFTER, enabled=0)
    info = passes.call.pass_info(passes.call.pass_find("p"))
    assert (info.kind, info.stage, info.enabled, info.op_type_count) == (DECOMPOSE, AFTER, 0, 2)
    assert [passes.ir.symbol_text(info.op_types[i]) for i in range(2)] == ["A", "B"]
    with passes.fails(GeStatus.NOT_FOUND, "'q'"):
        passes.call.pass_find("q")
    for bad in ({"kind": 9}, {"stage": 0}, {"enabled": 2}, {"name_size": 0}, {"op_type_count": 0}):
        desc = passes.desc("x", DECOMPOSE, BEFORE, ["A"])
        for field, value in bad.items():
            setattr(desc, field, value)
        with passes.fails(GeStatus.INVALID_ARGUMENT):
            passes.call.pass_register(desc, passes.keep[-3])


def test_stages_and_order(passes: Passes) -> None:
    """Row 130: order is that of registration."""
    seen: list[str] = []
    for name, stage in (("z", BEFORE), ("b", AFTER), ("a", BEFORE)):
        passes.register(name, kind=FUSION_BASE, stage=stage, run=lambda _g, _c, name=name: seen.append(name))
    graph = passes.graph(ONE)
    assert passes.run(graph) == 0
    assert seen == ["z", "a"]
    passes.run(graph, AFTER)
    assert seen == ["z", "a", "b"]
    with passes.fails(GeStatus.INVALID_ARGUMENT, "ge_passes_stage"):
        passes.run(graph, 9)


def test_one_instance_for_one_executor(passes: Passes) -> None:
    """Row 131."""
    seen = passes.register("p", patterns=[RELU], replacement=TANH)
    executor = passes.executor()
    assert seen.created == []
    passes.run(passes.graph(ONE), executor=executor)
    passes.run(passes.graph(ONE), executor=executor)
    assert (len(seen.created), seen.destroyed) == (1, [])
    with passes.fails(GeStatus.INVALID_STATE, "'p' has 1 objects in executors"):
        passes.call.pass_unregister(passes.passes[0])
    passes.call.executor_release(executor)
    assert seen.destroyed == seen.created
    with passes.fails(GeStatus.STALE_HANDLE):
        passes.call.executor_release(executor)


def test_an_instance_that_cannot_be_made(passes: Passes) -> None:
    seen = passes.register("p", kind=FUSION_BASE)
    seen.created = None  # type: ignore[assignment]
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'p': create: AttributeError"):
        passes.run(passes.graph(ONE))
    passes.call.pass_unregister(passes.passes[0])  # nothing holds it


def test_switches(passes: Passes) -> None:
    """Row 133."""
    seen: list[str] = []
    for name, enabled in (("on", 1), ("off", 0)):
        passes.register(name, kind=FUSION_BASE, enabled=enabled, run=lambda _g, _c, name=name: seen.append(name))

    def ran(**options: str) -> list[str]:
        seen.clear()
        passes.run(passes.graph(ONE), executor=passes.executor(**options))
        return list(seen)

    assert ran() == ["on"]
    assert ran(**{"pass.on": "off", "pass.off": "on"}) == ["off"]
    assert ran(passes="off") == []
    assert ran(**{"passes": "off", "pass.off": "on"}) == ["off"]
    assert ran(passes="on") == ["on", "off"]
    executor = passes.executor()
    passes.run(passes.graph(ONE), executor=executor)
    passes.call.pass_set_enabled(passes.passes[0], 0)
    assert ran() == []
    seen.clear()
    passes.run(passes.graph(ONE), executor=executor)  # has run before: keeps what it saw
    assert seen == ["on"]
    passes.call.executor_run_pass(executor, passes.passes[1], passes.graph(ONE))
    assert seen == ["on", "off"]


@pytest.mark.parametrize(
    "key, value",
    [
        ("pass.p", "yes"),
        ("passes", ""),
        ("max_rewrites", "0"),
        ("max_rewrites", "-1"),
        ("max_rewrites", "many"),
        ("", "x"),
    ],
)
def test_options_are_checked(passes: Passes, key: str, value: str) -> None:
    with passes.fails(GeStatus.INVALID_ARGUMENT):
        passes.call.executor_set_option(passes.executor(), key, value)


def test_contexts(passes: Passes) -> None:
    kept: list[int] = []

    def run(_graph: int, context: int) -> None:
        kept.append(context)
        call = passes.call
        assert call.context_pass_name(context) == "p" and call.context_error_message(context) == ""
        assert call.context_option(context, "colour") == "blue"
        with passes.fails(GeStatus.NOT_FOUND, "'size'"):
            call.context_option(context, "size")
        with passes.fails(GeStatus.INVALID_STATE, "patterns callback"):
            call.context_add_pattern(context, passes.pattern(RELU))
        with passes.fails(GeStatus.INVALID_STATE, "running"):
            passes.run(_graph, executor=executor)
        with passes.fails(GeStatus.INVALID_STATE, "running"):
            call.executor_release(executor)
        call.context_set_error_message(context, "a warning")

    passes.register("p", kind=FUSION_BASE, run=run)
    executor = passes.executor(colour="blue")
    passes.run(passes.graph(ONE), executor=executor)
    passes.run(passes.graph(ONE), executor=executor)  # the message of the last run is not seen
    assert len(kept) == 2
    with passes.fails(GeStatus.EXPIRED, "CONTEXT"):
        passes.call.context_pass_name(kept[0])


def test_patterns_are_asked_for_once(passes: Passes) -> None:
    passes.register("p", patterns=[RELU], replacement=TANH)
    executor = passes.executor()
    passes.run(passes.graph(ONE), executor=executor)
    passes.run(passes.graph(ONE), executor=executor)
    assert len(passes.patterns) == 1
    with passes.fails(GeStatus.INVALID_STATE, "belongs to an executor"):
        passes.call.pattern_release(passes.patterns[0])
    passes.call.executor_release(executor)
    with passes.fails(GeStatus.STALE_HANDLE):
        passes.call.pattern_graph(passes.patterns[0])


def test_a_pattern_that_breaks_a_rule_fails_the_pass(passes: Passes) -> None:
    """Not a pass that silently does nothing."""
    passes.register("p", patterns=["@bad (%x) { return %x }"], replacement=TANH)
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'p'", "patterns:", "pattern graph 'bad': output 0 is input 0"):
        passes.run(passes.graph(ONE))


def test_a_hook_that_fails_without_a_word(passes: Passes) -> None:
    passes.register("p", kind=FUSION_BASE)
    callbacks = passes.keep[-3]
    silent = _abi.ge_passes_run_fn(lambda _u, _i, _g, _c, _e: 7)
    callbacks.run = silent
    passes.keep.append(silent)
    passes.passes.append(passes.call.pass_register(passes.desc("silent", FUSION_BASE, BEFORE), callbacks))
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'silent', graph 'g': run: failed with status 7 and no message"):
        passes.call.executor_run_pass(passes.executor(), passes.passes[-1], passes.graph(ONE))


def test_what_earlier_passes_did_stays(passes: Passes) -> None:
    graph = passes.graph(ONE)

    def fail(graph: int, _context: int) -> None:
        passes.ir.node_set_name(passes.node(graph, "x"), "renamed")
        raise RuntimeError("broken")

    passes.register("good", patterns=[RELU], replacement=TANH)
    passes.register("bad", kind=FUSION_BASE, run=fail)
    executor = passes.executor()
    with passes.fails(GeStatus.CALLBACK_FAILED, "pass 'bad'", "run: RuntimeError: broken"):
        passes.run(graph, executor=executor)
    assert passes.names(graph) == ["x", "a_Tanh", "NetOutput"]
    assert passes.stats(executor) == [("good", 1, 1, 0, 1), ("bad", 0, 0, 0, 1)]


def test_transactions_of_a_hook_are_checked(passes: Passes) -> None:
    graph = passes.graph(ONE)
    text = passes.text(graph)

    def leave_open(graph: int, _context: int) -> None:
        passes.ir.transaction_begin(graph)
        passes.ir.node_set_name(passes.node(graph, "x"), "renamed")

    passes.register("open", kind=FUSION_BASE, run=leave_open)
    with passes.fails(GeStatus.CALLBACK_FAILED, "run left 1 transactions open"):
        passes.run(graph)
    assert passes.text(graph) == text
    assert passes.ir.transaction_begin(graph) == 1
    passes.ir.transaction_rollback(graph)
    passes.register("ended", kind=FUSION_BASE, run=lambda graph, _context: passes.ir.transaction_rollback(graph))
    with passes.fails(GeStatus.CALLBACK_FAILED, "ended a transaction"):
        passes.call.executor_run_pass(passes.executor(), passes.passes[-1], graph)


def test_statistics(passes: Passes) -> None:
    """Row 139."""
    graph = passes.graph("@g (%x) { %a = Relu(%x) %b = Relu(%a) return %b }")
    passes.register(
        "base", kind=FUSION_BASE, run=lambda graph, _c: passes.ir.node_set_name(passes.node(graph, "x"), "in")
    )
    passes.register("p", patterns=[RELU], replacement=TANH)
    executor = passes.executor()
    assert passes.call.executor_stat_count(executor) == 0
    assert passes.run(graph, executor=executor) == 1
    assert passes.stats(executor) == [("base", 0, 1, 0, 1), ("p", 2, 2, 0, 1)]
    assert passes.call.executor_stat(executor, 1).nanoseconds > 0
    with passes.fails(GeStatus.OUT_OF_RANGE, "row 2", "have 2"):
        passes.call.executor_stat(executor, 2)


def test_only_roots_are_run(passes: Passes) -> None:
    graph = passes.graph("@g (%c) { %i = If(%c) then_branch: @t { return %c } return %i }")
    body = passes.ir.subgraph_get(passes.node(graph, "i"), "then_branch")
    with passes.fails(GeStatus.INVALID_ARGUMENT, "graph 't' is a subgraph of node 'i' (If)"):
        passes.run(body)


def test_a_pass_on_one_graph(passes: Passes) -> None:
    """Row 140."""
    graph = passes.rewrite(ONE, RELU, TANH)
    assert passes.types(graph) == ["Data", "Tanh", "NetOutput"]


def test_registry_and_executors_in_threads(passes: Passes) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(20):
                handle = passes.call.pass_register(passes.desc(f"t{number}.{step}", FUSION_BASE, BEFORE), callbacks)
                executor = passes.call.executor_create()
                graph = passes.loose(ONE)
                assert passes.call.executor_run_pass(executor, handle, graph) == 0
                passes.call.executor_release(executor)
                passes.ir.graph_release(graph)
                passes.call.pass_unregister(handle)
        except BaseException as error:
            errors.append(error)

    passes.register("p", kind=FUSION_BASE)
    callbacks: Any = passes.keep[-3]
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_does_not_grow(passes: Passes) -> None:
    """Graphs are counted after every test; this is about what the library keeps for itself."""
    text = "@g (%x) { " + " ".join(f"%n{i} = Relu(%n{i - 1})" for i in range(1, 50)) + " return %n49 }"
    graph = passes.graph(text.replace("%n0", "%x"))
    made = ["@r (%x) { %y = Tanh(%x) return %y }", "@r (%x) { %y = Relu(%x) return %y }"]
    passes.register("there", patterns=[RELU], replacement=made[0])
    passes.register("back", patterns=[TANH], replacement=made[1])

    def rounds(count: int) -> int:
        for _ in range(count):
            executor = passes.call.executor_create()
            assert passes.call.executor_run(executor, graph, BEFORE) == 1
            passes.call.executor_release(executor)
        return resident_bytes()

    warm = rounds(10)
    assert rounds(60) - warm < 3 << 20  # 5880 rewrites; one leaked match each would be more


def test_a_tree_is_read_anew_for_each_run(passes: Passes) -> None:
    """After a rollback by the caller another tree can have the version that the last one had."""
    graph = passes.graph("@g (%c, %x) { %i = If(%c) return %i }")
    node, executor = passes.node(graph, "i"), passes.executor()
    passes.register("p", patterns=[RELU], replacement=TANH)

    def attach(key: str) -> None:
        body = passes.loose("@b (%y) { %r = Relu(%y) return %r }")
        passes.ir.subgraph_attach(node, key, body)

    passes.ir.transaction_begin(graph)
    attach("then_branch")
    version = passes.ir.graph_version(graph)
    assert passes.run(graph, executor=executor) == 1
    body = passes.ir.subgraph_get(node, "then_branch")
    passes.ir.transaction_rollback(graph)
    passes.ir.graph_release(body)
    attach("else_branch")
    assert passes.ir.graph_version(graph) == version
    assert passes.run(graph, executor=executor) == 1


SHUTDOWN = """
import sys
sys.path.insert(0, {folder!r})
from passes_harness import *
p = Passes()
seen = p.register("p", patterns=["@p (%x) {{ %y = A(%x) return %y }}"], replacement="@r (%x) {{ return %x }}")
executor = p.executor()
graph = p.graph("@g (%x) {{ %a = A(%x) return %a }}")
p.run(graph, executor=executor)
p.call.library_shutdown()
p.call.library_shutdown()
assert (len(seen.created), seen.destroyed, seen.dropped) == (1, seen.created, 1)
with p.fails(GeStatus.SHUTDOWN, "shut down"):
    p.register("q", kind=FUSION_BASE)
with p.fails(GeStatus.SHUTDOWN):
    p.executor()
with p.fails(GeStatus.SHUTDOWN):
    p.run(graph, executor=executor)
p.call.executor_release(executor)
print("done")
"""


def test_shutdown() -> None:
    import os

    folder = os.path.dirname(__file__)
    done = subprocess.run(
        [sys.executable, "-c", SHUTDOWN.format(folder=folder)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip().endswith("done"), done.stderr


UNBOUND = """
from ge.passes import _abi, _library
call = _abi.load(next(p for p in _library.candidates() if __import__("os").path.isfile(p))).call
boundary = _abi.ge_passes_boundary()
for slot, arguments in (("pattern_create", (1 << 56,)), ("rewrite_replace", (boundary, 1 << 56, 0))):
    try:
        getattr(call, slot)(*arguments)
    except _abi.AbiError as error:
        print(error.status.name, "bind_ir" in error.message)
executor = call.executor_create()
try:
    call.executor_run(executor, 1 << 56, 1)
except _abi.AbiError as error:
    print(error.status.name, "bind_ir" in error.message)
from ge.graph import _abi as ir_abi, _library as ir_library
getter = ir_abi.load(ir_library.find_library()).getter_address()
call.bind_ir(getter)
call.bind_ir(getter)
"""


def test_before_bind_ir() -> None:
    done = subprocess.run([sys.executable, "-c", UNBOUND], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["INVALID_STATE True", "INVALID_ARGUMENT False", "INVALID_STATE True"]
