"""The executor: stages, order, switches, reports, errors, the GIL; on both routes."""

from __future__ import annotations

import gc
import threading
import time

import pytest
from ge.es.onnx import Relu, Tanh
from ge.graph import Graph
from ge.passes import (
    FusionBasePass,
    PassError,
    PassExecutor,
    PassStage,
    PatternFusionPass,
    apply_pass,
    clear_registered_passes,
    get_registered_passes,
    pattern,
    register_fusion_pass,
    run_passes,
    unregister_pass,
)
from pass_graphs import chain, types

pytestmark = pytest.mark.usefixtures("route")
EARLY, LATE = PassStage.BEFORE_INFER_SHAPE, PassStage.AFTER_INFER_SHAPE


def recording(name, log, stage=EARLY):
    """Registers a pass that writes its name down."""
    members = {"run": lambda self, graph, context: log.append(name)}
    return register_fusion_pass(name=name, stage=stage)(type(name, (FusionBasePass,), members))


def test_passes_of_the_stage_run_in_order_of_registration():
    log = []
    for name, stage in (("Zeta", EARLY), ("Later", LATE), ("Alpha", EARLY)):
        recording(name, log, stage)
    report = run_passes(chain("Relu"), EARLY)
    assert log == ["Zeta", "Alpha"]
    assert [stat.name for stat in report.stats] == ["Zeta", "Alpha"] and "Later" not in report
    assert {stat.stage for stat in report.stats} == {EARLY}
    run_passes(chain("Relu"), LATE)
    assert log == ["Zeta", "Alpha", "Later"]


def test_passes_registered_later_are_seen():
    log = []
    recording("A", log)
    run_passes(chain("Relu"), EARLY)
    recording("B", log)
    run_passes(chain("Relu"), EARLY)
    assert log == ["A", "A", "B"]


def test_passes_can_be_switched_off():
    log = []
    recording("A", log)
    recording("B", log)
    run_passes(chain("Relu"), EARLY, {"pass.A": "off"})
    assert log == ["B"]
    with pytest.raises(RuntimeError, match="maybe"):
        PassExecutor({"pass.A": "maybe"})
    with pytest.raises(TypeError, match="options must be str to str"):
        PassExecutor({"level": 3})


def test_run_pass_ignores_stage_and_switch():
    log = []
    recording("A", log, LATE)
    with PassExecutor({"pass.A": "off"}) as executor:
        assert executor.run_pass(chain("Relu"), "A").stats[0].name == "A"
        with pytest.raises(KeyError, match="no pass is named 'B'; registered Python passes: A"):
            executor.run_pass(chain("Relu"), "B")
    assert log == ["A"]


