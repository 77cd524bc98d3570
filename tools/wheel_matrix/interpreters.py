"""Find the CPython interpreters of this machine: PATH, pyenv, conda, and the cache of ``tools/interpreters``."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

# The minors that the project supports and tests.
SUPPORTED: Tuple[str, ...] = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")

_QUESTION = (
    "import json, os, sys, sysconfig;"
    "v = sysconfig.get_config_var;"
    "f = bool(v('Py_GIL_DISABLED')); d = hasattr(sys, 'gettotalrefcount');"
    "print(json.dumps({'implementation': sys.implementation.name, 'minor': '%d.%d' % sys.version_info[:2],"
    "'version': sys.version.split()[0],"
    "'tag': 'cp%d%d' % sys.version_info[:2] + ('t' if f else '') + ('d' if d else ''),"
    "'free_threaded': f, 'debug': d, 'executable': sys.executable,"
    "'headers': os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h'))}))"
)


@dataclass(frozen=True)
class Interpreter:
    """One interpreter as it describes itself; ``tag`` is ``cp311``, ``cp313t`` and so on."""

    executable: str
    implementation: str
    version: str
    minor: str
    tag: str
    free_threaded: bool
    debug: bool
    headers: bool

    def to_json(self) -> Dict[str, object]:
        """The fields as a plain dictionary."""
        return asdict(self)


def ask(executable: str) -> Optional[Interpreter]:
    """What ``executable`` says about itself; None if it does not run or is no Python 3."""
    try:
        done = subprocess.run(
            [executable, "-I", "-c", _QUESTION],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    try:
        answer = json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        return None
    return Interpreter(**answer) if answer else None


def _homes() -> List[Path]:
    """Folders whose children are installations with a ``bin`` folder."""
    home = Path(os.path.expanduser("~"))
    cache = Path(os.environ.get("GE_DEV_CACHE") or home / ".cache" / "ge-dev")
    return [
        Path(os.environ.get("PYENV_ROOT") or home / ".pyenv") / "versions",
        cache / "cpython",
        *(home / name / "envs" for name in ("miniconda3", "miniforge3", "anaconda3")),
    ]


def candidates() -> Iterator[str]:
    """Paths that may be interpreters, best first: PATH, then installations."""
    folders = [Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    # A shim only answers for the version selected in the current folder; the installations follow below.
    folders = [folder for folder in folders if folder.name != "shims"]
    for home in _homes():
        if home.is_dir():
            folders += [child / "bin" for child in sorted(home.iterdir())]
    for folder in folders:
        for minor in SUPPORTED:
            for suffix in ("", "t"):
                path = folder / f"python{minor}{suffix}"
                if path.exists():
                    yield str(path)


def find(extra: Tuple[str, ...] = ()) -> List[Interpreter]:
    """One interpreter for each tag, in the order of versions; ``extra`` paths win over those found."""
    by_tag: Dict[str, Interpreter] = {}
    seen = set()
    for path in (*extra, *candidates()):
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        found = ask(path)
        if found and found.implementation == "cpython" and found.headers:
            by_tag.setdefault(found.tag, found)
    return sorted(by_tag.values(), key=lambda item: ([int(part) for part in item.minor.split(".")], item.tag))
