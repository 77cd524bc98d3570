"""The mix matrix: every minor's consumer with every minor's producer, all compiled from frozen sources.

The consumer calls every slot it knows and prints the status. A slot that the producer lacks is UNIMPLEMENTED, every
other one is OK with all arguments and results intact; a consumer that needs a newer minor than the producer has is
refused.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from _golden import read_released
from _outputs import find_tables, load_all, released_path
from _workspace import Workspace, build_consumer, build_producer, compiles

REPOSITORY = Path(__file__).resolve().parents[3]
FROZEN = Path(__file__).resolve().parent / "frozen"
PACKAGES = [path.parents[1] for path in find_tables(REPOSITORY)]
UNIMPLEMENTED = 10


def _minors(folder: Path) -> list[Path]:
    return sorted(
        (p for p in folder.iterdir() if (p / "producer.cpp").is_file()), key=lambda p: int(p.name.split(".")[1])
    )


def _slot_count(folder: Path) -> int:
    return (folder / "consumer.c").read_text(encoding="utf-8").count("static void call_")


def _run(consumer: Path, library: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(consumer), str(library), *arguments], capture_output=True, text=True, check=False)


def _check_pair(old_or_new: Path, consumer_folder: Path, tmp: Path) -> None:
    produced, consumed = int(old_or_new.name.split(".")[1]), int(consumer_folder.name.split(".")[1])
    library = build_producer(old_or_new, tmp / f"libproducer-{produced}.so")
    consumer = build_consumer(consumer_folder, tmp / f"consumer-{consumed}")
    done = _run(consumer, library, "0")
    statuses = [int(line.split()[1]) for line in done.stdout.splitlines()]
    known = min(_slot_count(old_or_new), _slot_count(consumer_folder))
    missing = _slot_count(consumer_folder) - known
    assert (done.returncode, done.stderr, statuses) == (0, "", [0] * known + [UNIMPLEMENTED] * missing)
    done = _run(consumer, library)
    if consumed > produced:
        assert done.returncode == 3 and f"needs table 1.{consumed}, this library has 1.{produced}" in done.stdout
    else:
        assert (done.returncode, done.stderr) == (0, "")


def test_mix_of_the_fixture(fx: Workspace, tmp_path: Path) -> None:
    folders = [*_minors(FROZEN), fx.frozen]
    assert [f.name for f in folders] == ["1.0", "1.1"]
    for producer in folders:
        for consumer in folders:
            _check_pair(producer, consumer, tmp_path)


def test_the_newest_header_passes_the_frozen_assertions(fx: Workspace, tmp_path: Path) -> None:
    for name in ("ge_abi.h", "ge_abi_asserts.h", "ge_fx_api.h"):
        shutil.copy(fx.include / name, tmp_path)
    shutil.copy(FROZEN / "1.0" / "ge_fx_asserts.h", tmp_path)
    assert compiles(tmp_path, '#include "ge_fx_asserts.h"\n', "c") == ""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_mix_of_a_package(package: Path, tmp_path: Path) -> None:
    folders = _minors(package / "tests" / "abi")
    assert folders
    for producer in folders:
        for consumer in folders:
            _check_pair(producer, consumer, tmp_path)


def test_every_released_minor_is_frozen() -> None:
    _, tables, _ = load_all(REPOSITORY)
    released = read_released(released_path(REPOSITORY))
    assert set(released) <= {t.name for t in tables}
    for table in tables:
        names = {p.name for p in _minors(table.path.parents[1] / "tests" / "abi")}
        assert names == {*released.get(table.name, {}), f"{table.major}.{table.minor}"}
