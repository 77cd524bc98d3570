"""Operators of the graph engine itself: inputs, constants, calls, control flow, placeholders, stacks, streams.

They live in the default domain at version 0, below every ONNX opset. So ``If`` at version 0 is the engine's If, which
takes its operands as inputs, and ``If`` at any opset from 1 is ONNX's, which captures them.
"""

from __future__ import annotations

from typing import Iterable, Union

from ge.es._schema import AttributeKind, AttributeSchema, OpSchema, Parameter, ParameterKind

__all__ = ["FRAMEWORK_SCHEMAS", "make_attribute", "make_parameter"]

_MARKS = {"?": ParameterKind.OPTIONAL, "*": ParameterKind.VARIADIC}


def make_parameter(text: Union[str, Parameter]) -> Parameter:
    """A parameter from its short form: ``x`` single, ``x?`` optional, ``x*`` variadic."""
    if isinstance(text, Parameter):
        return text
    kind = _MARKS.get(text[-1:], ParameterKind.SINGLE)
    name = text if kind is ParameterKind.SINGLE else text[:-1]
    return Parameter(name, kind, homogeneous=kind is not ParameterKind.VARIADIC)


def make_attribute(name: str, text: Union[str, AttributeKind, AttributeSchema]) -> AttributeSchema:
    """An attribute from its kind; ``INT!`` is a required one."""
    if isinstance(text, AttributeSchema):
        return text
    if isinstance(text, AttributeKind):
        return AttributeSchema(name, text)
    return AttributeSchema(name, AttributeKind(text.rstrip("!")), required=text.endswith("!"))


def _op(name: str, inputs: str = "", outputs: str = "", /, deterministic: bool = True, **attributes: str) -> OpSchema:
    ins = tuple(make_parameter(text) for text in inputs.split())
    outs = tuple(make_parameter(text) for text in outputs.split())
    single = [p for p in ins if p.kind is ParameterKind.SINGLE]
    return OpSchema(
        domain="",
        name=name,
        since_version=0,
        inputs=ins,
        outputs=outs,
        attributes={key: make_attribute(key, attributes[key]) for key in sorted(attributes)},
        min_input=len(single),
        max_input=_limit(ins),
        min_output=sum(p.kind is ParameterKind.SINGLE for p in outs),
        max_output=_limit(outs),
        deterministic=deterministic,
    )


def _limit(parameters: tuple[Parameter, ...]) -> int | None:
    return None if any(p.kind is ParameterKind.VARIADIC for p in parameters) else len(parameters)


_DATA = {"index": "INT"}
_STACK = {"stack_name": "STRING"}


def _schemas() -> Iterable[OpSchema]:
    # Inputs of a graph. The one optional operand is what a caller feeds in when a frame wraps the graph.
    for name in ("Data", "RefData", "AippData", "AnyData"):
        yield _op(name, "x?", "y", **_DATA)
    yield _op("Const", "", "y", value="TENSOR!")
    yield _op("Constant", "", "y", value="TENSOR!")
    yield _op("FileConstant", "", "y", file_path="STRING", file_id="STRING", offset="INT", length="INT", shape="INTS", dtype="DATA_TYPE")
    yield _op("Variable", "x?", "y", deterministic=False, index="INT", value="TENSOR", container="STRING", shared_name="STRING")
    yield _op("NetOutput", "x*", "y*", output_names="STRINGS")
    # Calls and control flow with explicit operands.
    yield _op("PartitionedCall", "args*", "output*", deterministic=False, f="GRAPH!", config="STRING", config_proto="STRING", executor_type="STRING")
    yield _op("StatefulPartitionedCall", "args*", "output*", deterministic=False, f="GRAPH!", config="STRING", config_proto="STRING", executor_type="STRING")
    yield _op("Case", "branch_index input*", "output*", deterministic=False, branches="GRAPHS!")
    yield _op("StatelessCase", "branch_index input*", "output*", branches="GRAPHS!")
    yield _op("If", "cond input*", "output*", deterministic=False, then_branch="GRAPH!", else_branch="GRAPH!")
    yield _op("StatelessIf", "cond input*", "output*", then_branch="GRAPH!", else_branch="GRAPH!")
    yield _op("While", "input*", "output*", deterministic=False, cond="GRAPH!", body="GRAPH!", parallel_iterations="INT")
    yield _op("StatelessWhile", "input*", "output*", cond="GRAPH!", body="GRAPH!", parallel_iterations="INT")
    # Borders that a partitioner puts between engines.
    yield _op("PlaceHolder", "", "y", deterministic=False, peerIndex="INT", parentOpType="STRING", anchorIndex="INT", parentId="STRING")
    yield _op("End", "x", "y", peerIndex="INT", parentOpType="STRING")
    # Ordering, stacks, streams.
    yield _op("NoOp")
    yield _op("Stack", "max_size", "handle", deterministic=False, elem_type="DATA_TYPE", **_STACK)
    yield _op("StackPush", "handle element", "y", deterministic=False, swap_memory="BOOL")
    yield _op("StackPop", "handle", "element", deterministic=False, elem_type="DATA_TYPE")
    yield _op("StackClose", "handle", "", deterministic=False)
    yield _op("StreamActive", "", "", deterministic=False, active_stream_list="INTS")
    yield _op("StreamSwitch", "x1 x2", "", deterministic=False, cond="INT", data_type="INT", true_branch_stream="INT")
    yield _op("StreamMerge", "x*", "y value_index", deterministic=False)
    yield _op("Send", "", "", deterministic=False, event_id="INT")
    yield _op("Recv", "", "", deterministic=False, event_id="INT")
    yield _op("LabelSet", "", "", deterministic=False, label_index="INT")
    yield _op("LabelGoto", "", "", deterministic=False, label_index="INT")
    yield _op("LabelSwitchByIndex", "index", "", deterministic=False, label_list="INTS")


#: Framework operators by type.
FRAMEWORK_SCHEMAS = {schema.name: schema for schema in _schemas()}
