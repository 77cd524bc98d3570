"""The error type of the engine."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["GeError"]


class GeError(RuntimeError):
    """A failure reported by a native library.

    Attributes:
        error_message: What the library said, without prefix.
        api_name: The call that failed, for example ``node_create``.
        context: Further facts as text to value, such as ``{"status": "NOT_FOUND"}``.
    """

    def __init__(
        self, error_message: str = "", api_name: str = "", context: Mapping[str, object] | None = None
    ) -> None:
        """Keeps the three parts; the text of the exception is the message."""
        super().__init__(error_message)
        self.error_message = error_message
        self.api_name = api_name
        self.context: dict[str, object] = dict(context or {})

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles with all three parts."""
        return type(self), (self.error_message, self.api_name, self.context)
