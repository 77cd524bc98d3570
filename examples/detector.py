"""A real detector with non-maximum suppression behind it, composed from a model that ships in a pinned package.

The network is the YOLOX text detector of ``ddddocr`` (MIT licence): 416 x 416 pixels in, one row per anchor out. The usual
post-processing follows as ONNX operators, so the model ends in values whose number depends on the data.
"""

from __future__ import annotations

import pathlib
from typing import Any

__all__ = ["compose", "sample_image"]

_MOST_BOXES, _OVERLAP, _LEAST_SCORE = 100, 0.45, 0.01


def compose(network: pathlib.Path) -> Any:
    """The network with its tail, as a checked ``ModelProto`` with outputs ``kept_boxes`` [K, 4] and ``kept_scores`` [K].

    Args:
        network: The detector's ONNX file; its output is [1, anchors, 6]: centre x and y, width, height, objectness, score.
    """
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(network)
    graph = model.graph
    rows = graph.output[0].name

    def constant(name: str, value: Any) -> str:
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(op_type: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:
        graph.node.append(helper.make_node(op_type, inputs, list(outputs), name=f"tail/{outputs[0]}", **attributes))
        return outputs[0]

    add("Split", [rows], "boxes", "objectness", "class_score", axis=2, split=[4, 1, 1])
    add("Mul", ["objectness", "class_score"], "score")
    add("Transpose", ["score"], "scores", perm=[0, 2, 1])
    limits = [
        constant("most_boxes", np.array([_MOST_BOXES], np.int64)),
        constant("overlap", np.array([_OVERLAP], np.float32)),
        constant("least_score", np.array([_LEAST_SCORE], np.float32)),
    ]
    add("NonMaxSuppression", ["boxes", "scores", *limits], "picked", center_point_box=1)
    add("Gather", ["picked", constant("box_column", np.array(2, np.int64))], "index", axis=1)
    add("Squeeze", ["boxes"], "flat_boxes", axes=[0])
    add("Gather", ["flat_boxes", "index"], "kept_boxes", axis=0)
    add("Squeeze", ["scores"], "flat_scores", axes=[0, 1])
    add("Gather", ["flat_scores", "index"], "kept_scores", axis=0)
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("kept_boxes", TensorProto.FLOAT, ["K", 4]))
    graph.output.append(helper.make_tensor_value_info("kept_scores", TensorProto.FLOAT, ["K"]))
    onnx.checker.check_model(model, full_check=True)
    return model


def sample_image(shape: tuple[int, ...]) -> Any:
    """A picture with some dark glyph-like marks on a light ground, the same each time: [1, 3, height, width], 0 to 255."""
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
