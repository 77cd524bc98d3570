"""A picture of the parts: boxes in layers, arrows for the values that cross."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from textwrap import wrap
from typing import Any

from ge.partition._report import PartitionReport

__all__ = ["part_graph_svg"]

_FILL = {"static": "#dcefe1", "dynamic": "#fde3cf", "input": "#e3eaf6", "output": "#e3eaf6"}
_LINE = {"static": "#3c8d5a", "dynamic": "#c9701f", "input": "#5673a8", "output": "#5673a8"}
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN, _TITLE = 320, 84, 40, 64, 24, 52
_MOST_TEXT = 48
_FONT = "font-family='Helvetica,Arial,sans-serif'"


@dataclass
class _Box:
    """One box: a part, or an input or output of the graph."""

    kind: str
    title: str
    lines: list[str]
    reads: dict[int, list[str]] = field(default_factory=dict)  # box number -> shapes of the values read from it
    layer: int = 0
    x: float = 0.0
    y: float = 0.0


def part_graph_svg(report: PartitionReport) -> str:
    """The parts of a split as an SVG document.

    Static parts are green, dynamic ones orange, inputs and outputs of the graph blue. A box shows the number of
    operators and the reason of its kind; an arrow the number of values it stands for, or the shape if it is one.

    Args:
        report: Result of a split; its graph must not have been changed since.
    """
    boxes = _boxes(report)
    width, height = _place(boxes)
    body = [_arrow(boxes[source], box, shapes) for box in boxes for source, shapes in box.reads.items()]
    body += [_draw(box) for box in boxes]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}'>\n"
        "<defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' markerHeight='8' orient='auto'>"
        "<path d='M0 0 L10 5 L0 10 z' fill='#555'/></marker></defs>\n"
        f"<rect width='100%' height='100%' fill='white'/>\n"
        f"<text x='{_MARGIN}' y='{_MARGIN + 4}' {_FONT} font-size='15' fill='#222'>{escape(report.graph.name)}</text>\n"
        f"<text x='{_MARGIN}' y='{_MARGIN + 23}' {_FONT} font-size='11' fill='#555'>{escape(report.summary())}</text>\n"
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _shape(node: Any, index: int) -> str:
    shape = node.get_output_desc(index).shape
    if shape.is_unset or shape.is_unknown_rank:
        return "[*]"
    names = (symbol or "?" if size < 0 else str(size) for size, symbol in zip(shape.dims, shape.symbols))
    return "[" + ", ".join(names) + "]"


def _boxes(report: PartitionReport) -> list[_Box]:
    graph = report.graph
    boxes: list[_Box] = []
    number: dict[Any, int] = {}
    for name, node in zip(graph.input_names, graph.inputs):
        number[node] = len(boxes)
        boxes.append(_Box("input", name, [f"input {_shape(node, 0)}"]))
    for part in report.parts:
        if part.call is not None:
            number[part.call] = len(boxes)
        count = "1 operator" if part.nodes == 1 else f"{part.nodes} operators"
        boxes.append(_Box(part.kind, part.name, [f"{part.kind}, {count}", *wrap(part.reason, _MOST_TEXT, max_lines=2)]))
        for value in part.call.inputs if part.call is not None else ():
            _read(boxes, number, boxes[-1], value)
    for name, value in zip(graph.output_names, graph.outputs):
        boxes.append(_Box("output", name, [f"output {_shape(*value)}"]))
        if report.decision == "SPLIT":
            _read(boxes, number, boxes[-1], value)
        else:
            boxes[-1].reads[len(graph.inputs)] = [_shape(*value)]
    if report.decision != "SPLIT":
        boxes[len(graph.inputs)].reads = {at: [_shape(node, 0)] for at, node in enumerate(graph.inputs)}
    return boxes


def _read(boxes: list[_Box], number: dict[Any, int], box: _Box, value: Any) -> None:
    if value is None:
        return
    source = number.get(value[0])
    if source is None:  # a constant that stays in the root: an output reads it
        source = number[value[0]] = len(boxes)
        boxes.append(_Box("input", value[0].name, ["constant"]))
    box.reads.setdefault(source, []).append(_shape(*value))


def _place(boxes: list[_Box]) -> tuple[float, float]:
    """Layers by the longest way from an input; outputs below everything. Gives width and height of the picture."""
    for box in boxes:  # sources come before readers, constants of the root have no sources
        box.layer = 1 + max((boxes[source].layer for source in box.reads), default=-1)
    last = max((box.layer for box in boxes if box.kind != "output"), default=0) + 1
    layers: dict[int, list[_Box]] = {}
    for box in boxes:
        box.layer = last if box.kind == "output" else box.layer
        layers.setdefault(box.layer, []).append(box)
    widest = max(len(row) for row in layers.values())
    width = widest * _WIDTH + (widest - 1) * _GAP_X + 2 * _MARGIN
    for place, layer in enumerate(sorted(layers)):
        row = layers[layer]
        taken = len(row) * _WIDTH + (len(row) - 1) * _GAP_X
        for column, box in enumerate(row):
            box.x = (width - taken) / 2 + column * (_WIDTH + _GAP_X)
            box.y = _MARGIN + _TITLE + place * (_HEIGHT + _GAP_Y)
    height = 2 * _MARGIN + _TITLE + len(layers) * _HEIGHT + (len(layers) - 1) * _GAP_Y
    return max(width, 760.0), height


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def _draw(box: _Box) -> str:
    middle = box.x + _WIDTH / 2
    rounded = 38 if box.kind in ("input", "output") else 8
    full = escape("; ".join([box.title, *box.lines]))
    texts = [
        f"<text x='{middle:.0f}' y='{box.y + 22 + 17 * row:.0f}' {_FONT} font-size='{13 if row == 0 else 11}' "
        f"font-weight='{'bold' if row == 0 else 'normal'}' text-anchor='middle' fill='#222'>{escape(_cut(line))}</text>"
        for row, line in enumerate([box.title, *box.lines])
    ]
    return (
        f"<g><title>{full}</title>"
        f"<rect x='{box.x:.0f}' y='{box.y:.0f}' width='{_WIDTH}' height='{_HEIGHT}' rx='{rounded}' "
        f"fill='{_FILL[box.kind]}' stroke='{_LINE[box.kind]}' stroke-width='1.5'/>{''.join(texts)}</g>"
    )


def _arrow(source: _Box, target: _Box, shapes: list[str]) -> str:
    x1, y1 = source.x + _WIDTH / 2, source.y + _HEIGHT
    x2, y2 = target.x + _WIDTH / 2, target.y
    bend = (y1 + y2) / 2
    if target.layer - source.layer > 1:  # beside the boxes between
        side = max(source.x, target.x) + _WIDTH + _GAP_X / 2
        path = f"M{x1:.0f} {y1:.0f} C{side:.0f} {y1 + 40:.0f} {side:.0f} {y2 - 40:.0f} {x2:.0f} {y2:.0f}"
        at_x, at_y = x1 + (side - x1) * 0.75, bend
    else:
        path = f"M{x1:.0f} {y1:.0f} C{x1:.0f} {bend:.0f} {x2:.0f} {bend:.0f} {x2:.0f} {y2:.0f}"
        at_x, at_y = (x1 + x2) / 2, bend
    label = shapes[0] if len(shapes) == 1 else f"{len(shapes)} values"
    return (
        f"<path d='{path}' fill='none' stroke='#555' stroke-width='1.2' marker-end='url(#tip)'/>"
        f"<text x='{at_x + 6:.0f}' y='{at_y:.0f}' {_FONT} font-size='11' fill='#555'>{escape(_cut(label))}</text>"
    )
