"""Every node case of onnx's own backend tests: import, export, equal results where the original runs."""

from __future__ import annotations

import warnings

import onnx
import pytest
from ge.onnx import from_model_proto, to_model_proto

pytestmark = pytest.mark.slow

#: Random by definition, and the reference does not seed them.
_RANDOM = ("test_bernoulli", "test_randomnormal", "test_randomuniform")
#: Cases per test; one test for each would only make the list long.
_GROUPS = 8


@pytest.fixture(scope="module")
def cases():
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return collect_testcases(None)


def _normalized(model):
    """What must be equal: everything but node names, data forms and the order of attributes and opset imports."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    entries = sorted(copy.opset_import, key=lambda entry: entry.domain)
    del copy.opset_import[:]
    for entry in entries:
        item = copy.opset_import.add()
        item.domain, item.version = entry.domain, entry.version
    return [
        copy.opset_import,
        copy.graph.input,
        copy.graph.output,
        [
            (n.op_type, n.domain, list(n.input), list(n.output), sorted(a.name for a in n.attribute))
            for n in copy.graph.node
        ],
        [f.name for f in copy.functions],
    ]


@pytest.mark.parametrize("group", range(_GROUPS))
def test_group(cases, group, run, same):
    wrong = []
    ran = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases[group::_GROUPS]:
            made = to_model_proto(from_model_proto(case.model))
            if _normalized(made) != _normalized(case.model):
                wrong.append(f"{case.name}: structure")
            if not case.data_sets or case.name.startswith(_RANDOM):
                continue
            feeds = dict(zip((value.name for value in case.model.graph.input), case.data_sets[0][0]))
            expected = run(case.model, feeds)
            if expected is None:
                continue
            ran += 1
            if not same(run(made, feeds), expected):
                wrong.append(f"{case.name}: values")
    assert wrong == []
    assert ran > len(cases) // _GROUPS // 2
