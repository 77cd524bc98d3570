"""Facts and manifest of a set, as the build of ge-bridge-native computes them."""

import hashlib
import importlib.util
import sys
import sysconfig
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[3] / "packages" / "ge-bridge-native"


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("artifact_set", SOURCE / "cmake" / "artifact_set.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "cpp" / "bridge").mkdir(parents=True)
    (tmp_path / "abi").mkdir()
    (tmp_path / "cpp" / "bridge" / "a.cc").write_text("int a;\n")
    (tmp_path / "abi" / "ge_bridge.toml").write_text('[table]\nname = "ge_bridge"\nmajor = 3\n')
    return tmp_path


def test_facts_describe_this_interpreter(tool):
    facts = tool.interpreter_facts()
    assert facts["python_version"] == "{}.{}".format(*sys.version_info[:2])
    assert facts["python_tag"].startswith("cp{}{}".format(*sys.version_info[:2]))
    assert facts["platform"] == sysconfig.get_platform()
    assert facts["soabi"] in facts["ext_suffix"]


def test_bridge_abi_is_the_major_of_the_table(tool, tree):
    assert tool.bridge_abi(tree) == 3


def test_missing_table_definition_is_named(tool, tmp_path):
    with pytest.raises(SystemExit, match=r"ge_bridge\.toml: the definition of the bridge table is missing"):
        tool.bridge_abi(tmp_path)


def test_build_id_depends_on_sources_facts_and_settings_only(tool, tree):
    first = tool.build_id(tree, {"a": 1}, ["-O2"])
    assert len(first) == 32 and first == tool.build_id(tree, {"a": 1}, ["-O2"])
    assert first != tool.build_id(tree, {"a": 2}, ["-O2"])
    assert first != tool.build_id(tree, {"a": 1}, ["-O0"])
    (tree / "cpp" / "bridge" / "a.cc").write_text("int b;\n")
    assert first != tool.build_id(tree, {"a": 1}, ["-O2"])


def test_required_glibc_is_the_highest_asked_for(tool):
    assert tool.required_glibc([b"\0GLIBC_2.4\0GLIBC_2.34\0", b"\0GLIBC_2.2.5\0"]) == "2.34"
    assert tool.required_glibc([b"\0GLIBCXX_3.4.29\0"]) is None


def test_manifest_carries_hash_and_size_of_both_files(tool, tmp_path):
    (tmp_path / "b.so").write_bytes(b"bridge")
    (tmp_path / "n.so").write_bytes(b"native!")
    facts = dict(tool.interpreter_facts(), bridge_abi=1, build_id="0" * 32, build_python={"version": "3.11.7"})
    content = tool.manifest(facts, tmp_path, {"bridge": "b.so", "native": "n.so"})
    digest = hashlib.sha256(b"bridge").hexdigest()
    assert content["artifacts"]["bridge"] == {"file": "b.so", "sha256": digest, "size": 6}
    assert content["artifacts"]["native"]["size"] == 7
    assert content["schema_version"] == 1
