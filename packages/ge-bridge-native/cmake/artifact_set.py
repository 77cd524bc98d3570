"""Facts and manifest of an artifact set; run by CMake with the interpreter the set is for.

Standard library only and no import of the project, since it runs inside an isolated build.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

SCHEMA_VERSION = 1
_GLIBC_VERSION = re.compile(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)")
_TOML_MAJOR = re.compile(r"^major\s*=\s*(\d+)", re.MULTILINE)


def python_tag() -> str:
    """Tag of the running interpreter: ``cp311``, ``cp313t`` (free-threaded), ``cp311d`` (debug)."""
    return "cp{}{}{}{}".format(
        sys.version_info[0],
        sys.version_info[1],
        "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "",
        "d" if hasattr(sys, "gettotalrefcount") else "",
    )


def interpreter_facts() -> Dict[str, Any]:
    """What must agree between a set and the interpreter that loads it."""
    return {
        "implementation": sys.implementation.name,
        "python_tag": python_tag(),
        "python_version": "{}.{}".format(*sys.version_info[:2]),
        "platform": sysconfig.get_platform(),
        "soabi": sysconfig.get_config_var("SOABI"),
        "ext_suffix": sysconfig.get_config_var("EXT_SUFFIX"),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "debug": hasattr(sys, "gettotalrefcount"),
        "pointer_bits": 64 if sys.maxsize > 2**32 else 32,
    }


def bridge_abi(source: Path) -> int:
    """Major version of the bridge table, read from its definition file.

    Raises:
        SystemExit: the definition is missing or states no major version.
    """
    path = source / "abi" / "ge_bridge.toml"
    if not path.is_file():
        raise SystemExit(f"{path}: the definition of the bridge table is missing")
    found = _TOML_MAJOR.search(path.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{path}: no line 'major = N' in the table's definition")
    return int(found.group(1))


def _sources(source: Path) -> Iterator[Path]:
    """Files whose contents decide what the libraries do, in a stable order."""
    found: List[Path] = []
    for pattern in ("cpp/**/*.cc", "cpp/**/*.h", "abi/*.toml", "abi/include/*.h", "cmake/*", "CMakeLists.txt"):
        found.extend(path for path in source.glob(pattern) if path.is_file())
    return iter(sorted(found, key=lambda path: path.relative_to(source).as_posix()))


def build_id(source: Path, facts: Dict[str, Any], settings: List[str]) -> str:
    """128-bit identifier, equal for equal sources, interpreter key, compiler and flags.

    Both libraries carry it in their note and the manifest repeats it, so files of two builds never mix unseen.
    """
    digest = hashlib.sha256()
    digest.update(json.dumps([facts, settings], sort_keys=True).encode())
    for path in _sources(source):
        data = path.read_bytes()
        digest.update(f"{path.relative_to(source).as_posix()}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


def write_facts(args: argparse.Namespace) -> None:
    """``facts``: everything about the set that is known before it is compiled."""
    source = Path(args.source)
    facts = interpreter_facts()
    facts["bridge_abi"] = bridge_abi(source)
    settings = [args.nanobind, args.compiler, args.flags]
    facts["build_id"] = build_id(source, facts, settings)
    facts["build_python"] = {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": args.compiler,
        "nanobind": args.nanobind,
    }
    Path(args.out).write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def required_glibc(images: List[bytes]) -> Optional[str]:
    """Highest glibc version whose symbols the files ask for, such as ``2.34``; None if they ask for none."""
    versions = [(int(a), int(b)) for data in images for a, b in _GLIBC_VERSION.findall(data)]
    return "{}.{}".format(*max(versions)) if versions else None


def manifest(facts: Dict[str, Any], directory: Path, files: Dict[str, str]) -> Dict[str, Any]:
    """The manifest of the set in ``directory``; keys in the order a reader wants them."""
    images = {role: (directory / name).read_bytes() for role, name in files.items()}
    glibc = required_glibc(list(images.values()))
    head = ("python_tag", "python_version", "platform", "bridge_abi", "build_id", "implementation", "soabi")
    result: Dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    result.update({key: facts[key] for key in head + ("free_threaded", "debug", "pointer_bits")})
    # The lowest glibc that can load the set, not the one of the building machine.
    result["libc"] = {"family": "glibc" if glibc else platform.libc_ver()[0] or "unknown", "version": glibc or ""}
    result["artifacts"] = {
        role: {"file": name, "sha256": hashlib.sha256(images[role]).hexdigest(), "size": len(images[role])}
        for role, name in files.items()
    }
    result["build_python"] = facts["build_python"]
    return result


def write_manifest(args: argparse.Namespace) -> None:
    """``manifest``: hashes of the installed libraries, beside them."""
    directory = Path(args.dir)
    facts = json.loads(Path(args.facts).read_text(encoding="utf-8"))
    content = manifest(facts, directory, {"bridge": args.bridge, "native": args.native})
    (directory / "manifest.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Command line used by ``artifact_set.cmake``."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    facts = commands.add_parser("facts")
    for option in ("--source", "--nanobind", "--compiler", "--flags", "--out"):
        facts.add_argument(option, required=True)
    facts.set_defaults(run=write_facts)
    files = commands.add_parser("manifest")
    for option in ("--facts", "--dir", "--bridge", "--native"):
        files.add_argument(option, required=True)
    files.set_defaults(run=write_manifest)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
