"""What hooks are called with, what they may return, what happens when they raise; on both routes."""

from __future__ import annotations

import pytest
from ge.es import GraphBuilder
from ge.es.onnx import Neg, Relu, Sigmoid, Tanh
from ge.graph import DataType, Graph, TensorDesc
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    MatchResult,
    PassContext,
    PassError,
    PassExecutor,
    PassStage,
    PatternFusionPass,
    apply_pass,
    pattern,
    register_fusion_pass,
)
from pass_graphs import chain, types

pytestmark = pytest.mark.usefixtures("route")


class ReluToTanh(PatternFusionPass):
    """Relu(x) -> Tanh(x)."""

    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def replacement(self, inputs):
        return Tanh(inputs[0])


def tanh_graph():
    builder = GraphBuilder("replacement")
    return builder.build_and_reset([Tanh(builder.create_input(0))])


def expired(call):
    with pytest.raises(RuntimeError, match="has expired"):
        call()


# -- calling


def test_expression_replacement():
    graph = chain("Relu", "Neg", "Relu")
    report = apply_pass(graph, ReluToTanh)
    assert types(graph) == ["Tanh", "Neg", "Tanh"]
    stat = report["ReluToTanh"]
    assert (stat.matches, stat.rewrites, stat.skipped, report.changed) == (2, 2, 0, True)
    assert stat.seconds > 0 and stat.graphs == 1


@pytest.mark.parametrize("with_context", [False, True])
def test_filters_get_what_they_ask_for(with_context):
    seen = []

    def plain(self, match):
        seen.append((type(match), match.get_matched_nodes()[0].name))
        return match.get_matched_nodes()[0].name == "n2"

    def full(self, match, context):
        assert isinstance(context, PassContext) and context.get_pass_name() == "P"
        return plain(self, match)

    cls = type("P", (ReluToTanh,), {"meet_requirements": full if with_context else plain})
    graph = chain("Relu", "Neg", "Relu")
    stat = apply_pass(graph, cls)["P"]
    assert types(graph) == ["Relu", "Neg", "Tanh"]
    assert seen == [(MatchResult, "n0"), (MatchResult, "n2")]
    assert (stat.matches, stat.rewrites, stat.skipped) == (2, 1, 1)


REPLACEMENTS = {
    "match": (lambda self, match_result: tanh_graph(), ["MatchResult"]),
    "match, context": (lambda self, match_result, context: tanh_graph(), ["MatchResult", "PassContext"]),
    "inputs": (lambda self, inputs: Tanh(inputs[0]), ["PatternInputs"]),
    "inputs, match": (lambda self, inputs, m: Tanh(inputs[0]), ["PatternInputs", "MatchResult"]),
    "inputs, context": (lambda self, inputs, context: Tanh(inputs[0]), ["PatternInputs", "PassContext"]),
    "inputs, match, context": (
        lambda self, inputs, m, context: Tanh(inputs[0]),
        ["PatternInputs", "MatchResult", "PassContext"],
    ),
    "inputs, list": (lambda self, inputs: [Tanh(inputs[0])], ["PatternInputs"]),
    "inputs, graph": (lambda self, inputs: tanh_graph(), ["PatternInputs"]),
}


@pytest.mark.parametrize(("function", "expected"), REPLACEMENTS.values(), ids=REPLACEMENTS.keys())
def test_replacements_get_what_they_ask_for(function, expected):
    import functools

    seen = []

    @functools.wraps(function)
    def recording(*arguments):
        seen.append([type(item).__name__ for item in arguments[1:]])
        return function(*arguments)

    graph = chain("Relu")
    apply_pass(graph, type("P", (ReluToTanh,), {"replacement": recording}))
    assert types(graph) == ["Tanh"] and seen == [expected]


def test_hooks_of_mixins_and_super_calls():
    class OnlySecond:
        def meet_requirements(self, match, context):
            return match.get_matched_nodes()[0].name == "n2" and super().meet_requirements(match)

    class Derived(OnlySecond, ReluToTanh):
        def replacement(self, inputs):
            return Neg(super().replacement(inputs))

    graph = chain("Relu", "Sigmoid", "Relu")
    apply_pass(graph, Derived)
    assert types(graph) == ["Relu", "Sigmoid", "Tanh", "Neg"]


