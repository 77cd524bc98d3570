"""The artifact selector: which set is taken, and why every other one is not."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from artifact_sets import BRIDGE, BUILD_ID, NATIVE, make_elf, make_note, make_set, python_tag
from ge.runtime import ArtifactError, select_artifacts


def verdict(root: Path) -> dict[str, Any]:
    """The report of the one candidate below ``root``, which must have been refused."""
    with pytest.raises(ArtifactError) as caught:
        select_artifacts([str(root)])
    (candidate,) = caught.value.report["candidates"]
    assert candidate["directory"] in str(caught.value)
    assert candidate["reason"] and candidate["reason"] in str(caught.value)
    assert "not found" not in str(caught.value)  # the file was found; the reason is another
    return candidate


def test_a_fitting_set_one_level_below_the_root_is_chosen(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "cp-x")
    selection = select_artifacts([str(tmp_path)])
    assert selection.directory == str(folder)
    assert selection.bridge_path == str(folder / "libge_python_pass_bridge.so")
    assert selection.native_path == str(folder / "_ge_pass_native.so")
    assert selection.tag == python_tag()


def test_a_fitting_set_in_the_root_itself_is_chosen(tmp_path: Path) -> None:
    make_set(tmp_path)
    assert select_artifacts([str(tmp_path)]).directory == str(tmp_path)


def test_no_candidate_names_the_places_and_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError) as caught:
        select_artifacts([str(tmp_path), str(tmp_path / "missing")])
    text = str(caught.value)
    assert str(tmp_path / "missing") in text and "pip install ge-bridge-native" in text
    assert caught.value.report["candidates"] == []


@pytest.mark.parametrize(
    ("change", "reason", "wanted", "found"),
    [
        ({"python_tag": "cp27"}, "python_tag", python_tag(), "cp27"),
        ({"python_version": "3.1"}, "python_version", "{}.{}".format(*sys.version_info[:2]), "3.1"),
        ({"implementation": "pypy"}, "implementation", "cpython", "pypy"),
        ({"platform": "linux-riscv64"}, "platform", None, "linux-riscv64"),
        ({"pointer_bits": 32}, "pointer_bits", "64", "32"),
        ({"libc": {"family": "musl", "version": "1.2"}}, "libc family", "glibc", "musl"),
        ({"libc": {"family": "glibc", "version": "9.99"}}, "too old", "at least 9.99", None),
    ],
)
def test_each_part_of_the_key_must_agree(
    tmp_path: Path, change: dict[str, Any], reason: str, wanted: str | None, found: str | None
) -> None:
    make_set(tmp_path / "s", **change)
    candidate = verdict(tmp_path)
    assert candidate["verdict"] == "key mismatch"
    assert reason in candidate["reason"]
    assert wanted is None or candidate["wanted"] == wanted
    assert found is None or candidate["found"] == found


@pytest.mark.parametrize("name", ["free_threaded", "debug"])
def test_build_kinds_must_agree(tmp_path: Path, name: str) -> None:
    here = {"free_threaded": "t" in python_tag(), "debug": "d" in python_tag()}
    make_set(tmp_path / "s", **{name: not here[name]})
    assert verdict(tmp_path)["verdict"] == "key mismatch"


def test_another_bridge_abi_tells_what_to_upgrade(tmp_path: Path) -> None:
    make_set(tmp_path / "s", bridge_abi=2)
    with pytest.raises(ArtifactError, match="pip install --upgrade ge-bridge-native ge-runtime") as caught:
        select_artifacts([str(tmp_path)])
    (candidate,) = caught.value.report["candidates"]
    assert (candidate["verdict"], candidate["wanted"], candidate["found"]) == ("bridge_abi mismatch", "1", "2")


@pytest.mark.parametrize(
    "key", ["schema_version", "python_tag", "bridge_abi", "build_id", "libc", "artifacts", "debug"]
)
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    path = make_set(tmp_path / "s") / "manifest.json"
    content = json.loads(path.read_text())
    del content[key]
    path.write_text(json.dumps(content))
    candidate = verdict(tmp_path)
    assert candidate["verdict"] == "manifest invalid" and f'"{key}"' in candidate["reason"]


def _raw(text: bytes) -> Any:
    return lambda path: path.write_bytes(text)


def _edit(**change: Any) -> Any:
    return lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), **change}))


def _artifact(**change: Any) -> Any:
    def edit(path: Path) -> None:
        content = json.loads(path.read_text())
        content["artifacts"]["bridge"].update(change)
        path.write_text(json.dumps(content))

    return edit


def _link(path: Path) -> None:
    real = path.with_name("elsewhere.json")
    path.rename(real)
    path.symlink_to(real)


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_raw(b""), "ends too early"),
        (_raw(b"not json"), "JSON"),
        (_raw(b"[]"), "must be an object"),
        (_raw(b"\xef\xbb\xbf{}"), "byte order mark"),
        (_raw(b'{"a": "\xff"}'), "not UTF-8"),
        (_raw(b'{"a": 1, "a": 2}'), "appears twice"),
        (_raw(b'{"a": NaN}'), "expected a value"),
        (_raw(b'{"a": 1.5}'), "not an integer"),
        (_raw(b'{"a": 99999999999999999999}'), "too large"),
        (_raw(b'{"a": 01}'), "leading zero"),
        (_raw(b'{"a": "\\ud800"}'), "surrogate"),
        (_raw(b'{"a": "\\x"}'), "escape"),
        (_raw(b'{"a": "x'), "without an end"),
        (_raw(b'{"a": 1} x'), "after the end"),
        (_raw(b"[" * 100_000), "deeper"),
        (_raw(b" " * 300_000), "at most 262144"),
        (_edit(schema_version=2), "upgrade ge-runtime"),
        (_edit(schema_version="1"), "must be an integer"),
        (_edit(required_features=["quantum"]), '"quantum"'),
        (_edit(bridge_abi=-1), "from 0 to"),
        (_edit(libc={"family": "glibc", "version": "new"}), "MAJOR.MINOR"),
        (_artifact(file="../x.so"), "plain file name"),
        (_artifact(file="/etc/passwd"), "plain file name"),
        (_artifact(file="a/../b.so"), "plain file name"),
        (_artifact(file=""), "plain file name"),
        (_artifact(file="x\0y"), "plain file name"),
        (_artifact(file="x" * 5000), "plain file name"),
        (_artifact(file="ü.so"), "plain file name"),
        (_artifact(sha256="00"), "64 lower-case"),
        (_artifact(size=-5), "from 0 to"),
        (_link, "symbolic link"),
        (_fifo, "not a regular file"),
    ],
)
def test_a_broken_manifest_says_what_is_wrong(tmp_path: Path, damage: Any, reason: str) -> None:
    damage(make_set(tmp_path / "s") / "manifest.json")
    candidate = verdict(tmp_path)
    assert candidate["verdict"] == "manifest invalid"
    assert reason in candidate["reason"]


def test_a_manifest_cut_at_any_byte_is_refused(tmp_path: Path) -> None:
    path = make_set(tmp_path / "s") / "manifest.json"
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert verdict(tmp_path)["verdict"] == "manifest invalid"


def test_unknown_optional_keys_are_ignored(tmp_path: Path) -> None:
    make_set(tmp_path / "s", remark="made by hand", required_features=[])
    assert select_artifacts([str(tmp_path)]).tag == python_tag()


def test_one_flipped_bit_anywhere_is_a_hash_mismatch(tmp_path: Path) -> None:
    folder = make_set(tmp_path / "s")
    path = folder / "libge_python_pass_bridge.so"
    whole = path.read_bytes()
    for place in random.Random(7).sample(range(len(whole) * 8), 200):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(bytes(damaged))
        assert verdict(tmp_path)["verdict"] == "hash mismatch"


def _missing(path: Path) -> None:
    path.unlink()


def _library_link(path: Path) -> None:
    real = path.with_name("real.so")
    path.rename(real)
    path.symlink_to(real)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _shorter(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("damage", [_missing, _library_link, _folder, _fifo, _shorter])
@pytest.mark.parametrize("name", ["libge_python_pass_bridge.so", "_ge_pass_native.so"])
def test_each_file_must_be_a_regular_file_of_the_stated_size(tmp_path: Path, damage: Any, name: str) -> None:
    damage(make_set(tmp_path / "s") / name)
    candidate = verdict(tmp_path)
    assert candidate["verdict"] == "file invalid" and name in candidate["reason"]


@pytest.mark.parametrize(
    ("bridge", "kind", "reason"),
    [
        (b"MZ not elf at all" + b"\0" * 64, "not for this machine", "not an ELF file"),
        (b"\x7fELF\x01" + b"\0" * 100, "not for this machine", "64-bit"),
        (b"\x7fELF", "not for this machine", "outside the file"),
        (make_elf(make_note(BRIDGE), machine=243), "not for this machine", "another machine"),
        (make_elf(make_note(BRIDGE), kind=2), "not for this machine", "not a shared library"),
        (
            make_elf(make_note(BRIDGE), needed=("libc.so.6", "libpython3.11.so.1.0")),
            "not for this machine",
            "must not need",
        ),
        (make_elf(None), "note contradicts manifest", "missing"),
        (make_elf(make_note(BRIDGE)[:50]), "note contradicts manifest", "too short"),
        (make_elf(make_note(BRIDGE, bridge_abi=7)), "note contradicts manifest", "bridge_abi"),
        (make_elf(make_note(BRIDGE, python_version=0x0207)), "note contradicts manifest", "python version"),
        (make_elf(make_note(NATIVE)), "note contradicts manifest", "role"),
        (make_elf(make_note(BRIDGE, flags=3)), "note contradicts manifest", "flags"),
        (make_elf(make_note(BRIDGE, build_id=b"\0" * 16)), "note contradicts manifest", "build_id"),
        (make_elf(make_note(BRIDGE, python_tag=b"cp99")), "note contradicts manifest", "python_tag"),
    ],
)
def test_what_is_inside_the_file_must_agree(tmp_path: Path, bridge: bytes, kind: str, reason: str) -> None:
    make_set(tmp_path / "s", bridge=bridge)
    candidate = verdict(tmp_path)
    assert candidate["verdict"] == kind
    assert reason in candidate["reason"]


def test_hostile_elf_files_never_crash(tmp_path: Path) -> None:
    """Random damage with a fresh hash, so that the ELF reader sees it."""
    whole = make_elf(make_note(BRIDGE))
    rng = random.Random(11)
    for round_ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.randrange(1, 8)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        make_set(tmp_path / "s", bridge=bytes(damaged[: rng.randrange(len(damaged))] if round_ % 3 == 0 else damaged))
        try:
            select_artifacts([str(tmp_path)])
        except ArtifactError as error:
            assert error.report["candidates"][0]["reason"]


def test_a_broken_set_does_not_hide_a_good_one(tmp_path: Path) -> None:
    (make_set(tmp_path / "a") / "manifest.json").write_text("{")
    make_set(tmp_path / "b", python_tag="cp27")
    good = make_set(tmp_path / "c")
    selection = select_artifacts([str(tmp_path)])
    assert selection.directory == str(good)
    assert [c["verdict"] for c in selection.report["candidates"]] == ["manifest invalid", "key mismatch", "usable"]


def test_equal_copies_are_fine_and_the_first_root_wins(tmp_path: Path) -> None:
    make_set(tmp_path / "one" / "s")
    make_set(tmp_path / "two" / "s")
    assert select_artifacts([str(tmp_path / "two"), str(tmp_path / "one")]).directory == str(tmp_path / "two" / "s")


def test_two_usable_sets_with_other_content_are_not_chosen_between(tmp_path: Path) -> None:
    other = "ff" * 16
    make_set(tmp_path / "a")
    make_set(
        tmp_path / "b",
        bridge=make_elf(make_note(BRIDGE, build_id=bytes.fromhex(other))),
        native=make_elf(make_note(NATIVE, build_id=bytes.fromhex(other))),
        build_id=other,
    )
    with pytest.raises(ArtifactError) as caught:
        select_artifacts([str(tmp_path)])
    conflict = caught.value.report["conflict"]
    assert str(tmp_path / "a") in conflict and str(tmp_path / "b") in conflict
    assert BUILD_ID in conflict and other in conflict


def test_selection_maps_starts_and_writes_nothing(tmp_path: Path) -> None:
    make_set(tmp_path / "s")
    code = (
        "import sys; from ge.runtime import select_artifacts; from ge.runtime._library import api; api()\n"
        "bad = []\n"
        "def hook(name, args):\n"
        "    writes = name == 'open' and isinstance(args[1], str) and set(args[1]) & set('wax+')\n"
        "    if writes or name in ('subprocess.Popen', 'socket.connect', 'ctypes.dlopen', 'os.exec', 'os.fork'):\n"
        "        bad.append((name, args))\n"
        "sys.addaudithook(hook)\n"
        f"select_artifacts([{str(tmp_path)!r}])\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert not bad, bad\n"
        "assert 'libge_python_pass_bridge' not in maps\n"
    )
    env = {k: v for k, v in os.environ.items() if k in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    subprocess.run([sys.executable, "-c", code], check=True, env={**env, "PATH": ""})
