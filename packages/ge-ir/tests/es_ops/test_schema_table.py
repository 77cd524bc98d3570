"""The shipped schema table against the installed onnx."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ge.es._schema import ParameterKind
from ge.es._schema_registry import find_schema, newest_opset, op_names
from ge.es._schema_table import SchemaTable, load_shipped_table, shipped_domains

onnx = pytest.importorskip("onnx", reason="the table is compared with the onnx package (extra ge-ir[onnx])")

TOOL = Path(__file__).resolve().parents[2] / "tools" / "gen_schemas.py"


def _release(text):
    return tuple(int(part) for part in text.split(".")[:2])


SHIPPED = _release(load_shipped_table("").onnx_version)
INSTALLED = _release(onnx.__version__)


def _installed():
    return onnx.defs.get_all_schemas_with_history()


def test_holds_every_schema_that_the_installed_onnx_knows():
    missing = {
        (schema.domain, schema.name, schema.since_version)
        for schema in _installed()
        if (found := find_schema(schema.domain, schema.name, schema.since_version)) is None
        or found.since_version != schema.since_version
    }
    if INSTALLED > SHIPPED:
        # A newer onnx may know more; none of it may be of an opset that the table claims to know.
        missing = {key for key in missing if key[2] <= newest_opset(key[0])}
    assert missing == set()


def test_agrees_with_the_installed_onnx_on_names_and_kinds():
    for schema in _installed():
        found = find_schema(schema.domain, schema.name, schema.since_version)
        if found is None or found.since_version != schema.since_version:
            continue
        assert [(p.name, int(p.kind)) for p in found.inputs] == [(p.name, p.option.value) for p in schema.inputs], (
            schema
        )
        assert [(p.name, int(p.kind)) for p in found.outputs] == [(p.name, p.option.value) for p in schema.outputs], (
            schema
        )
        kinds = {name: attribute.kind.value for name, attribute in found.attributes.items()}
        assert kinds == {name: attribute.type.name for name, attribute in schema.attributes.items()}, schema
        assert found.deprecated == schema.deprecated


def _tool(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *arguments], capture_output=True, text=True, check=False)


def test_files_are_what_the_tool_writes():
    done = _tool("--check")
    if INSTALLED == SHIPPED:
        assert (done.returncode, done.stdout) == (0, "schema files are up to date\n")
    elif INSTALLED > SHIPPED:
        assert done.stdout.startswith("stale: ")
    else:
        # An older release may lack what the tool reads; one that has it writes other files.
        assert done.returncode == 1
        assert done.stdout.startswith("stale: ") or "install the newest release" in done.stderr


def test_tool_writes_nothing_when_it_checks(tmp_path):
    done = _tool("--check", "--output", str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.startswith("stale: ai.onnx") or "install the newest release" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_defaults_and_types_are_those_of_the_operator():
    selu = find_schema("", "Selu", 22)
    assert selu.attributes["alpha"].default == pytest.approx(1.67326, abs=1e-5)
    assert find_schema("", "Clip", 6).attributes["min"].default == pytest.approx(-3.402823e38)
    rnn = find_schema("", "RNN", 22)
    assert rnn.attributes["activations"].default == ["Tanh", "Tanh"]
    split = find_schema("", "Split", 18)
    assert split.variadic_output.name == "outputs"
    assert split.inputs[1].kind is ParameterKind.OPTIONAL
    assert split.allowed_types(split.inputs[1]) == ("tensor(int64)",)
    zip_map = find_schema("ai.onnx.ml", "ZipMap", 1)
    assert set(zip_map.allowed_types(zip_map.outputs[0])) == {"seq(map(int64,float))", "seq(map(string,float))"}


@pytest.mark.parametrize(
    ("name", "opset", "since"),
    [("Softmax", 12, 11), ("Softmax", 13, 13), ("Add", 6, 6), ("Add", 5, 1), ("Gelu", 19, None), ("Gelu", 20, 20)],
)
def test_the_newest_form_that_is_not_newer_counts(name, opset, since):
    found = find_schema("", name, opset)
    assert (found.since_version if found is not None else None) == since


def test_the_long_name_of_the_default_domain_is_the_short_one():
    assert find_schema("ai.onnx", "Add", 14) is find_schema("", "Add", 14)


def test_properties():
    assert find_schema("", "Add", 14).commutative
    assert not find_schema("", "Sub", 14).commutative
    assert not find_schema("", "RandomNormal", 1).deterministic
    assert find_schema("", "Conv", 11).deterministic
    assert find_schema("", "Upsample", 10).deprecated
    assert "Upsample" in op_names("", 9)
    assert "Upsample" not in op_names("", 10)
    assert "Upsample" in op_names("", 10, deprecated=True)


def test_all_shipped_domains_can_be_indexed_and_parsed():
    assert shipped_domains() == ["", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training"]
    for domain in shipped_domains():
        table = load_shipped_table(domain)
        names = table.names_at(10**6, deprecated=True)
        assert names == sorted(names)
        for name in names:
            for version in table.versions(name):
                schema = table.find(name, version)
                assert (schema.name, schema.since_version, schema.domain) == (name, version, domain)


def test_names_of_files_cannot_be_reached_through_a_domain():
    assert load_shipped_table("../_schema_data/ai.onnx.ml") is None
    assert load_shipped_table("no.such.domain") is None


def test_a_file_of_another_format_is_refused():
    with pytest.raises(ValueError, match=r"format 2, expected 1: reinstall ge-ir"):
        SchemaTable('{"format":2}\n')
