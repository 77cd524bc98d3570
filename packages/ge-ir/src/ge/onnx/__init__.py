"""ONNX models in and out: :func:`load_model`, :func:`save_model`, :func:`from_model_proto`, :func:`to_model_proto`.

How a model looks as a graph:

* An input is a ``Data`` node with its position in ``index``; an initializer is a ``Const`` node with its data in
  ``value``; both are named as in the file. One ``NetOutput`` node reads the outputs; its ``output_names`` holds their
  names.
* Every other node keeps type, domain and name; its version is the opset that the model imports. An input that is left
  out stays an absent slot, an output that is left out stays an output without a name. Nodes without a name get one.
* Bodies of If, Loop, Scan and the like are subgraphs of their node under the name of the attribute. They read outer
  values through plain edges. Local functions are library subgraphs of the root, named ``domain::name``.
* Value names are the names of outputs. Types are descriptors; a type that is no tensor is the text in ``type_text``.
* All else (opsets, metadata, doc strings, producer, ...) is kept in attributes that start with ``onnx.``, and written
  back.

Writing a graph that was not changed gives a model with the same results. A graph output that a rewrite made an input, a
captured value or a second name of a value is written through an Identity, so that it keeps its name. Operators of the
graph engine are written as ``ge.onnx._framework_ops`` says.

Needs the ``onnx`` package (``pip install 'ge-ir[onnx]'``), which is imported when a function here is first called.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

from ge.onnx._errors import OnnxExportError, OnnxImportError

if TYPE_CHECKING:
    from ge.graph import Graph

    import onnx

__all__ = [
    "OnnxExportError",
    "OnnxImportError",
    "from_model_proto",
    "infer_shapes",
    "load_model",
    "save_model",
    "to_model_proto",
]

#: From this size of all constants on, save_model writes them to a file of their own unless told otherwise.
_EXTERNAL_FROM = 1 << 30
#: Smaller constants stay in the model, where viewers and shape inference can see them.
_EXTERNAL_THRESHOLD = 1024


def _require_onnx() -> None:
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"ge.onnx needs the onnx package: {error}; install it with: pip install 'ge-ir[onnx]'"
        ) from error


def load_model(source: Union[str, os.PathLike[str], bytes, onnx.ModelProto], *, base_dir: str | None = None) -> Graph:
    """Reads an ONNX model.

    Args:
        source: Path of a file, the bytes of one, or a ModelProto.
        base_dir: Folder that external data must lie in; for a path, the folder of the file.

    Returns:
        The root graph. Constants in external data are mapped, not read.

    Raises:
        OnnxImportError: The file cannot be read, is no ONNX model or truncated, has a cycle, a value that nothing
            defines or two things define, or external data outside its folder.
        UnknownOperatorError: A node has an operator that its domain does not have at the imported opset.
        TypeError: ``source`` is something else.
        ImportError: The onnx package is not installed.
    """
    _require_onnx()
    from ge.onnx._files import parse_model, read_file

    if isinstance(source, (bytes, bytearray, memoryview)):
        return from_model_proto(parse_model(bytes(source), "the given bytes"), base_dir)
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        folder = os.path.dirname(os.path.abspath(path)) if base_dir is None else base_dir
        return from_model_proto(parse_model(read_file(path), repr(path)), folder)
    return from_model_proto(source, base_dir)


def from_model_proto(model: onnx.ModelProto, base_dir: str | None = None) -> Graph:
    """The graph of a ModelProto; errors as :func:`load_model`.

    Args:
        model: The model. It is not changed, and not needed afterwards.
        base_dir: Folder that external data must lie in; None refuses external data.
    """
    _require_onnx()
    from ge.onnx._import_model import import_model

    import onnx

    if not isinstance(model, onnx.ModelProto):
        raise TypeError(f"expected a path, bytes or onnx.ModelProto, found {type(model).__name__}")
    return import_model(model, base_dir)


def to_model_proto(graph: Graph) -> onnx.ModelProto:
    """The graph as a ModelProto, its constants inside.

    Raises:
        OnnxExportError: The graph cannot be written as ONNX: an attribute or element type that ONNX lacks, an output
            without a value, nodes of an opset that the model does not import, or more than 2 GiB of constants.
        GeError: The nodes depend on each other in a cycle.
        TypeError: It is no Graph.
        ImportError: The onnx package is not installed.
    """
    model: onnx.ModelProto = _export(graph, None)
    return model


def _check_graph(graph: object) -> None:
    from ge.graph import Graph as GraphClass

    if not isinstance(graph, GraphClass):
        raise TypeError(f"expected a Graph, found {type(graph).__name__}")


def _export(graph: Graph, sink: Any) -> Any:
    _require_onnx()
    from ge.onnx._export_model import ModelExporter

    _check_graph(graph)
    return ModelExporter(graph, sink).build()


def save_model(graph: Graph, path: Union[str, os.PathLike[str]], *, external_data: bool | None = None) -> None:
    """Writes the graph as an ONNX file. On failure an old file stays as it was.

    Args:
        graph: A root graph.
        path: The file.
        external_data: Write constants of 1 KiB and more to ``<path>.data``; None: if all together take 1 GiB or more.

    Raises:
        OnnxExportError: As :func:`to_model_proto`, or the file cannot be written.
        TypeError: It is no Graph.
    """
    from ge.onnx._files import DataFile, replace_file

    _check_graph(graph)
    target = os.fspath(path)
    if external_data is None:
        external_data = _constant_bytes(graph) >= _EXTERNAL_FROM
    if not external_data:
        replace_file(target, [_serialized(_export(graph, None))])
        return
    data = DataFile(os.path.basename(target) + ".data", _EXTERNAL_THRESHOLD)
    content = _serialized(_export(graph, data.place))
    if not data.is_empty:
        replace_file(target + ".data", data.chunks())
    replace_file(target, [content])


def infer_shapes(graph: Graph) -> None:
    """Infers types and shapes of all values, bodies included, and writes them into the descriptors.

    Shapes start from the graph's inputs and constants; shapes that a file or an earlier state of the graph declares
    for inner values and outputs are claims that give way to what inference finds. What it does not find stays as it
    was.

    Args:
        graph: A root graph.

    Raises:
        OnnxExportError: The graph cannot be written as ONNX (see :func:`to_model_proto`), or inference fails.
        TypeError: It is no Graph.
        ImportError: The onnx package is not installed.
    """
    _require_onnx()
    from ge.onnx._shape_inference import infer

    _check_graph(graph)
    infer(graph)


def _serialized(model: Any) -> bytes:
    try:
        content: bytes = model.SerializeToString(deterministic=True)
    except ValueError as error:
        raise OnnxExportError(f"the model cannot be serialized: {error}") from error
    return content


def _constant_bytes(graph: Graph) -> int:
    found = 0
    for node in graph.get_all_nodes():
        if node.type == "Const":
            value = node._attr_find(0, 0, "value")
            found += int(value[1]._info()[6]) if value is not None and hasattr(value[1], "_info") else 0
    return found
