"""A real detector with non-maximum suppression behind it, composed from a model that ships in a pinned package.

The network is the YOLOX text detector of ``ddddocr`` (MIT licence): 416 x 416 pixels in, one row per anchor out. The
usual post-processing follows as ONNX operators, so the model ends in values whose number depends on the data.
"""

from __future__ import annotations

import pathlib
from typing import Any

__all__ = ["compose", "sample_image"]

# Keeps at most 100 boxes with a score of 0.01 or more that overlap by less than 0.45. Opset 11, as the network.
_TAIL = """
    <ir_version: 6, opset_import: ["" : 11]>
    tail (float[1, anchors, 6] rows) => (float[K, 4] kept_boxes, float[K] kept_scores)
    <int64[1] most_boxes = {100}, float[1] overlap = {0.45}, float[1] least_score = {0.01}, int64 box_column = {2}>
    {
        boxes, objectness, class_score = Split <axis = 2, split = [4, 1, 1]> (rows)
        score = Mul (objectness, class_score)
        scores = Transpose <perm = [0, 2, 1]> (score)
        picked = NonMaxSuppression <center_point_box = 1> (boxes, scores, most_boxes, overlap, least_score)
        index = Gather <axis = 1> (picked, box_column)
        flat_boxes = Squeeze <axes = [0]> (boxes)
        kept_boxes = Gather <axis = 0> (flat_boxes, index)
        flat_scores = Squeeze <axes = [0, 1]> (scores)
        kept_scores = Gather <axis = 0> (flat_scores, index)
    }
"""


def compose(network: pathlib.Path) -> Any:
    """The network with its tail, as a checked ``ModelProto``.

    Args:
        network: The detector's ONNX file. Its output is [1, anchors, 6]: centre x and y, width, height, objectness,
            class score.
    """
    import onnx

    model = onnx.load(network)
    tail = onnx.parser.parse_model(_TAIL).graph
    for node in tail.node:
        node.name = f"tail/{node.output[0]}"
        node.input[:] = [model.graph.output[0].name if name == "rows" else name for name in node.input]
    model.graph.node.extend(tail.node)
    model.graph.initializer.extend(tail.initializer)
    del model.graph.output[:]
    model.graph.output.extend(tail.output)
    onnx.checker.check_model(model, full_check=True)
    return model


def sample_image(shape: tuple[int, ...]) -> Any:
    """A picture with dark glyph-like marks on a light ground, the same each time: [1, 3, height, width], 0 to 255."""
    import numpy as np

    height, width = shape[-2:]
    random = np.random.default_rng(3)
    picture = np.full((height, width), 230.0)
    for row in range(3):
        for column in range(4):
            top = int((row + 0.25) * height / 3)
            left = int((column + 0.2) * width / 4)
            size = int(height / 12 + random.integers(0, max(1, height // 24)))
            for _stroke in range(3):
                y, x = random.integers(0, size, 2)
                picture[top + y : top + y + 6, left : left + size] = 30.0
                picture[top : top + size, left + x : left + x + 6] = 30.0
    picture += random.normal(0.0, 4.0, picture.shape)
    return np.broadcast_to(np.clip(picture, 0, 255), (*shape[:-2], height, width)).astype(np.float32)
