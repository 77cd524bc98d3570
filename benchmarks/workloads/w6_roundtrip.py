"""W6: read ONNX models into the contestant's own graph and write them back.

``light``: the nine light models of the onnx wheel, 4025 nodes, one after the other. ``light_shapes``: with shape
inference in between; the models that are written must have the shapes that onnx finds. The size is given by the models.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List

from contract import Case, NotOffered, Workload

Convert = Callable[[str, str], None]


def light_models() -> List[Path]:
    """Paths of the models that the onnx wheel brings for its own tests."""
    import onnx

    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    found = sorted(folder.glob("*.onnx"))
    if len(found) != 9:
        raise ImportError(f"expected nine models in {folder}, found {len(found)}")
    return found


def _count(paths: List[Path]) -> int:
    import onnx

    return sum(len(onnx.load(str(path), load_external_data=False).graph.node) for path in paths)


def _shapes(models: Iterable[Any]) -> int:
    """Number of node outputs whose shape the models declare."""
    found = 0
    for model in models:
        infos = [*model.graph.value_info, *model.graph.output]
        known = {info.name for info in infos if info.type.tensor_type.HasField("shape")}
        found += sum(name in known for node in model.graph.node for name in node.output)
    return found


def _inferred_shapes(paths: List[Path]) -> int:
    import onnx

    return _shapes(onnx.shape_inference.infer_shapes(onnx.load(str(path))) for path in paths)


def _case(convert: Convert, variant: str) -> Case:
    import onnx

    models = light_models()
    wanted = _count(models)
    wanted_shapes = _inferred_shapes(models) if variant == "light_shapes" else 0

    def work(folder: str) -> List[Path]:
        written = [Path(folder) / path.name for path in models]
        for source, target in zip(models, written):
            convert(str(source), str(target))
        return written

    def check(folder: str, written: List[Path]) -> Dict[str, Any]:
        nodes = _count(written)
        shapes = _shapes(onnx.load(str(path), load_external_data=False) for path in written)
        shutil.rmtree(folder)
        assert nodes == wanted, f"wrote {nodes} nodes instead of {wanted}"
        assert shapes >= wanted_shapes, f"wrote {shapes} shapes instead of {wanted_shapes}"
        return {"models": len(written), "nodes": nodes, "shapes": shapes}

    return Case(lambda: tempfile.mkdtemp(prefix="ge-bench-"), work, check)


def ours(n: int, variant: str) -> Case:
    """``ge.onnx``."""
    from ge.onnx import infer_shapes, load_model, save_model

    def convert(source: str, target: str) -> None:
        graph = load_model(source)
        if variant == "light_shapes":
            infer_shapes(graph)
        save_model(graph, target)

    return _case(convert, variant)


def onnx(n: int, variant: str) -> Case:
    """onnx: its message objects are its graph."""
    import onnx

    def convert(source: str, target: str) -> None:
        model = onnx.load(source)
        onnx.save(onnx.shape_inference.infer_shapes(model) if variant == "light_shapes" else model, target)

    return _case(convert, variant)


def onnx_path(n: int, variant: str) -> Case:
    """The inference of onnx from file to file, without Python objects in between."""
    import onnx

    if variant != "light_shapes":
        raise NotOffered("infer_shapes_path always infers")
    return _case(onnx.shape_inference.infer_shapes_path, variant)


def onnx_ir(n: int, variant: str) -> Case:
    """onnx-ir."""
    import onnx_ir
    from onnx_ir.passes.common import ShapeInferencePass

    def convert(source: str, target: str) -> None:
        model = onnx_ir.load(source)
        onnx_ir.save(ShapeInferencePass()(model).model if variant == "light_shapes" else model, target)

    return _case(convert, variant)


def graphsurgeon(n: int, variant: str) -> Case:
    """onnx-graphsurgeon."""
    if variant == "light_shapes":
        raise NotOffered("onnx-graphsurgeon has no shape inference")
    import onnx
    import onnx_graphsurgeon as gs

    def convert(source: str, target: str) -> None:
        model = gs.export_onnx(gs.import_onnx(onnx.load(source)))
        onnx.save(onnx.shape_inference.infer_shapes(model) if variant == "light_shapes" else model, target)

    return _case(convert, variant)


WORKLOAD = Workload(
    name="W6",
    title="ONNX round trip",
    variants=("light", "light_shapes"),
    default_n=4025,
    contestants={
        "ours": ours,
        "onnx": onnx,
        "onnx_path": onnx_path,
        "onnx_ir": onnx_ir,
        "graphsurgeon": graphsurgeon,
    },
    best={"light": "onnx", "light_shapes": "onnx_path"},
    sized=False,
)
