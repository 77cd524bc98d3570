"""The picture of the parts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from ge.graph import Graph
from ge.partition import DynamicShapePartitioner, PartitionRules, part_graph_svg
from partition_graphs import chain

SVG = "{http://www.w3.org/2000/svg}"


def draw(graph: Graph, limit: int = 1) -> ElementTree.Element:
    report = DynamicShapePartitioner(PartitionRules(static_model_ops_lower_limit=limit)).partition(graph)
    return ElementTree.fromstring(part_graph_svg(report))


def boxes(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    names = ("x", "y", "width", "height")
    found = [group.find(f"{SVG}rect") for group in root.iter(f"{SVG}g")]
    return [tuple(float(rect.get(name, "0")) for name in names) for rect in found if rect is not None]  # type: ignore[misc]


def test_parts_inputs_outputs_and_arrows() -> None:
    root = draw(chain("SDS"))
    text = " ".join(item.text or "" for item in root.iter(f"{SVG}text"))
    for word in ("g_sub_0_know", "static, 1 operator", "dynamic, 1 operator", "input [4, 4]", "output [4, 4]"):
        assert word in text
    assert len(boxes(root)) == 5
    assert len(root.findall(f"{SVG}path")) == 4


@pytest.mark.parametrize("nodes", ["S", "D", "SDS", "SSDSSDSS"])
def test_boxes_lie_inside_the_picture_and_do_not_overlap(nodes: str) -> None:
    root = draw(chain(nodes))
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    found = boxes(root)
    assert found
    for at, (x, y, w, h) in enumerate(found):
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height
        for ox, oy, ow, oh in found[at + 1 :]:
            assert x + w <= ox or ox + ow <= x or y + h <= oy or oy + oh <= y


def test_names_are_escaped() -> None:
    root = draw(chain("SD", 'a<b>&"c"'))
    assert any('a<b>&"c"_sub_0_know' in (item.text or "") for item in root.iter(f"{SVG}title"))


def test_a_graph_that_is_not_split_is_one_box() -> None:
    text = " ".join(item.text or "" for item in draw(chain("SS")).iter(f"{SVG}text"))
    assert "not split: every shape is known; 2 operators" in text
