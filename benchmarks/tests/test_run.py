"""The harness: requests that make no sense, the report's form, and each workload once at a small size."""

import json
import sys
from pathlib import Path

import contract
import pytest
import run
import specs


def test_unknown_workload_lists_those_there_are(capsys):
    assert run.main(["W99"]) == 2
    assert "unknown workload 'W99'; there are W1, W2" in capsys.readouterr().err


def test_workload_to_come_says_so(capsys):
    assert run.main(["W7"]) == 2
    assert "workload W7 is not implemented yet; there are W1" in capsys.readouterr().err


def test_unknown_variant_and_peer_list_the_known_ones(capsys):
    assert run.main(["W2", "--variant", "sideways"]) == 2
    assert "W2 has no variant 'sideways'; it has objects, sort" in capsys.readouterr().err
    assert run.main(["W2", "--peers", "nobody"]) == 2
    assert "W2 has no peer nobody; it has graphsurgeon" in capsys.readouterr().err


def test_list_names_every_workload(capsys):
    assert run.main(["--list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in contract.ALL)


@pytest.mark.parametrize("name", contract.available())
def test_each_workload_runs_and_reports(name, capsys):
    assert run.main([name, "--n", "60", "--pairs", "2", "--peers", "none", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {"workload", "variant", "n", "ours", "peers", "best_peer", "ratio_to_best"} <= set(result)
    assert {"median_s", "min_s", "rss_peak_mb", "counts"} == set(result["ours"])
    assert result["workload"] == name and result["n"] == 60 and result["best_peer"] is None


def test_peers_without_their_environment_are_reported_missing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, "PEERS_PYTHON", tmp_path / "python")
    assert run.main(["W1", "--n", "60", "--pairs", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert "./dev peers" in result["peers"]["mlir"]["missing"]
    assert result["ratio_to_best"] is None


def test_a_variant_that_a_peer_does_not_offer_says_why(monkeypatch, capsys):
    monkeypatch.setattr(run, "PEERS_PYTHON", Path(sys.executable))
    assert run.main(["W6", "--pairs", "1", "--peers", "onnx_path", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["peers"]["onnx_path"] == {"missing": "infer_shapes_path always infers"}


@pytest.mark.parametrize("variant", contract.load("W5").variants)
def test_every_shape_of_graph_is_split(variant, capsys):
    assert run.main(["W5", "--variant", variant, "--n", "60", "--pairs", "1", "--peers", "none", "--json"]) == 0
    counts = json.loads(capsys.readouterr().out.splitlines()[-1])["ours"]["counts"]
    assert counts["static_parts"] and counts["dynamic_parts"]


@pytest.mark.parametrize("make", [specs.chain, specs.wide, specs.star])
@pytest.mark.parametrize("n", [3, 10, 101])
def test_shapes_have_the_size_asked_for_and_both_labels(make, n):
    spec = make(n)
    assert len(spec) == n and {label for _, _, label in spec} == {0, 1}
    assert all(value < 4 + number for number, (_, inputs, _) in enumerate(spec) for value in inputs)


def test_specs_are_of_the_size_and_shape_asked_for():
    spec = specs.triples(30)
    assert len(spec) == 30 and specs.sinks(spec) == [33]
    dag = specs.layered(1000, 2)
    edges = sum(value >= 4 for _, inputs, _ in dag for value in inputs)
    assert len(dag) == 1000 and 1300 < edges < 1600
    assert 230 < sum(label for _, _, label in dag) < 370
    assert specs.layered(1000, 2) == dag
