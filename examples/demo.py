#!/usr/bin/env python3
"""The main job on a real model: import, Python passes, dynamic/static split, execution, comparison.

./dev demo                          a detector with non-maximum suppression, fetched once and cached
./dev demo --model my.onnx          any other ONNX model, fed with random numbers
./dev demo --passes my_passes.py    passes of your own instead of examples/passes
./dev demo --json                   one JSON object as the last line
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
DETECTOR = "ddddocr/common_det"
TIMED_RUNS = 7
LARGEST_DIFFERENCE = 1e-4


class DemoError(Exception):
    """The demo cannot go on; the text is for the reader."""


def say(text: str) -> None:
    """One line of the story; standard output, so that it can be piped."""
    print(text, flush=True)


def load_model(path: pathlib.Path | None) -> Any:
    """The detector, or the model at ``path``, as a graph."""
    from ge.onnx import load_model as load

    if path is not None:
        return load(path)
    sys.path[:0] = [str(HERE), str(ROOT / "tools" / "models")]
    import detector
    import model_store

    if not model_store.catalogue()[DETECTOR].cached.is_file():
        say("    fetching the detector (20 MB, once)")
    try:
        network = model_store.ensure(DETECTOR)
    except model_store.ModelError as error:
        raise DemoError(str(error)) from error
    return load(detector.compose(network).SerializeToString())


def make_feed(model: bytes, is_detector: bool) -> dict[str, Any]:
    """A picture for the detector; repeatable random numbers for other models (free sizes become 1, then 16)."""
    import numpy as np

    if is_detector:
        import detector

        (item,) = plain_session(model).get_inputs()
        return {item.name: detector.sample_image(tuple(item.shape))}
    import model_store

    anonymous = model_store.Model("", "", "", "", "", "", 0)
    feed: dict[str, Any] = model_store.make_feed(anonymous, plain_session(model).get_inputs())
    assert all(isinstance(value, np.ndarray) for value in feed.values())
    return feed


def plain_session(model: bytes) -> Any:
    """ONNX Runtime as a user would call it, with its own optimisation on."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run_passes(graph: Any, places: list[pathlib.Path]) -> list[dict[str, Any]]:
    """Runs the passes in the files or folders given, stage by stage, with shape inference where a compiler has it.

    Broken files are reported and left out; the rest runs.
    """
    from ge.onnx import infer_shapes
    from ge.passes import PassExecutor, PassStage

    given = os.environ.get("ASCEND_GE_PY_PASS_PATH", "")
    os.environ["ASCEND_GE_PY_PASS_PATH"] = os.pathsep.join([*map(str, places), *filter(None, [given])])
    with PassExecutor() as executor:
        for stage in PassStage:
            if stage is PassStage.AFTER_INFER_SHAPE:
                infer_shapes(graph)
            executor.run(graph, stage)
        report = executor.report()
    for failure in report.plugin_failures:
        say(f"    left out, because it is broken: {failure.origin}")
        say("      " + failure.text.rstrip().replace("\n", "\n      "))
    return [{"name": row.name, "matches": row.matches, "rewrites": row.rewrites} for row in report.stats]


