"""What works on this machine and what does not: ``python -m ge.runtime doctor``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
from typing import Any

from ge.runtime._library import namespace_roots
from ge.runtime._selection import ArtifactError, select_artifacts

__all__ = ["diagnose", "render"]

_DISTRIBUTIONS = ("ge-ir", "ge-partition", "ge-passes", "ge-bridge-native", "ge-runtime")
_PARTNERS = ("numpy", "onnx", "onnxruntime")
# Folder below a part of the namespace, and name, of the native library of a distribution.
_LIBRARIES = {
    "ge-ir": ("graph", "libge_ir.so"),
    "ge-partition": ("partition", "libge_partition.so"),
    "ge-passes": ("passes", "libge_passes.so"),
    "ge-runtime": ("runtime", "libge_runtime.so"),
}


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _library(folder: str, file: str) -> dict[str, Any]:
    """Binds a native library the way its own package does."""
    module = f"ge.{folder}._abi"
    try:
        if importlib.util.find_spec(f"ge.{folder}") is None:
            return {"loads": False, "reason": "not installed"}
        places = [os.path.join(root, folder, "_lib", file) for root in namespace_roots()]
        path = next((place for place in places if os.path.isfile(place)), None)
        if path is None:
            return {"loads": False, "reason": f"{file} is missing from its package; reinstall the wheel"}
        binding = importlib.import_module(module)
        loaded = binding.load(path)
    except (ImportError, OSError, RuntimeError) as error:
        return {"loads": False, "reason": str(error)}
    return {"loads": True, "path": path, "table": f"{binding.MAJOR}.{loaded.minor}", "platform": loaded.platform}


def _artifacts() -> dict[str, Any]:
    try:
        return select_artifacts().report
    except ArtifactError as error:
        return error.report
    except ImportError as error:
        return {"usable": False, "reason": str(error)}


def diagnose() -> dict[str, Any]:
    """Everything a bug report needs, as plain data: interpreter, packages, libraries, artifact sets, binding in use."""
    packages = {name: _version(name) for name in (*_DISTRIBUTIONS, *_PARTNERS)}
    libraries = {name: _library(*place) for name, place in _LIBRARIES.items()}
    binding = "none"
    if libraries["ge-ir"]["loads"]:
        binding = str(importlib.import_module("ge.graph._base").BINDING)
    return {
        "python": {"version": platform.python_version(), "executable": sys.executable, "platform": platform.platform()},
        "namespace": namespace_roots(),
        "packages": packages,
        "libraries": libraries,
        "binding": binding,
        "artifacts": _artifacts(),
    }


def _artifact_lines(report: dict[str, Any]) -> list[str]:
    if report.get("usable"):
        return [f"artifact set    {report['chosen']}"]
    lines = [
        f"artifact set    none fits ({report.get('reason') or report.get('conflict') or report.get('interpreter')})"
    ]
    for candidate in report.get("candidates", ()):
        detail = candidate["reason"]
        detail += f"; wanted {candidate['wanted']}" if candidate["wanted"] else ""
        detail += f"; found {candidate['found']}" if candidate["found"] else ""
        lines.append(f"                {candidate['directory']}: {candidate['verdict']}: {detail}")
    if report.get("remedy"):
        lines.append(f"                way out: {report['remedy']}")
    return lines


def render(report: dict[str, Any], as_json: bool = False) -> str:
    """The report as text for people, or as JSON."""
    if as_json:
        return json.dumps(report, indent=2)
    python = report["python"]
    lines = [f"python          {python['version']} ({python['executable']}) on {python['platform']}"]
    for name, version in report["packages"].items():
        lines.append(f"{name:15} {version or 'not installed'}")
    for name, library in report["libraries"].items():
        state = (
            f"table {library['table']}, {library['path']}"
            if library["loads"]
            else f"does not load: {library['reason']}"
        )
        lines.append(f"{name + ' native':15} {state}")
    lines.append(f"{'binding':15} {report['binding']}")
    return "\n".join(lines + _artifact_lines(report["artifacts"]))