def test_inputs_that_the_replacement_ignores_need_no_touch():
    from ge.es.onnx import Add

    class DropSecond(PatternFusionPass):
        @pattern
        def add(self, inputs):
            return Add(inputs[0], inputs[1])

        def replacement(self, inputs):
            return Neg(inputs[0])

    graph = Graph("g")
    a, b = (graph.create_node("Data", name=name, attrs={"index": index}) for index, name in enumerate("ab"))
    add = graph.create_node("Add", [a, b])
    graph.create_node("NetOutput", [add], output_count=0)
    apply_pass(graph, DropSecond)
    assert types(graph) == ["Neg"] and len(graph.inputs) == 2


def test_inputs_of_a_replacement_have_the_type_of_what_they_stand_for():
    seen = []

    class P(ReluToTanh):
        def replacement(self, inputs):
            seen.append((inputs[0].data_type, list(inputs[0].shape.dims)))
            return Tanh(inputs[0])

    graph = chain("Relu")
    graph.find_node("x").update_output_desc(0, TensorDesc([2, 3], data_type=DataType.DT_FLOAT16))
    apply_pass(graph, P)
    assert seen == [(DataType.DT_FLOAT16, [2, 3])]


def test_whole_graph_pass():
    class Rename(FusionBasePass):
        def run(self, graph, context):
            assert context.get_pass_name() == "Rename"
            graph.find_node_by_name("n0").name = "renamed"
            return True

    graph = chain("Relu")
    report = apply_pass(graph, Rename)
    assert graph.find_node("renamed") is not None
    assert report.changed and report["Rename"].rewrites == 1


def test_a_whole_graph_pass_that_changes_nothing():
    graph = chain("Relu")
    report = apply_pass(graph, type("Nothing", (FusionBasePass,), {"run": lambda self, graph, context: None}))
    assert not report.changed and report["Nothing"].rewrites == 0


def test_subgraphs_are_visited():
    graph, body = chain("Relu"), chain("Relu", name="body")
    graph.find_node("n0").add_subgraph("then_branch", body)
    seen = []

    class Visit(FusionBasePass):
        def run(self, graph, context):
            seen.append((graph.name, graph.parent_node is not None))

    report = apply_pass(graph, Visit)
    assert seen == [("g", False), ("body", True)] and report["Visit"].graphs == 2
    apply_pass(graph, ReluToTanh)
    assert types(body) == ["Tanh"]


# -- expiry


def test_a_match_and_its_nodes_expire():
    kept = {}

    class Keep(ReluToTanh):
        def meet_requirements(self, match, context):
            node = match.get_matched_nodes()[0]
            kept.update(match=match, context=context, node=node, graph=match.graph, io=match.get_captured_tensor(0))
            assert str(match).startswith("match of Keep_relu_pattern in g: n0 (Relu)")
            assert match.get_pattern_graph_name() == "Keep_relu_pattern"
            return False

    graph = chain("Relu")
    apply_pass(graph, Keep)
    match = kept["match"]
    expired(match.get_matched_nodes)
    expired(match.get_inputs)
    expired(lambda: match.get_captured_tensor(0))
    expired(match.get_pattern_graph_name)
    expired(lambda: str(match))
    expired(lambda: match.graph)
    expired(lambda: kept["node"].name)
    expired(lambda: kept["io"].node.type)
    expired(lambda: kept["graph"].name)
    expired(kept["context"].get_pass_name)
    expired(lambda: kept["context"].set_error_message("late"))
    assert repr(match) == "MatchResult(expired)" and repr(kept["context"]) == "PassContext(expired)"
    assert repr(kept["node"]) == "Node(expired)" and not kept["node"].is_live
    assert graph.find_node("n0").name == "n0"


@pytest.mark.parametrize("fails", [False, True])
def test_a_graph_and_a_context_expire_however_the_hook_ends(fails):
    kept = {}

    class Keep(FusionBasePass):
        def run(self, graph, context):
            kept.update(graph=graph, context=context, node=graph.get_direct_nodes()[0])
            if fails:
                raise ValueError("boom")

    graph = chain("Relu")
    if fails:
        with pytest.raises(PassError):
            apply_pass(graph, Keep)
    else:
        apply_pass(graph, Keep)
    expired(lambda: kept["graph"].name)
    expired(lambda: kept["node"].name)
    expired(kept["context"].get_pass_name)
    assert graph.name == "g"


def test_views_cannot_be_made():
    for cls in (MatchResult, PassContext):
        with pytest.raises(RuntimeError, match="cannot be constructed"):
            cls()


