"""The ONNX Runtime engine: one session a part, without ONNX Runtime's own graph optimisation.

Its optimiser is off because some of its rewrites are wrong or do not load; choosing a level that was checked against
the plain session is not implemented yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ge.runtime._errors import CompileError

if TYPE_CHECKING:
    import onnx
    import onnxruntime

__all__ = ["make_session", "run_session"]


def _options(threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.intra_op_num_threads = threads
    return options


def make_session(model: onnx.ModelProto, part: str, threads: int = 0) -> onnxruntime.InferenceSession:
    """A session for the model of a part.

    Args:
        model: The part as a whole ONNX model.
        part: Name of the part, for the error.
        threads: Threads inside one operator; 0 leaves the choice to ONNX Runtime.

    Raises:
        CompileError: ONNX Runtime refuses the model, or is not installed.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise CompileError(
            f"part {part!r} needs ONNX Runtime: {error}; install it with: pip install 'ge-runtime[run]'"
        ) from error
    try:
        data = model.SerializeToString()
        return onnxruntime.InferenceSession(data, _options(threads), providers=["CPUExecutionProvider"])
    except Exception as error:  # the exception types of ONNX Runtime have no common base but this
        raise CompileError(f"part {part!r} is refused by ONNX Runtime: {error}") from error


def run_session(session: Any, outputs: list[str], feed: dict[str, Any]) -> list[Any]:
    """Values of the outputs, as NumPy arrays or, for sequences and maps, as Python lists."""
    result: list[Any] = session.run(outputs, feed)
    return result
