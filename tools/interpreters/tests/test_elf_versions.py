"""Lowering the glibc versions of a real library."""

import ctypes
import os
import shutil
import subprocess

import pytest
from elf_versions import ElfError, ElfVersions, lower_file, running_glibc

SOURCE = "#include <dlfcn.h>\nint probe(void) { return dlopen(0, RTLD_NOW) != 0; }\n"


@pytest.fixture
def library(tmp_path):
    (tmp_path / "probe.c").write_text(SOURCE)
    path = tmp_path / "libprobe.so"
    compiler = shutil.which("cc") or shutil.which("gcc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(path), str(tmp_path / "probe.c"), "-ldl"], check=True)
    return path


def needed(path):
    tables = ElfVersions(path.read_bytes())
    return {need.name for need in tables._needs()}


def test_a_file_within_the_limit_is_left_alone(library):
    before = library.read_bytes()
    assert lower_file(library, (99, 0)) == []
    assert library.read_bytes() == before


def test_lowered_references_are_gone_and_the_library_still_works(library):
    newest = max(tuple(map(int, name[6:].split("."))) for name in needed(library))
    touched = lower_file(library, newest[:-1] + (newest[-1] - 1,))
    assert touched
    assert all(tuple(map(int, name[6:].split("."))) < newest for name in needed(library))
    assert ctypes.CDLL(str(library)).probe() == 1


def test_mode_is_kept(library):
    os.chmod(library, 0o751)
    newest = max(tuple(map(int, name[6:].split("."))) for name in needed(library))
    lower_file(library, newest[:-1] + (newest[-1] - 1,))
    assert library.stat().st_mode & 0o777 == 0o751


def test_what_is_no_elf_file_is_refused():
    with pytest.raises(ElfError, match="not a 64-bit little-endian ELF file"):
        ElfVersions(b"#!/bin/sh\n" + bytes(100))


def test_the_running_glibc_is_a_version():
    assert running_glibc() >= (2, 17)
