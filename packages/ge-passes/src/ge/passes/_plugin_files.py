"""Imports plug-in files and packages under module names that do not depend on the process."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from types import ModuleType

__all__ = ["MODULE_PREFIX", "forget_module", "import_path", "module_name", "plugin_paths"]

MODULE_PREFIX = "_ge_py_pass_"


def module_name(path: str) -> str:
    """Module name of a plug-in: its stem and a hash of its real path, the same in every process."""
    real = os.path.realpath(path)
    stem = os.path.splitext(os.path.basename(real))[0]
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    return f"{MODULE_PREFIX}{re.sub(r'[^0-9A-Za-z_]', '_', stem)}_{digest}"


def plugin_paths(entry: str) -> list[str]:
    """Plug-ins that an entry of the search path stands for.

    A file stands for itself. A folder stands for its ``.py`` files and its packages, one level deep, sorted by name,
    without those whose name starts with ``_`` or ``.``, and without tests (``test_*.py``, ``*_test.py``,
    ``conftest.py``), which stand beside the passes they test.

    Raises:
        FileNotFoundError: There is no such file or folder.
        ValueError: The file does not end in ``.py``.
    """
    if os.path.isdir(entry):
        names = sorted(name for name in os.listdir(entry) if name[0] not in "_.")
        paths = [os.path.join(entry, name) for name in names]
        return [path for path in paths if _is_module(path) or _is_package(path)]
    if not os.path.exists(entry):
        raise FileNotFoundError(f"pass plug-in {entry!r} does not exist")
    if not entry.endswith(".py"):
        raise ValueError(f"pass plug-in {entry!r} is no Python file: expected a folder or a name that ends in .py")
    return [entry]


def _is_module(path: str) -> bool:
    name = os.path.basename(path)
    is_test = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return name.endswith(".py") and not is_test and os.path.isfile(path)


def _is_package(path: str) -> bool:
    return os.path.isfile(os.path.join(path, "__init__.py"))


def import_path(path: str) -> ModuleType:
    """Imports a plug-in file or package.

    A package is imported under its plug-in name too: modules in it reach each other by relative imports, and two
    packages of one name in different folders do not clash.

    Raises:
        BaseException: What the module raised; it is then not in ``sys.modules``.
    """
    name = module_name(path)
    is_package = os.path.isdir(path)
    spec = importlib.util.spec_from_file_location(
        name,
        os.path.join(path, "__init__.py") if is_package else path,
        submodule_search_locations=[path] if is_package else None,
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported as a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        forget_module(name)
        raise
    return module


def forget_module(name: str) -> None:
    """Removes a module and its submodules from ``sys.modules``."""
    for key in [key for key in sys.modules if key == name or key.startswith(name + ".")]:
        del sys.modules[key]
