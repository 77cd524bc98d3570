"""A wheel that is not what its manifest says is refused, with what was found."""

import hashlib
import json
import zipfile

import pytest
from artifact_check import REQUIRED_KEYS, ArtifactError, check_files, check_import, read_manifest

FOLDER = "ge/passes/python_pass_artifacts/cp311-linux-x86_64"
FILES = {"bridge": ("libge_python_pass_bridge.so", b"the bridge"), "native": ("_ge_pass_native.so", b"the extension")}


def entry(name, data):
    return {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}


def content(**changes):
    manifest = dict.fromkeys(REQUIRED_KEYS, "x")
    manifest.update(python_tag="cp311", platform="linux-x86_64")
    manifest["artifacts"] = {role: entry(*file) for role, file in FILES.items()}
    manifest.update(changes)
    return manifest


def make_wheel(tmp_path, manifest, files=FILES, folder=FOLDER):
    path = tmp_path / "ge_bridge_native-0.1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.values():
            archive.writestr(f"{folder}/{name}", data)
        if manifest is not None:
            archive.writestr(f"{folder}/manifest.json", json.dumps(manifest))
    return path


def verify(wheel):
    check_files(wheel, *read_manifest(wheel))


def test_a_true_manifest_passes(tmp_path):
    verify(make_wheel(tmp_path, content()))


def test_no_manifest(tmp_path):
    with pytest.raises(ArtifactError, match=r"expected one manifest\.json, found 0"):
        read_manifest(make_wheel(tmp_path, None))


def test_missing_keys_are_named(tmp_path):
    manifest = content()
    del manifest["build_id"], manifest["soabi"]
    with pytest.raises(ArtifactError, match=r"lacks build_id, soabi"):
        read_manifest(make_wheel(tmp_path, manifest))


def test_changed_file(tmp_path):
    files = dict(FILES, bridge=(FILES["bridge"][0], b"THE bridge"))
    with pytest.raises(ArtifactError, match=r"libge_python_pass_bridge\.so has 10 bytes and hash \w{12}, its manifest"):
        verify(make_wheel(tmp_path, content(), files))


def test_set_in_the_wrong_folder(tmp_path):
    wheel = make_wheel(tmp_path, content(), folder=FOLDER.replace("311", "312"))
    with pytest.raises(ArtifactError, match=r"lies in cp312-linux-x86_64, its manifest says cp311-linux-x86_64"):
        verify(wheel)


def test_a_library_that_names_libpython(tmp_path):
    data = b"\x7fELF\0libpython3.11.so.1.0\0"
    files = dict(FILES, native=("_ge_pass_native.so", data))
    manifest = content(artifacts={role: entry(*file) for role, file in files.items()})
    with pytest.raises(ArtifactError, match=r"_ge_pass_native\.so names libpython"):
        verify(make_wheel(tmp_path, manifest, files))


def test_an_extension_that_does_not_import(tmp_path):
    import sys

    with pytest.raises(ArtifactError, match=r"does not import in "):
        check_import(make_wheel(tmp_path, content()), "cp311-linux-x86_64", sys.executable)