def test_report():
    class Fuse(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            return Tanh(inputs[0])

    register_fusion_pass(name="Fuse", stage=EARLY)(Fuse)
    with PassExecutor() as executor:
        first = executor.run(chain("Relu", "Relu"), EARLY)
        second = executor.run(chain("Neg"), EARLY)
    assert first.changed and not second.changed
    assert (first.rewrites, second.rewrites, second["Fuse"].graphs) == (2, 2, 2)
    lines = str(second).splitlines()
    assert lines[0].split() == ["pass", "matches", "rewrites", "skipped", "ms"]
    assert lines[1].split()[:4] == ["Fuse", "2", "2", "0"]
    with pytest.raises(KeyError, match="'Other' did not run; passes that did: Fuse"):
        second["Other"]


def test_what_earlier_passes_did_stays():
    class Rename(FusionBasePass):
        def run(self, graph, context):
            graph.find_node("n0").name = "renamed"

    class Fails(FusionBasePass):
        def run(self, graph, context):
            graph.find_node("renamed").name = "again"
            raise ValueError("boom")

    for cls in (Rename, Fails):
        register_fusion_pass(name=cls.__name__, stage=EARLY)(cls)
    graph = chain("Relu")
    with pytest.raises(PassError, match="Fails"):
        run_passes(graph, EARLY)
    assert graph.find_node("renamed") is not None


@pytest.mark.parametrize("call", [lambda e, g: e.run(g, EARLY), lambda e, g: e.run_pass(g, "A")])
def test_wrong_arguments(call):
    recording("A", [])
    with PassExecutor() as executor:
        with pytest.raises(TypeError, match="graph must be a Graph, found str"):
            call(executor, "graph")
        moved = Graph("moved")
        Graph._adopt(moved._release())
        with pytest.raises(RuntimeError, match="has expired"):
            call(executor, moved)
        with pytest.raises(TypeError, match="stage must be a PassStage, found str"):
            executor.run(chain("Relu"), "BeforeInferShape")
    with pytest.raises(RuntimeError, match="closed"):
        call(executor, chain("Relu"))
    executor.close()


def test_apply_pass_takes_pass_classes_alone():
    with pytest.raises(TypeError, match="derived from FusionBasePass"):
        apply_pass(chain("Relu"), int)


def test_apply_pass_leaves_nothing_registered():
    class Nothing(FusionBasePass):
        def run(self, graph, context):
            pass

    for _ in range(3):
        assert apply_pass(chain("Relu"), Nothing).stats[0].name == "Nothing"
    assert get_registered_passes() == []
    recording("Nothing", [])
    run_passes(chain("Relu"), EARLY)


def test_a_pass_in_use_cannot_be_unregistered():
    cls = recording("A", [])
    key = cls.__ge_pass_descriptor__.descriptor_key
    executor = PassExecutor()
    executor.run(chain("Relu"), EARLY)
    for call in (clear_registered_passes, lambda: unregister_pass(key)):
        with pytest.raises(RuntimeError, match="A"):
            call()
        assert [item.pass_name for item in get_registered_passes()] == ["A"]
    executor.close()
    assert unregister_pass(key) and get_registered_passes() == []


def test_a_dropped_executor_ends_its_objects():
    ended = []

    class Ends(FusionBasePass):
        def run(self, graph, context):
            pass

        def __del__(self):
            ended.append(True)

    register_fusion_pass(name="Ends", stage=EARLY)(Ends)
    executor = PassExecutor()
    executor.run(chain("Relu"), EARLY)
    assert not ended
    del executor
    gc.collect()
    assert ended == [True]


def test_an_executor_within_a_pass():
    log = []
    inner = recording("Inner", log, LATE)

    class Outer(FusionBasePass):
        def run(self, graph, context):
            apply_pass(chain("Relu"), inner)
            with pytest.raises(PassError, match="ValueError: inner"):
                apply_pass(chain("Relu"), Fails)
            log.append(context.get_pass_name())

    class Fails(FusionBasePass):
        def run(self, graph, context):
            raise ValueError("inner")

    apply_pass(chain("Relu"), Outer)
    assert log == ["Inner", "Outer"]


def test_plugin_failures_stand_in_the_report(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("def broken(:\n")
    (tmp_path / "good.py").write_text(
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='Good', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class Good(FusionBasePass):\n    def run(self, graph, context):\n        pass\n"
    )
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(tmp_path))
    report = run_passes(chain("Relu"), EARLY)
    assert "Good" in report
    (failure,) = report.plugin_failures
    assert failure.origin == str(tmp_path / "broken.py") and "SyntaxError" in str(report)


def test_other_threads_run_while_passes_match():
    """Matching holds no GIL: a counting thread gets on while the executor walks a large graph."""
    graph = chain(*["Neg"] * 60_000)

    class Rare(PatternFusionPass):
        @pattern
        def deep(self, inputs):
            value = inputs[0]
            for _ in range(6):
                value = Relu(value)
            return value

        def replacement(self, inputs):
            return Tanh(inputs[0])

    register_fusion_pass(name="Rare", stage=EARLY)(Rare)
    ticks, stop = [], threading.Event()

    def count():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    with PassExecutor() as executor:
        executor.run(chain("Relu"), EARLY)  # everything is loaded and registered
        thread = threading.Thread(target=count)
        thread.start()
        try:
            started = time.perf_counter()
            stat = executor.run(graph, EARLY)["Rare"]
            ended = time.perf_counter()
        finally:
            stop.set()
            thread.join()
    assert stat.matches == 0
    inside = [tick for tick in ticks if started < tick < ended]
    longest = max(second - first for first, second in zip([started, *inside], [*inside, ended]))
    assert longest < max(0.5 * (ended - started), 0.02), f"no tick for {longest:.3f} s of {ended - started:.3f} s"


def test_executors_in_several_threads():
    class Fuse(PatternFusionPass):
        @pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def meet_requirements(self, match):
            return match.get_matched_nodes()[0].type == "Relu"

        def replacement(self, inputs):
            return Tanh(inputs[0])

    register_fusion_pass(name="Fuse", stage=EARLY)(Fuse)
    run_passes(chain("Relu"), EARLY)
    failures = []

    def work():
        try:
            for _ in range(20):
                graph = chain(*["Relu"] * 10)
                assert run_passes(graph, EARLY).rewrites == 10
                assert set(types(graph)) == {"Tanh"}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_name_that_a_native_pass_has(route):
    from ge.passes import _abi
    from ge.passes._library import api

    def nothing(*arguments):
        return 0

    call = api().call
    create, destroy = _abi.ge_passes_create_fn(nothing), _abi.ge_passes_destroy_fn(nothing)
    run, text = _abi.ge_passes_run_fn(nothing), _abi.bytes_pointer(b"Taken")
    desc = _abi.ge_passes_pass_desc(
        kind=1, stage=4, enabled=1, name=text, name_size=5, descriptor_key=text, descriptor_key_size=5
    )
    native = call.pass_register(desc, _abi.ge_passes_callbacks(create=create, destroy=destroy, run=run))
    try:
        recording("First", [])
        recording("Taken", [])
        with pytest.raises(RuntimeError, match="Taken"):
            run_passes(chain("Relu"), EARLY)
        assert call.pass_list() == [native]
    finally:
        call.pass_unregister(native)
    assert "Taken" in run_passes(chain("Relu"), EARLY)