def timed(action: Callable[[], Any]) -> float:
    """Milliseconds of one call: the median of several, after one to warm up."""
    action()
    times = []
    for _ in range(TIMED_RUNS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e3


def largest_difference(ours: dict[str, Any], theirs: list[Any]) -> float:
    """Largest absolute difference over all outputs; infinite if a shape or type differs."""
    import numpy as np

    worst = 0.0
    for value, other in zip(ours.values(), theirs):
        if np.shape(value) != np.shape(other) or np.asarray(value).dtype != np.asarray(other).dtype:
            return float("inf")
        if np.size(value):
            with np.errstate(invalid="ignore"):
                gap = np.abs(np.asarray(value, np.float64) - np.asarray(other, np.float64))
            same = (np.asarray(value) == np.asarray(other)) | (np.isnan(value) & np.isnan(other))
            worst = max(worst, float(np.where(same, 0.0, gap).max()))
    return worst


def write_results(graph: Any, report: Any, folder: pathlib.Path) -> list[pathlib.Path]:
    """The split model for a viewer, and a picture of the parts."""
    from ge.onnx import save_model
    from ge.partition import part_graph_svg

    folder.mkdir(parents=True, exist_ok=True)
    model, picture = folder / "partitioned.onnx", folder / "parts.svg"
    svg = part_graph_svg(report)
    save_model(graph, model)
    picture.write_text(svg, encoding="utf-8")
    return [model, picture]


def tell_parts(graph: Any, report: Any) -> None:
    """The split in words."""
    say(f"  {report.summary()}")
    for part in report.parts:
        say(f"    {part.kind:8} {part.nodes:5} nodes  {part.name}: {part.reason}")


def job(args: argparse.Namespace) -> dict[str, Any]:
    """All steps; the result is what ``--json`` prints."""
    from ge.onnx import infer_shapes, to_model_proto
    from ge.partition import DynamicShapePartitioner
    from ge.runtime import compile_model

    is_detector = args.model is None
    say("1. import")
    graph = load_model(args.model)
    original = to_model_proto(graph).SerializeToString()
    say(f"    {graph.name}: {graph.node_count} nodes; inputs {graph.input_names}, outputs {graph.output_names}")
    say("2. passes")
    before = graph.node_count
    passes = run_passes(graph, args.passes or [HERE / "passes"])
    for row in passes:
        say(f"    {row['name']}: {row['matches']} matches, {row['rewrites']} rewrites")
    say("    (a pass over the whole graph counts a changed graph as one rewrite)")
    say(f"    {before} nodes before, {graph.node_count} after")
    say("3. split")
    infer_shapes(graph)
    report = DynamicShapePartitioner().partition(graph)
    tell_parts(graph, report)
    say("4. compile and run")
    compiled = compile_model(graph)
    feed = make_feed(original, is_detector)
    ours = compiled.run(feed)
    plain = plain_session(original)
    theirs = plain.run(None, feed)
    difference = largest_difference(ours, theirs)
    run_ms = timed(lambda: compiled.run(feed))
    ort_ms = timed(lambda: plain.run(None, feed))
    for name, value in ours.items():
        say(f"    {name}: {getattr(value, 'dtype', type(value).__name__)} {list(getattr(value, 'shape', ()))}")
    say(f"    largest difference from ONNX Runtime: {difference:.3g}")
    say(f"    one run: {run_ms:.1f} ms in parts, {ort_ms:.1f} ms plain ONNX Runtime with its optimisation on")
    say("5. files")
    for path in write_results(graph, report, args.out):
        say(f"    {path}")
    parts = [{"name": part.name, "kind": part.kind, "nodes": part.nodes} for part in compiled.parts]
    name = "yolox_nms" if is_detector else args.model.stem
    return {
        "model": name,
        "passes": passes,
        "parts": parts,
        "max_abs_diff": difference,
        "run_ms": round(run_ms, 3),
        "ort_ms": round(ort_ms, 3),
    }


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", type=pathlib.Path, metavar="FILE", help="an ONNX model instead of the detector")
    parser.add_argument("--passes", type=pathlib.Path, action="append", metavar="PATH", help="pass file or folder")
    parser.add_argument(
        "--out", type=pathlib.Path, default=ROOT / "build" / "demo", metavar="DIR", help="folder for results"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    return parser.parse_args()


def main() -> int:
    """Runs the job; any expected failure is one line on standard error and exit code 1."""
    args = arguments()
    sys.path[:0] = [str(HERE), str(ROOT / "tools" / "models")]
    from ge.error import GeError

    try:
        result = job(args)
    except (DemoError, GeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if args.json:
        say(json.dumps(result))
    if result["max_abs_diff"] > LARGEST_DIFFERENCE:
        found = result["max_abs_diff"]
        print(f"error: the outputs differ by {found:.3g}, more than {LARGEST_DIFFERENCE:g}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
