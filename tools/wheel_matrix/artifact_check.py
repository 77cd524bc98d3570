"""Check that an artifact-set wheel is what its manifest says, and that it imports in its own interpreter."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List

REQUIRED_KEYS = frozenset(
    ("schema_version", "python_tag", "python_version", "platform", "bridge_abi", "build_id", "implementation")
    + ("soabi", "free_threaded", "debug", "pointer_bits", "libc", "artifacts", "build_python")
)
_MANIFEST = re.compile(r"^ge/passes/python_pass_artifacts/([^/]+)/manifest\.json$")
# The bridge may not name libpython: the process decides which one answers.
_FORBIDDEN_LIBRARY = re.compile(rb"\0libpython3[^\0]*\0")
_IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); import _ge_pass_native as module; print(module.__file__)"


class ArtifactError(Exception):
    """The set is not what it claims to be; the text says where and why."""


def read_manifest(wheel: Path) -> tuple[str, Dict[str, Any]]:
    """Directory name and manifest of the one set in ``wheel``.

    Raises:
        ArtifactError: there is no manifest, more than one, or it lacks a key.
    """
    with zipfile.ZipFile(wheel) as archive:
        found = [match for match in map(_MANIFEST.match, archive.namelist()) if match]
        if len(found) != 1:
            raise ArtifactError(f"{wheel.name}: expected one manifest.json, found {len(found)}")
        content = json.loads(archive.read(found[0].group(0)))
    missing = sorted(REQUIRED_KEYS - set(content))
    if missing:
        raise ArtifactError(f"{wheel.name}: manifest.json lacks {', '.join(missing)}")
    return found[0].group(1), content


def check_files(wheel: Path, directory: str, manifest: Dict[str, Any]) -> None:
    """Names, sizes and hashes of both libraries, and the directory's name, agree with the manifest.

    Raises:
        ArtifactError: the first difference, with the value found and the value expected.
    """
    expected = f"{manifest['python_tag']}-{manifest['platform']}"
    if directory != expected:
        raise ArtifactError(f"{wheel.name}: the set lies in {directory}, its manifest says {expected}")
    with zipfile.ZipFile(wheel) as archive:
        for role in ("bridge", "native"):
            entry = manifest["artifacts"][role]
            data = archive.read(f"ge/passes/python_pass_artifacts/{directory}/{entry['file']}")
            digest = hashlib.sha256(data).hexdigest()
            if (len(data), digest) != (entry["size"], entry["sha256"]):
                raise ArtifactError(
                    f"{wheel.name}: {entry['file']} has {len(data)} bytes and hash {digest[:12]}, "
                    f"its manifest says {entry['size']} and {entry['sha256'][:12]}"
                )
            if _FORBIDDEN_LIBRARY.search(data):
                raise ArtifactError(
                    f"{wheel.name}: {entry['file']} names libpython, but must leave that to the process"
                )


def check_import(wheel: Path, directory: str, executable: str) -> None:
    """The extension imports in the interpreter it was built for.

    Raises:
        ArtifactError: it does not; the interpreter's last lines.
    """
    with tempfile.TemporaryDirectory(prefix="ge-artifact-") as scratch:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(scratch)
        folder = Path(scratch) / "ge" / "passes" / "python_pass_artifacts" / directory
        done = subprocess.run([executable, "-I", "-c", _IMPORT, str(folder)], capture_output=True, text=True)
    if done.returncode != 0:
        tail: List[str] = done.stderr.strip().splitlines()[-3:]
        raise ArtifactError(f"{wheel.name}: does not import in {executable}: {' / '.join(tail) or done.returncode}")


def check(wheel: Path, executable: str) -> Dict[str, Any]:
    """All checks; the manifest of the set."""
    directory, manifest = read_manifest(wheel)
    check_files(wheel, directory, manifest)
    check_import(wheel, directory, executable)
    return manifest
