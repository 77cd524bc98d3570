"""Places of external tensor data, checked before anything is opened."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ge.onnx._errors import OnnxImportError

__all__ = ["ExternalData", "external_data"]


class ExternalData(NamedTuple):
    """Where the bytes of a tensor lie."""

    path: str
    offset: int
    length: int | None


def external_data(tensor: Any, base_dir: str | None) -> ExternalData:
    """The place of a TensorProto's external data.

    The location must be a relative path that stays inside the model's folder after every symbolic link is followed; a
    model is data, and must not be able to read other files of its user.

    Args:
        tensor: A TensorProto whose data location is EXTERNAL.
        base_dir: Folder of the model; None if the model did not come from a file.

    Raises:
        OnnxImportError: The location is missing, unsafe or no regular file, or offset or length is no number or lies
            outside the file.
    """
    where = f"initializer {tensor.name!r}"
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if not location:
        raise OnnxImportError(f"{where}: external data without a location")
    if base_dir is None:
        raise OnnxImportError(
            f"{where}: external data in {location!r}, but the folder of the model is not known: pass base_dir="
        )
    path = _checked_path(where, location, base_dir)
    offset = _number(where, "offset", entries.get("offset", "0"))
    length = _number(where, "length", entries["length"]) if entries.get("length") else None
    size = os.path.getsize(path)
    end = offset + (length or 0)
    if end > size:
        raise OnnxImportError(
            f"{where}: external data needs bytes {offset} to {end} of {path}, which has {size} bytes: the file is "
            f"truncated or of another model"
        )
    return ExternalData(path, offset, length)


def _checked_path(where: str, location: str, base_dir: str) -> str:
    folder = os.path.realpath(base_dir)
    reason = ""
    if os.path.isabs(location) or location.startswith("\\") or ":" in location.split("/")[0]:
        reason = "is an absolute path"
    elif ".." in location.replace("\\", "/").split("/"):
        reason = "goes up with '..'"
    elif "\0" in location:
        reason = "holds a NUL"
    if not reason:
        path = os.path.realpath(os.path.join(folder, location))
        if os.path.commonpath([folder, path]) != folder:
            reason = f"is a link to {path}"
    if reason:
        raise OnnxImportError(
            f"{where}: external data location {location!r} {reason}; expected a file inside the model's folder "
            f"{folder}. "
            f"If you trust the model, put a copy of the file there"
        )
    if not os.path.isfile(path):
        raise OnnxImportError(f"{where}: external data file {path} does not exist or is no regular file")
    return path


def _number(where: str, key: str, text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise OnnxImportError(f"{where}: external data {key} is {text!r}, expected a number of bytes")
    return int(text)
