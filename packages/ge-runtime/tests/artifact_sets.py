"""Makes artifact sets for tests: small ELF files with the note, and a manifest that describes them."""

from __future__ import annotations

import hashlib
import json
import platform
import struct
import sys
import sysconfig
from pathlib import Path
from typing import Any

MACHINES = {"x86_64": 62, "aarch64": 183}
BUILD_ID = "00112233445566778899aabbccddeeff"
BRIDGE, NATIVE = 1, 2


def python_tag() -> str:
    """Tag of the interpreter that runs the tests."""
    free_threaded = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    debug = "d" if hasattr(sys, "gettotalrefcount") else ""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}{free_threaded}{debug}"


def make_note(role: int, **changes: Any) -> bytes:
    """Descriptor of the note in ``.note.ge.artifact``."""
    flags = (1 if sysconfig.get_config_var("Py_GIL_DISABLED") else 0) | (2 if hasattr(sys, "gettotalrefcount") else 0)
    fields = {
        "schema_version": 1,
        "bridge_abi": 1,
        "python_version": sys.version_info[0] << 8 | sys.version_info[1],
        "flags": flags,
        "role": role,
        "pointer_bits": 64,
        "build_id": bytes.fromhex(BUILD_ID),
        "python_tag": python_tag().encode(),
        "platform": sysconfig.get_platform().encode(),
    }
    assert not changes.keys() - fields.keys()
    fields.update(changes)
    return struct.pack("<6I16s16s40s", *fields.values())


def make_elf(
    note: bytes | None, needed: tuple[str, ...] = ("libc.so.6",), machine: int | None = None, kind: int = 3
) -> bytes:
    """A 64-bit ELF file with section headers, a dynamic section and, if given, the artifact note."""
    names = b"\0.dynstr\0.dynamic\0.note.ge.artifact\0.shstrtab\0"
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    offsets, at = [], 1
    for name in needed:
        offsets.append(at)
        at += len(name) + 1
    dynamic = b"".join(struct.pack("<QQ", 1, offset) for offset in offsets) + struct.pack("<QQ", 0, 0)
    body = b"" if note is None else struct.pack("<III4s", 3, len(note), 1, b"GE\0\0") + note
    contents = [b"", strings, dynamic, body, names]
    types = [0, 3, 6, 7 if note is not None else 0, 3]  # NULL, STRTAB, DYNAMIC, NOTE, STRTAB
    name_at = [0, names.index(b".dynstr"), names.index(b".dynamic"), names.index(b".note"), names.index(b".shstrtab")]
    place, headers, data = 64, b"", b""
    for index, content in enumerate(contents):
        link = 1 if index == 2 else 0
        headers += struct.pack("<IIQQQQIIQQ", name_at[index], types[index], 0, 0, place, len(content), link, 0, 1, 0)
        data += content
        place += len(content)
    number = MACHINES[platform.machine()] if machine is None else machine
    ident = b"\x7fELF\x02\x01\x01" + b"\0" * 9
    header = ident + struct.pack("<HHIQQQIHHHHHH", kind, number, 1, 0, 0, place, 0, 64, 56, 0, 64, len(contents), 4)
    return header + data + headers


def make_set(folder: Path, bridge: bytes | None = None, native: bytes | None = None, **manifest: Any) -> Path:
    """Writes a set that fits this interpreter but for the changes given; returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "bridge": ("libge_python_pass_bridge.so", make_elf(make_note(BRIDGE)) if bridge is None else bridge),
        "native": ("_ge_pass_native.so", make_elf(make_note(NATIVE)) if native is None else native),
    }
    content: dict[str, Any] = {
        "schema_version": 1,
        "python_tag": python_tag(),
        "python_version": "{}.{}".format(*sys.version_info[:2]),
        "platform": sysconfig.get_platform(),
        "bridge_abi": 1,
        "build_id": BUILD_ID,
        "implementation": sys.implementation.name,
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "debug": hasattr(sys, "gettotalrefcount"),
        "pointer_bits": 64,
        "libc": {"family": "glibc", "version": "2.17"},
        "artifacts": {},
    }
    for role, (name, data) in files.items():
        (folder / name).write_bytes(data)
        content["artifacts"][role] = {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    content.update(manifest)
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    return folder
