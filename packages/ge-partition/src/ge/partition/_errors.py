"""Errors of partitioning."""

from __future__ import annotations

from ge.error import GeError
from ge.partition._abi import AbiError, GeStatus

__all__ = ["PartitionError", "error_of"]


class PartitionError(GeError):
    """A graph cannot be split or flattened; it is as it was. The text names graph, node or option."""


def error_of(error: AbiError, api_name: str) -> Exception:
    """The exception of a failed slot: `NotImplementedError` for what is not built, else `PartitionError`."""
    if error.status == GeStatus.UNIMPLEMENTED:
        return NotImplementedError(error.message)
    return PartitionError(error.message, api_name=api_name, context={"status": int(error.status)})
