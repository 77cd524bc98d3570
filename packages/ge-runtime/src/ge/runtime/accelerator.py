"""The native binding of the primitive layer, if an artifact set for this interpreter is installed.

`ge.graph` asks here once, at import, the way a standard module looks for its C twin.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from types import ModuleType

from ge.runtime._selection import ArtifactError, select_artifacts

__all__ = ["load_native_base", "load_native_module", "reason"]

_MODULE = "_ge_pass_native"
_reason = "load_native_base was not called yet"


def reason() -> str:
    """Why `load_native_base` gave ``None`` last time; empty if it gave a module."""
    return _reason


def load_native_module(path: str) -> ModuleType:
    """The extension module at ``path``, imported once per process.

    Raises:
        ImportError: It cannot be loaded, or the module is already there from another file; the text names both.
    """
    present = sys.modules.get(_MODULE)
    if present is not None:
        if present.__file__ != path:
            raise ImportError(
                f"{_MODULE} is already loaded from {present.__file__}; it cannot be loaded from {path} too"
            )
        return present
    loader = importlib.machinery.ExtensionFileLoader(_MODULE, path)
    spec = importlib.util.spec_from_file_location(_MODULE, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(_MODULE, None)
        raise
    return module


def load_native_base() -> ModuleType | None:
    """The extension bound to ``libge_ir``, or ``None`` with `reason` set when no artifact set fits.

    Raises:
        ImportError: A set fits and was verified, but its extension does not import: a defect that must be seen.
    """
    global _reason
    try:
        selection = select_artifacts()
    except ArtifactError as error:
        _reason = str(error)
        return None
    # Imported here: ge.graph is being imported by whoever calls this, and its two leaves below need nothing of it.
    from ge.graph import _abi, _library

    module = load_native_module(selection.native_path)
    module.bind(_abi.load(_library.find_library()).getter_address())
    _reason = ""
    return module
