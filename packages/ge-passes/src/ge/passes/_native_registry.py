"""Keeps the native pass registry in step with the Python one.

The native library is the only record of what is registered there; it is asked, not mirrored. It is not loaded before
something has to be registered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ge.passes._abi import AbiError, GeStatus
from ge.passes._errors import error_of
from ge.passes._registry import PassDescriptor

__all__ = ["find", "is_registered", "pending", "unregister"]


def _call() -> Any:
    from ge.passes._library import api

    return api().call


def _text(pointer: Any, size: int) -> str:
    return bytes(pointer[:size]).decode("utf-8", "surrogateescape") if size else ""


def find(name: str) -> tuple[int, str] | None:
    """Handle and descriptor key of the native pass of that name."""
    call = _call()
    try:
        handle: int = call.pass_find(name)
    except AbiError as error:
        if error.status == GeStatus.NOT_FOUND:
            return None
        raise error_of(error.status, error.message, error.slot) from None
    info = call.pass_info(handle)
    return handle, _text(info.descriptor_key, info.descriptor_key_size)


def is_registered(descriptor: PassDescriptor) -> bool:
    """Whether the native registry has this very pass (not another one of its name)."""
    found = find(descriptor.pass_name)
    return found is not None and found[1] == descriptor.descriptor_key


def pending(descriptors: Sequence[PassDescriptor]) -> list[PassDescriptor]:
    """Those that the native registry does not have yet."""
    return [descriptor for descriptor in descriptors if not is_registered(descriptor)]


def unregister(descriptors: Sequence[PassDescriptor]) -> None:
    """Removes passes from the native registry; those it does not have are skipped.

    Raises:
        RuntimeError: Some are in use (the text says which and why); the others are gone.
    """
    from ge.passes import _library

    if not _library.api.cache_info().currsize:
        return  # nothing was ever registered natively
    refused: list[str] = []
    for descriptor in descriptors:
        found = find(descriptor.pass_name)
        if found is None or found[1] != descriptor.descriptor_key:
            continue
        try:
            _call().pass_unregister(found[0])
        except AbiError as error:
            refused.append(f"{descriptor.pass_name}: {error.message}")
    if refused:
        raise RuntimeError("passes cannot be unregistered now:\n  " + "\n  ".join(refused))
