"""Chooses the artifact set for this interpreter: the Python face of the native selector."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Iterable
from ctypes import POINTER, addressof, c_char, c_char_p, c_uint64, cast
from dataclasses import dataclass, field
from typing import Any

from ge.runtime import _abi
from ge.runtime._library import api, namespace_roots

__all__ = ["ArtifactError", "Selection", "artifact_roots", "open_bridge", "register_python_passes", "select_artifacts"]

_ARTIFACT_FOLDER = os.path.join("passes", "python_pass_artifacts")


class ArtifactError(ImportError):
    """No artifact set can be used.

    Attributes:
        report: The selector's report as plain data: interpreter, places, every candidate with verdict, reason, wanted
            and found values, and the command that helps.
    """

    def __init__(self, text: str, report: dict[str, Any]) -> None:
        super().__init__(text)
        self.report = report


@dataclass(frozen=True)
class Selection:
    """A verified artifact set.

    Attributes:
        directory: Folder of the set.
        bridge_path: The bridge library in it.
        native_path: The extension module in it.
        tag: Python tag, such as ``cp311``.
        report: The selector's report as plain data.
    """

    directory: str
    bridge_path: str
    native_path: str
    tag: str
    report: dict[str, Any] = field(repr=False, compare=False)
    _handle: int = field(repr=False, compare=False, default=0)


def artifact_roots() -> list[str]:
    """Folders that may hold artifact sets: ``passes/python_pass_artifacts`` below each part of the namespace."""
    return [os.path.join(root, _ARTIFACT_FOLDER) for root in namespace_roots()]


def _text(value: bytes) -> Any:
    return cast(c_char_p(value), POINTER(c_char))


def _interpreter_key() -> tuple[_abi.ge_runtime_key, list[bytes]]:
    """Key of the running interpreter and the texts it points into.

    `sysconfig` knows the build flags exactly, the native side knows the libc; it also checks the key against the
    interpreter that the process really runs.
    """
    native = api().call.interpreter_probe()
    texts = [sys.implementation.name.encode(), sysconfig.get_platform().encode()]
    key = _abi.ge_runtime_key(
        major=sys.version_info[0],
        minor=sys.version_info[1],
        free_threaded=1 if sysconfig.get_config_var("Py_GIL_DISABLED") else 0,
        debug=1 if hasattr(sys, "gettotalrefcount") else 0,
        pointer_bits=64 if sys.maxsize > 2**32 else 32,
        implementation=_text(texts[0]),
        implementation_size=len(texts[0]),
        platform=_text(texts[1]),
        platform_size=len(texts[1]),
        libc=native.libc,
        libc_size=native.libc_size,
        libc_major=native.libc_major,
        libc_minor=native.libc_minor,
    )
    return key, texts


def _request(roots: Iterable[str]) -> tuple[_abi.ge_runtime_request, list[Any]]:
    key, kept = _interpreter_key()
    encoded = [os.fsencode(os.path.abspath(root)) for root in roots]
    joined = b"".join(encoded)
    offsets = (c_uint64 * (len(encoded) + 1))()
    for i, text in enumerate(encoded):
        offsets[i + 1] = offsets[i] + len(text)
    request = _abi.ge_runtime_request(
        key=addressof(key), roots=_text(joined), root_offsets=offsets, root_count=len(encoded)
    )
    return request, [key, kept, joined, offsets]


def select_artifacts(roots: Iterable[str] | None = None) -> Selection:
    """The artifact set whose key is exactly this interpreter's, verified but not mapped.

    Looks at each root and at each folder directly below it. Two usable sets with different content are not chosen
    between. Nothing is built, copied, downloaded or started.

    Args:
        roots: Folders to look in; `artifact_roots()` if not given.

    Raises:
        ArtifactError: No set fits; the text and ``report`` have every candidate with its reason.
    """
    call = api().call
    request, kept = _request(artifact_roots() if roots is None else roots)
    handle = call.select(request)
    del kept  # the native side has copied what it needs
    info = call.selection_info(handle)
    report = json.loads(call.selection_report(handle, _abi.GeRuntimeReportFormat.JSON))
    if not info.usable:
        text = call.selection_report(handle, _abi.GeRuntimeReportFormat.TEXT)
        call.selection_release(handle)
        raise ArtifactError(text, report)
    # The handle stays open for open_bridge; there are as many as calls of this function, a few hundred bytes each.
    return Selection(
        directory=os.fsdecode(info.directory[: info.directory_size]),
        bridge_path=os.fsdecode(info.bridge_path[: info.bridge_path_size]),
        native_path=os.fsdecode(info.native_path[: info.native_path_size]),
        tag=str(report["tag"]),
        report=report,
        _handle=handle,
    )


def open_bridge(selection: Selection) -> int:
    """Opens the bridge of a set, once per process, and returns the address of its ``ge_bridge_get_api``.

    Raises:
        RuntimeError: Another bridge is open in this process, the file changed since it was verified, or it cannot be
            loaded; the text says which.
    """
    return api().call.bridge_open(selection._handle, "")


def register_python_passes(ir_getter: int, passes_getter: int, strict: bool = False) -> tuple[int, str]:
    """Discovers Python passes through the open bridge and registers them.

    Args:
        ir_getter: Address of ``ge_ir_get_api``.
        passes_getter: Address of ``ge_passes_get_api``.
        strict: A broken plug-in raises instead of being reported.

    Returns:
        Number of passes registered, and the report of what failed (empty if nothing did).
    """
    call = api().call
    registered = call.bridge_register_passes(ir_getter, passes_getter, 1 if strict else 0)
    return registered, call.bridge_report()
