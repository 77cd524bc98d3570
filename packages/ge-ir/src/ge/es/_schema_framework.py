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


def _op(name: str, inputs: str, outputs: str, attributes: str = "", *, deterministic: bool = True) -> OpSchema:
    """A schema from short forms: names of inputs and outputs, and ``name:KIND`` of attributes, parted by blanks."""
    kinds = dict(item.split(":") for item in attributes.split())
    ins = tuple(make_parameter(text) for text in inputs.split())
    outs = tuple(make_parameter(text) for text in outputs.split())
    single = [p for p in ins if p.kind is ParameterKind.SINGLE]
    return OpSchema(
        domain="",
        name=name,
        since_version=0,
        inputs=ins,
        outputs=outs,
        attributes={key: make_attribute(key, kinds[key]) for key in sorted(kinds)},
        min_input=len(single),
        max_input=_limit(ins),
        min_output=sum(p.kind is ParameterKind.SINGLE for p in outs),
        max_output=_limit(outs),
        deterministic=deterministic,
    )


def _limit(parameters: tuple[Parameter, ...]) -> int | None:
    return None if any(p.kind is ParameterKind.VARIADIC for p in parameters) else len(parameters)


def _schemas() -> Iterable[OpSchema]:
    # Inputs of a graph. The one optional operand is what a caller feeds in when a frame wraps the graph.
    for name in ("Data", "RefData", "AippData", "AnyData"):
        yield _op(name, "x?", "y", "index:INT")
    yield _op("Const", "", "y", "value:TENSOR!")
    yield _op("Constant", "", "y", "value:TENSOR!")
    file_constant = "file_path:STRING file_id:STRING offset:INT length:INT shape:INTS dtype:DATA_TYPE"
    yield _op("FileConstant", "", "y", file_constant)
    variable = "index:INT value:TENSOR container:STRING shared_name:STRING"
    yield _op("Variable", "x?", "y", variable, deterministic=False)
    yield _op("NetOutput", "x*", "y*", "output_names:STRINGS")
    yield from _calls()
    # Borders that a partitioner puts between engines.
    place_holder = "peerIndex:INT parentOpType:STRING anchorIndex:INT parentId:STRING"
    yield _op("PlaceHolder", "", "y", place_holder, deterministic=False)
    yield _op("End", "x", "y", "peerIndex:INT parentOpType:STRING")
    # Ordering, stacks, streams.
    yield _op("NoOp", "", "")
    yield _op("Stack", "max_size", "handle", "elem_type:DATA_TYPE stack_name:STRING", deterministic=False)
    yield _op("StackPush", "handle element", "y", "swap_memory:BOOL", deterministic=False)
    yield _op("StackPop", "handle", "element", "elem_type:DATA_TYPE", deterministic=False)
    yield _op("StackClose", "handle", "", deterministic=False)
    yield _op("StreamActive", "", "", "active_stream_list:INTS", deterministic=False)
    yield _op("StreamSwitch", "x1 x2", "", "cond:INT data_type:INT true_branch_stream:INT", deterministic=False)
    yield _op("StreamMerge", "x*", "y value_index", deterministic=False)
    yield _op("Send", "", "", "event_id:INT", deterministic=False)
    yield _op("Recv", "", "", "event_id:INT", deterministic=False)
    yield _op("LabelSet", "", "", "label_index:INT", deterministic=False)
    yield _op("LabelGoto", "", "", "label_index:INT", deterministic=False)
    yield _op("LabelSwitchByIndex", "index", "", "label_list:INTS", deterministic=False)


def _calls() -> Iterable[OpSchema]:
    """Calls and control flow with explicit operands; the stateless forms promise bodies without side effects."""
    call = "f:GRAPH! config:STRING config_proto:STRING executor_type:STRING"
    for prefix, pure in (("", False), ("Stateless", True)):
        yield _op(f"{prefix}Case", "branch_index input*", "output*", "branches:GRAPHS!", deterministic=pure)
        yield _op(f"{prefix}If", "cond input*", "output*", "then_branch:GRAPH! else_branch:GRAPH!", deterministic=pure)
        loop = "cond:GRAPH! body:GRAPH! parallel_iterations:INT"
        yield _op(f"{prefix}While", "input*", "output*", loop, deterministic=pure)
    yield _op("PartitionedCall", "args*", "output*", call, deterministic=False)
    yield _op("StatefulPartitionedCall", "args*", "output*", call, deterministic=False)


#: Framework operators by type.
FRAMEWORK_SCHEMAS = {schema.name: schema for schema in _schemas()}
