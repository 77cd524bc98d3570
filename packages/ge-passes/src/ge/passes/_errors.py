"""What goes wrong with passes, as exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ge.error import GeError
from ge.passes._abi import GeStatus

if TYPE_CHECKING:
    from ge.passes._plugins import PluginFailure

__all__ = ["PassError", "PluginError", "error_of", "expired"]


class PassError(GeError):
    """A pass failed. The text names the pass, and pattern and node where there are such, and has the hook's traceback.

    ``__cause__`` is what the hook raised.
    """


class PluginError(GeError):
    """Plug-ins did not load (raised with ``strict=True``).

    Attributes:
        failures: Every plug-in that failed, with its traceback.
    """

    def __init__(self, failures: list[PluginFailure]) -> None:
        super().__init__("\n".join(str(failure) for failure in failures), "load_pass_plugins")
        self.failures = failures

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.failures,)


def error_of(status: int, message: str, slot: str) -> BaseException:
    """The exception for a native status.

    All are `GeError` but NO_MEMORY (``MemoryError``), UNIMPLEMENTED (``NotImplementedError``) and ABI_MISMATCH
    (``ImportError``); CALLBACK_FAILED is a `PassError`.
    """
    if status == GeStatus.NO_MEMORY:
        return MemoryError(f"{slot}: {message}")
    if status == GeStatus.UNIMPLEMENTED:
        return NotImplementedError(f"{slot}: {message}; upgrade with: pip install --upgrade ge-passes")
    if status == GeStatus.ABI_MISMATCH:
        return ImportError(message)
    name = GeStatus(status).name if status in GeStatus._value2member_map_ else f"status {status}"
    context = {"status": name}
    if status == GeStatus.CALLBACK_FAILED:
        return PassError(message or name, slot, context)
    if status == GeStatus.STALE_HANDLE:
        return GeError(f"the object has expired ({message})", slot, context)
    if status == GeStatus.EXPIRED:
        return GeError(f"the view has expired: {message}", slot, context)
    return GeError(message or name, slot, context)


def expired(what: str) -> GeError:
    """The exception for a view that is used after the callback it was given to."""
    text = f"{what} has expired: it is valid only during the hook it was given to"
    return GeError(text, what, {"status": GeStatus.EXPIRED.name})
