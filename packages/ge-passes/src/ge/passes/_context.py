"""`PassContext`: name, options and message of the run a hook belongs to."""

from __future__ import annotations

from typing import NoReturn

from ge.passes._errors import expired
from ge.passes._slots import buffers, call_text, encode, fail, quick

__all__ = ["PassContext"]

_pass_name = quick("context_pass_name")
_set_pass_name = quick("context_set_pass_name")
_error_message = quick("context_error_message")
_set_error_message = quick("context_set_error_message")
_option = quick("context_option")


class PassContext:
    """Given to hooks; valid until the hook returns, afterwards every use raises ``RuntimeError``."""

    __slots__ = ("_context",)

    _context: int

    def __init__(self) -> None:
        """Refused.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("PassContext cannot be constructed; the executor gives one to each hook that asks for it")

    @classmethod
    def _make(cls, handle: int) -> PassContext:
        context = object.__new__(cls)
        context._context = handle
        return context

    def _expire(self) -> None:
        self._context = 0

    def _live(self) -> int:
        return self._context or _expired()

    def get_pass_name(self) -> str:
        """Name of the pass that is running."""
        return call_text(_pass_name, "context_pass_name", self._live())

    def set_pass_name(self, name: str) -> None:
        """Renames the pass in the reports of this run.

        Raises:
            TypeError: The name is no str.
        """
        self._set(_set_pass_name, "context_set_pass_name", name)

    def get_error_message(self) -> str:
        """The message set before, empty if there is none."""
        return call_text(_error_message, "context_error_message", self._live())

    def set_error_message(self, message: str) -> None:
        """Says why the pass fails; the text is part of the error that the user gets.

        Raises:
            TypeError: The message is no str.
        """
        self._set(_set_error_message, "context_set_error_message", message)

    def get_option_value(self, key: str) -> str:
        """An option of the executor.

        Raises:
            TypeError: The key is no str.
            RuntimeError: There is no such option; the text names the key.
        """
        if not isinstance(key, str):
            raise TypeError(f"option key must be str, found {type(key).__name__}: {key!r}")
        data = encode(key)
        return call_text(_option, "context_option", self._live(), data, len(data))

    def _set(self, slot: object, name: str, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"text must be str, found {type(text).__name__}: {text!r}")
        data = encode(text)
        status = slot(self._live(), data, len(data), buffers.p_error)  # type: ignore[operator]
        if status:
            fail(status, name)

    def __repr__(self) -> str:
        return f"PassContext({self.get_pass_name()!r})" if self._context else "PassContext(expired)"


def _expired() -> NoReturn:
    raise expired("PassContext")
