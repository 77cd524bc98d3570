"""W6: read ONNX models into the contestant's own graph and write them back.

``light``: the nine light models of the onnx wheel, 4025 nodes, one after the other. Without shape inference, which is
not built yet, for anybody. The size is given by the models.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List

from contract import Case, Workload

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


def _case(convert: Convert) -> Case:
    models = light_models()
    wanted = _count(models)

    def work(folder: str) -> List[Path]:
        written = [Path(folder) / path.name for path in models]
        for source, target in zip(models, written):
            convert(str(source), str(target))
        return written

    def check(folder: str, written: List[Path]) -> Dict[str, Any]:
        nodes = _count(written)
        shutil.rmtree(folder)
        assert nodes == wanted, f"wrote {nodes} nodes instead of {wanted}"
        return {"models": len(written), "nodes": nodes}

    return Case(lambda: tempfile.mkdtemp(prefix="ge-bench-"), work, check)


def ours(n: int, variant: str) -> Case:
    """``ge.onnx``."""
    from ge.onnx import load_model, save_model

    return _case(lambda source, target: save_model(load_model(source), target))


def onnx(n: int, variant: str) -> Case:
    """onnx: its message objects are its graph."""
    import onnx

    return _case(lambda source, target: onnx.save(onnx.load(source), target))


def onnx_ir(n: int, variant: str) -> Case:
    """onnx-ir."""
    import onnx_ir

    return _case(lambda source, target: onnx_ir.save(onnx_ir.load(source), target))


def graphsurgeon(n: int, variant: str) -> Case:
    """onnx-graphsurgeon."""
    import onnx
    import onnx_graphsurgeon as gs

    return _case(lambda source, target: onnx.save(gs.export_onnx(gs.import_onnx(onnx.load(source))), target))


WORKLOAD = Workload(
    name="W6",
    title="ONNX round trip, without shape inference",
    variants=("light",),
    default_n=4025,
    contestants={"ours": ours, "onnx": onnx, "onnx_ir": onnx_ir, "graphsurgeon": graphsurgeon},
    best={"light": "onnx"},
    sized=False,
)
