"""Methods of `Graph` that read its interface and write it out; taken into the class body."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable
from typing import Any

from ge.graph._base import GraphBase, symbol
from ge.graph._checks import check_str
from ge.graph._enums import DumpFormat, InputType
from ge.graph._node import Node

__all__ = [
    "INPUT_TYPES",
    "dump_to_file",
    "dump_to_stream",
    "input_names",
    "inputs",
    "load_from_air",
    "output_names",
    "outputs",
    "save_to_air",
    "to_text",
]

INPUT_TYPES = frozenset(kind.value for kind in InputType)
OUTPUT_TYPE = "NetOutput"
_ELIDE, _DATA = 1, 2  # ge_ir_print_flags
_EXTENSIONS = {DumpFormat.kReadable: ".txt", DumpFormat.kOnnx: ".onnx"}


def inputs(self: Any) -> list[Any]:
    """Input nodes in the order of their ``index`` attribute."""
    return sorted(_nodes_of_types(self, INPUT_TYPES), key=_input_index)


def _nodes_of_types(self: Any, types: Iterable[str]) -> list[Any]:
    """Direct nodes of the types in list order, by columns: objects are made for the nodes found alone."""
    wanted = {symbol(item) for item in types}
    handles, symbols, _ = self._columns_ops()
    owner = self._owner if isinstance(self._owner, GraphBase) else self
    pairs = zip(memoryview(handles).cast("Q"), memoryview(symbols).cast("I"))
    return [Node._wrap(handle, owner) for handle, item in pairs if item in wanted]


def _input_index(node: Any) -> int:
    index = node._attr_find(0, 0, "index")
    return 0 if index is None else int(index[1])


def outputs(self: Any) -> list[Any]:
    """What the graph gives: pairs ``(node, output index)``; ``None`` where the output node's slot is absent."""
    node = _output_node(self)
    return [] if node is None else node.inputs


def _output_node(self: Any) -> Any:
    found = _nodes_of_types(self, [OUTPUT_TYPE])
    return found[-1] if found else None


def input_names(self: Any) -> list[str]:
    """Names of the inputs: those of their values, else those of their nodes."""
    return [_value_name(node, 0) for node in inputs(self)]


def output_names(self: Any) -> list[str]:
    """Names of the outputs: those of the output node, else those of the values, else ``<node>:<index>``."""
    node = _output_node(self)
    if node is None:
        return []
    stored = node._attr_find(0, 0, "output_names")
    if stored is not None:
        return list(stored[1])
    return ["" if value is None else _value_name(*value) for value in node.inputs]


def _value_name(node: Any, index: int) -> str:
    return node._value_name(index) or (node.name if index == 0 else f"{node.name}:{index}")


def to_text(self: Any, elide: bool = False, data: bool = False) -> str:
    """The text form, with subgraphs.

    Args:
        self: The graph.
        elide: Leave out the middle of big graphs and the values of big constants; such a text does not parse back.
        data: Write the values of all constants, whatever their size.
    """
    return self._print((_ELIDE if elide else 0) | (_DATA if data else 0))  # type: ignore[no-any-return]


def dump_to_stream(self: Any, format: DumpFormat = DumpFormat.kReadable) -> str:
    """The graph as text.

    Raises:
        TypeError: The format is no DumpFormat.
        NotImplementedError: The format is not text (kOnnx) or not built (kTxt).
    """
    _check_dump_format(format)
    if format is DumpFormat.kOnnx:
        raise NotImplementedError(
            "DumpFormat.kOnnx is not implemented for streams: ONNX is binary; use dump_to_file(DumpFormat.kOnnx)"
        )
    return to_text(self)


def dump_to_file(self: Any, format: DumpFormat = DumpFormat.kReadable, suffix: str = "") -> str:
    """Writes ``<graph name>[_<suffix>].<txt|onnx>`` into the working directory.

    Returns:
        The path written.

    Raises:
        TypeError: An argument has the wrong type.
        NotImplementedError: kTxt, or kOnnx without the ONNX part.
        RuntimeError: The file cannot be written.
    """
    _check_dump_format(format)
    check_str(suffix, "suffix")
    stem = re.sub(r"[^\w.\-]+", "_", self.name + (f"_{suffix}" if suffix else "")) or "graph"
    path = stem + _EXTENSIONS[format]
    if format is DumpFormat.kOnnx:
        _dump_onnx(self, path)
        return path
    text = to_text(self)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise RuntimeError(f"cannot write {os.path.abspath(path)}: {error.strerror or error}") from error
    return path


def _check_dump_format(format: Any) -> None:
    if not isinstance(format, DumpFormat):
        raise TypeError(f"format must be a DumpFormat, found {type(format).__name__}: {format!r}")
    if format is DumpFormat.kTxt:
        raise NotImplementedError("DumpFormat.kTxt is not implemented; use DumpFormat.kReadable or DumpFormat.kOnnx")


def _dump_onnx(self: Any, path: str) -> None:
    try:
        # By name: ge.onnx is built on this package, which must not depend on it.
        onnx: Any = importlib.import_module("ge.onnx")
    except ImportError as error:
        raise NotImplementedError(
            f"DumpFormat.kOnnx needs the ONNX part of ge-ir: {error}; install it with: pip install 'ge-ir[onnx]'"
        ) from error
    onnx.save_model(self, path)


def save_to_air(self: Any, file_path: str) -> None:
    """Not built yet.

    Raises:
        TypeError: The path is no str.
        RuntimeError: The folder does not exist.
        NotImplementedError: Always otherwise.
    """
    check_str(file_path, "file_path")
    folder = os.path.dirname(os.path.abspath(file_path))
    if not os.path.isdir(folder):
        raise RuntimeError(f"cannot save {file_path!r}: folder {folder!r} does not exist")
    raise _no_air("save_to_air", "graph.to_text(data=True) or graph.dump_to_file(DumpFormat.kOnnx)")


def load_from_air(self: Any, file_path: str) -> None:
    """Not built yet.

    Raises:
        TypeError: The path is no str.
        RuntimeError: There is no such file.
        NotImplementedError: Always otherwise.
    """
    check_str(file_path, "file_path")
    if not os.path.isfile(file_path):
        raise RuntimeError(f"cannot load {file_path!r}: there is no such file")
    raise _no_air("load_from_air", "Graph.parse(text) or ge.onnx")


def _no_air(what: str, instead: str) -> NotImplementedError:
    return NotImplementedError(f"{what} is not implemented yet (the .air form is not built); use {instead}")
