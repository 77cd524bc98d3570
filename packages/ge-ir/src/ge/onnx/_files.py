"""Reading and writing of model files."""

from __future__ import annotations

import os
from typing import Any, Iterator

from ge.onnx._errors import OnnxExportError, OnnxImportError
from ge.onnx._tensors import tensor_view

__all__ = ["DataFile", "bad_text", "parse_model", "read_file", "replace_file"]

_ALIGN = 4096  # page size: what is aligned to it can be mapped
_LFS = b"version https://git-lfs"


def read_file(path: str) -> bytes:
    """The bytes of a model file.

    Raises:
        OnnxImportError: There is no such file, or it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise OnnxImportError(f"cannot read model {os.path.abspath(path)!r}: {error.strerror or error}") from error


def parse_model(data: bytes, source: str) -> Any:
    """The ModelProto in the bytes.

    Args:
        data: Content of a file.
        source: What the bytes are, for error texts.

    Raises:
        OnnxImportError: They are no ONNX model; says what they look like.
    """
    import onnx

    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # protobuf's DecodeError; its module has no type information and moves between releases
        raise OnnxImportError(
            f"{source} is not an ONNX model, or is truncated: {_looks_like(data)} ({error})"
        ) from error
    if not model.ir_version or not model.HasField("graph"):
        missing = "a graph" if model.ir_version else "an ir_version"
        raise OnnxImportError(
            f"{source} is not an ONNX model, or is truncated: expected {missing}; {_looks_like(data)}"
        )
    return model


def _looks_like(data: bytes) -> str:
    if not data:
        return "it is empty"
    if data.startswith(_LFS):
        return "it is a Git LFS pointer; fetch the file with: git lfs pull"
    return f"it has {len(data)} bytes and starts with {data[:16]!r}"


def bad_text(proto: Any, where: str) -> str:
    """Path and bytes of the first text in a message that is not UTF-8; empty if all are."""
    for field, value in proto.ListFields():
        path = f"{where}.{field.name}"
        repeated = not isinstance(value, (int, float, str, bytes)) and not hasattr(value, "ListFields")
        for index, item in enumerate(value if repeated else [value]):
            place = f"{path}[{index}]" if repeated else path
            if field.type == field.TYPE_MESSAGE:
                found = bad_text(item, place)
                if found:
                    return found
            elif field.type == field.TYPE_STRING and isinstance(item, bytes):
                return f"{place} is {item[:60]!r}"
    return ""


def replace_file(path: str, chunks: Iterator[bytes | memoryview] | list[bytes]) -> None:
    """Writes a file next to its place and moves it there when it is complete, so that a failure changes nothing.

    Raises:
        OnnxExportError: The file cannot be written.
    """
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with open(temporary, "xb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise OnnxExportError(f"cannot write {os.path.abspath(path)!r}: {error.strerror or error}") from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


class DataFile:
    """External data of one model: which constants go there, and where."""

    def __init__(self, name: str, threshold: int) -> None:
        """Plans an empty file.

        Args:
            name: File name, without a folder.
            threshold: Constants with fewer bytes stay in the model.
        """
        self._name = name
        self._threshold = threshold
        self._end = 0
        self._places: list[tuple[int, Any]] = []

    def place(self, proto: Any, tensor: Any) -> bool:
        """Gives a constant its place and writes that into its TensorProto; False if it stays in the model."""
        size = int(tensor._info()[6])
        if size < self._threshold or proto.data_type == 8:  # STRING has no external form
            return False
        offset = -(-self._end // _ALIGN) * _ALIGN if size >= _ALIGN else self._end
        self._places.append((offset, tensor))
        self._end = offset + size
        proto.data_location = 1  # EXTERNAL
        for key, value in (("location", self._name), ("offset", str(offset)), ("length", str(size))):
            entry = proto.external_data.add()
            entry.key, entry.value = key, value
        return True

    @property
    def is_empty(self) -> bool:
        """True if no constant goes there."""
        return not self._places

    def chunks(self) -> Iterator[bytes | memoryview]:
        """The content, straight from the memory of the constants."""
        at = 0
        for offset, tensor in self._places:
            if offset > at:
                yield bytes(offset - at)
            view = tensor_view(tensor)
            yield view
            at = offset + len(view)