def test_captures_have_bounds():
    seen = []

    class P(ReluToTanh):
        def meet_requirements(self, match):
            seen.append([match.get_captured_tensor(index).node.name for index in (0, 1)])
            for index in (2, -1, 2**40):
                with pytest.raises(RuntimeError, match="capture"):
                    match.get_captured_tensor(index)
            with pytest.raises(TypeError, match="capture index must be int, found str"):
                match.get_captured_tensor("0")
            return True

    apply_pass(chain("Relu"), P)
    assert seen == [["x", "n0"]]


# -- failures


def fails_in(hook, error=None):
    """A pass whose hook raises."""

    def boom(self, *arguments):
        raise error or ValueError("boom")

    def run(self, graph, context):
        boom(self)

    def one(self, match):
        boom(self)

    if hook == "run":
        return type("P", (FusionBasePass,), {"run": run})
    if hook == "pattern":
        return type("P", (ReluToTanh,), {"relu": pattern(lambda self, inputs: boom(self))})
    members = {
        "__init__": lambda self: boom(self),
        "patterns": lambda self: boom(self),
        "meet_requirements": one,
        "replacement": one,
    }
    return type("P", (ReluToTanh,), {hook: members[hook]})


HOOKS = ["run", "__init__", "patterns", "pattern", "meet_requirements", "replacement"]


@pytest.mark.parametrize("hook", HOOKS)
def test_an_exception_fails_the_pass_with_everything_one_needs(hook):
    graph = chain("Relu")
    before, version = graph.to_text(), graph.version
    with pytest.raises(PassError) as caught:
        apply_pass(graph, fails_in(hook))
    text = str(caught.value)
    assert "'P'" in text or "pass P" in text
    assert "ValueError: boom" in text and f'File "{__file__}"' in text and "in boom" in text
    assert "_bridge.py" not in text and "_holder.py" not in text
    assert isinstance(caught.value.__cause__, ValueError)
    if hook in ("meet_requirements", "replacement"):
        assert "n0" in text and "P_relu_pattern" in text
    assert (graph.to_text(), graph.version) == (before, version)


def test_what_a_failing_pass_did_is_rolled_back():
    class Half(FusionBasePass):
        def run(self, graph, context):
            graph.find_node("n0").name = "renamed"
            raise ValueError("boom")

    graph = chain("Relu")
    before = graph.to_text()
    with pytest.raises(PassError):
        apply_pass(graph, Half)
    assert graph.to_text() == before


def test_the_authors_message_is_in_the_error():
    class Says(FusionBasePass):
        def run(self, graph, context):
            assert context.get_error_message() == ""
            context.set_error_message("the weights of layer 3 are missing")
            assert context.get_error_message() == "the weights of layer 3 are missing"
            return False

    with pytest.raises(PassError, match="the weights of layer 3 are missing"):
        apply_pass(chain("Relu"), Says)


RESULTS = {
    "False": (False, RuntimeError, "returned False"),
    "0": (0, TypeError, "must return None or bool, found int: 0"),
    "1": (1, TypeError, "must return None or bool, found int: 1"),
    "-1": (-1, TypeError, "found int: -1"),
    "text": ("ok", TypeError, "found str: 'ok'"),
}


@pytest.mark.parametrize(("result", "cause", "text"), RESULTS.values(), ids=RESULTS.keys())
def test_results_of_run_that_fail(result, cause, text):
    with pytest.raises(PassError, match=text) as caught:
        apply_pass(chain("Relu"), type("P", (FusionBasePass,), {"run": lambda self, graph, context: result}))
    assert isinstance(caught.value.__cause__, cause)


@pytest.mark.parametrize("result", [None, 1, "yes", []])
def test_filters_must_give_a_bool(result):
    with pytest.raises(PassError, match=f"meet_requirements must return bool, found {type(result).__name__}"):
        apply_pass(chain("Relu"), type("P", (ReluToTanh,), {"meet_requirements": lambda self, match: result}))


def test_a_bool_of_numpy_will_do():
    import numpy as np

    graph = chain("Relu")
    apply_pass(graph, type("P", (ReluToTanh,), {"meet_requirements": lambda self, match: np.int64(3) > 2}))
    assert types(graph) == ["Tanh"]


