"""Reads TOML: tomllib where Python has it (3.11 and newer), else the package tomli."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

__all__ = ["TomlError", "read_toml"]


class TomlError(ValueError):
    """A file is not valid TOML; the message has the place."""


def _parser() -> Any:
    for name in ("tomllib", "tomli"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise SystemExit("tools/abi needs Python 3.11 or newer (tomllib), or the package tomli: pip install tomli")


def read_toml(path: Path) -> dict[str, Any]:
    """Parses a file.

    Raises:
        TomlError: The file is not valid TOML.
    """
    parser = _parser()
    try:
        data: dict[str, Any] = parser.loads(path.read_text(encoding="utf-8"))
    except parser.TOMLDecodeError as exc:
        raise TomlError(str(exc)) from None
    return data
