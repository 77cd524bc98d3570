"""W9: what one call of a compiled model costs. ``add4``: one Add over four floats; n is the number of calls.

One thread, no graph optimisation, so that the call itself is measured and not the kernel.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

from contract import Case, Workload


def add_model() -> Any:
    """A model of one Add over four floats, of an age that every ONNX Runtime here reads."""
    from onnx import TensorProto, helper

    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Add", ["a", "b"], ["sum"], "add")],
        "add4",
        [info("a", TensorProto.FLOAT, [4]), info("b", TensorProto.FLOAT, [4])],
        [info("sum", TensorProto.FLOAT, [4])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def _operands() -> Any:
    import numpy as np

    return np.arange(4, dtype=np.float32), np.full(4, 2, dtype=np.float32)


def _case(n: int, call: Callable[[], Any]) -> Case:
    def work(_: Any) -> Any:
        result = None
        for _ in range(n):
            result = call()
        return result

    def check(_: Any, result: Any) -> Dict[str, Any]:
        assert list(result) == [2.0, 3.0, 4.0, 5.0], f"the sum is {list(result)}"
        return {"calls": n}

    return Case(lambda: None, work, check)


def _session() -> Any:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return ort.InferenceSession(add_model().SerializeToString(), options, providers=["CPUExecutionProvider"])


def ours(n: int, variant: str) -> Case:
    """``ge.runtime``'s compiled model."""
    from ge.onnx import from_model_proto
    from ge.runtime.compiler import compile_model

    model = compile_model(from_model_proto(add_model()), threads=1)
    a, b = _operands()
    return _case(n, lambda: model.run({"a": a, "b": b})["sum"])


def ort_run(n: int, variant: str) -> Case:
    """``InferenceSession.run``."""
    session = _session()
    a, b = _operands()
    return _case(n, lambda: session.run(["sum"], {"a": a, "b": b})[0])


def ort_iobinding(n: int, variant: str) -> Case:
    """``run_with_iobinding`` on bindings made once: the fastest way to call it."""
    import onnxruntime as ort

    session = _session()
    binding = session.io_binding()
    a, b = (ort.OrtValue.ortvalue_from_numpy(value) for value in _operands())
    out = ort.OrtValue.ortvalue_from_numpy(_operands()[0])
    binding.bind_ortvalue_input("a", a)
    binding.bind_ortvalue_input("b", b)
    binding.bind_ortvalue_output("sum", out)

    def check(_: Any, __: Any) -> Dict[str, Any]:
        assert list(out.numpy()) == [2.0, 3.0, 4.0, 5.0], f"the sum is {list(out.numpy())}"
        return {"calls": n}

    def work(_: Any) -> None:
        for _ in range(n):
            session.run_with_iobinding(binding)

    return Case(lambda: None, work, check)


WORKLOAD = Workload(
    name="W9",
    title="one call of a compiled model (n calls)",
    variants=("add4",),
    default_n=2_000,
    contestants={"ours": ours, "ort_run": ort_run, "ort_iobinding": ort_iobinding},
    best={"add4": "ort_iobinding"},
)