@pytest.mark.parametrize("expression", [False, True])
@pytest.mark.parametrize("result", [None, 3, "graph"])
def test_replacements_must_be_graphs(expression, result):
    replacement = (lambda self, inputs: result) if expression else (lambda self, match: result)
    with pytest.raises(PassError, match="replacement must return") as caught:
        apply_pass(chain("Relu"), type("P", (ReluToTanh,), {"replacement": replacement}))
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_graph_cannot_be_given_twice():
    kept = []

    class Twice(ReluToTanh):
        def replacement(self, match):
            if not kept:
                kept.append(tanh_graph())
            return kept[0]

    with pytest.raises(PassError, match="has expired: it was moved away"):
        apply_pass(chain("Relu", "Relu"), Twice)


@pytest.mark.parametrize(
    ("patterns", "text"),
    [
        ("a text", "must return an iterable of Pattern or Graph, found str"),
        (3, "found int"),
        ([3], "element 0 must be Pattern or Graph"),
    ],
)
def test_patterns_must_be_patterns(patterns, text):
    with pytest.raises(PassError, match=text):
        apply_pass(chain("Relu"), type("P", (ReluToTanh,), {"relu": None, "patterns": lambda self: patterns}))


def test_no_patterns_is_no_error():
    graph = chain("Relu")
    for patterns in (None, [], ()):
        report = apply_pass(graph, type("P", (PatternFusionPass,), {"patterns": lambda self, found=patterns: found}))
        assert report["P"].matches == 0
    assert types(graph) == ["Relu"]


def test_explicit_patterns_are_all_used():
    class Both(PatternFusionPass):
        def patterns(self):
            for function in (Relu, Sigmoid):
                builder = GraphBuilder(function.__name__)
                yield builder.build_and_reset([function(builder.create_input(0))])

        def replacement(self, match):
            return tanh_graph()

    graph = chain("Relu", "Sigmoid")
    apply_pass(graph, Both)
    assert types(graph) == ["Tanh", "Tanh"]


def test_interrupts_are_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        apply_pass(chain("Relu"), fails_in("replacement", KeyboardInterrupt()))


def test_a_long_traceback_keeps_its_message():
    class Deep(FusionBasePass):
        def run(self, graph, context):
            self.down(200)

        def down(self, depth):
            if depth:
                self.down(depth - 1)
            raise ValueError("at the bottom " + "x" * 100)

    with pytest.raises(PassError, match="ValueError: at the bottom"):
        apply_pass(chain("Relu"), Deep)


def test_options_reach_the_context():
    seen = []

    class Reads(FusionBasePass):
        def run(self, graph, context):
            seen.append(context.get_option_value("level"))
            with pytest.raises(RuntimeError, match="absent"):
                context.get_option_value("absent")
            with pytest.raises(TypeError, match="option key must be str"):
                context.get_option_value(3)

    apply_pass(chain("Relu"), Reads, {"level": "3"})
    assert seen == ["3"]


# -- instances


def test_one_object_for_the_life_of_an_executor():
    made = []

    @register_fusion_pass(name="Counts", stage=PassStage.BEFORE_INFER_SHAPE)
    class Counts(FusionBasePass):
        def __init__(self):
            self.count = 0
            made.append(self)

        def run(self, graph, context):
            self.count += 1

    graph = chain("Relu")
    with PassExecutor() as executor:
        executor.run(graph, PassStage.BEFORE_INFER_SHAPE)
        executor.run(graph, PassStage.BEFORE_INFER_SHAPE)
    with PassExecutor() as executor:
        executor.run(graph, PassStage.BEFORE_INFER_SHAPE)
    assert [item.count for item in made] == [2, 1]


# -- decompose


class SplitGemm(DecomposePass):
    """Relu(x) -> Neg(Tanh(x)), written for a single node."""

    op_types = ["Relu"]  # noqa: RUF012

    def replacement(self, node):
        assert node.type == "Relu" and node.graph.name in ("g", "body")
        builder = GraphBuilder("replacement")
        return builder.build_and_reset([Neg(Tanh(builder.create_input(0)))])


def test_decompose():
    kept = []

    class Derived(SplitGemm):
        def meet_requirements(self, node, context):
            kept.append((node, context))
            return node.name == "n0"

    graph = chain("Relu", "Sigmoid", "Relu")
    stat = apply_pass(graph, Derived)["Derived"]
    assert types(graph) == ["Tanh", "Neg", "Sigmoid", "Relu"]
    assert (stat.matches, stat.rewrites, stat.skipped) == (2, 1, 1)
    for node, context in kept:
        expired(lambda node=node: node.name)
        expired(context.get_pass_name)
