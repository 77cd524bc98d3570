"""Short ways to use the ge_passes table from tests: graphs as text, passes as Python functions."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import pytest
from ge.graph import _abi as ir_abi
from ge.graph import _library as ir_library
from ge.passes import _abi, _library
from ge.passes._abi import AbiError, GePassesKind, GePassesStage, GeStatus

FUSION_BASE, PATTERN, DECOMPOSE = GePassesKind.FUSION_BASE, GePassesKind.PATTERN_FUSION, GePassesKind.DECOMPOSE
BEFORE, AFTER = GePassesStage.BEFORE_INFER_SHAPE, GePassesStage.AFTER_INFER_SHAPE
CONST_VALUE, IR_ATTR = 1, 2
DEAD = [0, 1, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, *(kind << 56 for kind in range(1, 12)), 200 << 56]

Replacement = Union[str, Callable[[int, int], int]]


class Recorder:
    """What the callbacks of one pass saw, and what keeps them alive."""

    def __init__(self) -> None:
        self.created: list[int] = []
        self.destroyed: list[int] = []
        self.dropped = 0
        self.accepted: list[Any] = []
        self.keep: list[Any] = []


class Passes:
    """Both tables with Python values."""

    def __init__(self) -> None:
        self.api = _library.api()
        self.call, self.raw = self.api.call, self.api.raw
        self.ir_api = ir_abi.load(ir_library.find_library())
        self.ir = self.ir_api.call
        self.graphs: list[int] = []
        self.patterns: list[int] = []
        self.executors: list[int] = []
        self.passes: list[int] = []
        self.keep: list[Any] = []
        self.instances = 0

    def release_all(self) -> None:
        for slot, handles in (
            (self.call.executor_release, self.executors),
            (self.call.pass_unregister, self.passes),
            (self.call.pattern_release, self.patterns),
            (self.ir.graph_release, self.graphs),
        ):
            for handle in handles:
                with contextlib.suppress(AbiError, ir_abi.AbiError):
                    slot(handle)

    def live(self) -> tuple[int, ...]:
        stats = self.ir.library_stats()
        return stats.graphs, stats.nodes, stats.tensors, stats.blobs, len(self.call.pass_list())

    @contextlib.contextmanager
    def fails(self, status: GeStatus, *parts: str) -> Iterator[None]:
        """The block must fail with that status and a message that has every part."""
        with pytest.raises(AbiError) as caught:
            yield
        assert caught.value.status == status, str(caught.value)
        for part in parts:
            assert part in caught.value.message, caught.value.message

    # --- graphs

    def graph(self, text: str) -> int:
        graph = self.loose(text)
        self.graphs.append(graph)
        return graph

    def loose(self, text: str) -> int:
        """A graph that the test gives away."""
        if not text.startswith("graph"):
            text = "graph " + text
        return self.ir.graph_parse(text, "test")

    def text(self, graph: int) -> str:
        blob = self.ir.graph_print(graph, 0)
        text = self.ir.blob_view(blob).decode()
        self.ir.blob_release(blob)
        return text

    def body(self, graph: int) -> list[str]:
        """Statements of a graph as printed, without comments, types and provenance."""
        lines = []
        for line in self.text(graph).splitlines():
            line = line.split("  #")[0].strip()
            if "{_origin_nodes" in line:
                line = line[: line.index(" {_origin_nodes")]
            if line and not line.startswith(("graph", ") {", "}", "opset")):
                lines.append(line)
        return lines

    def node(self, graph: int, name: str) -> int:
        return self.ir.graph_find_node(graph, name)

    def names(self, graph: int) -> list[str]:
        return [self.ir.node_name(node) for node in self.ir.graph_nodes(graph, 0)]

    def types(self, graph: int) -> list[str]:
        return [self.ir.symbol_text(self.ir.node_op(node)[0]) for node in self.ir.graph_nodes(graph, 0)]

    def strings(self, node: int, key: str) -> list[str]:
        value = self.ir.attr_get(node, 0, 0, key)
        assert value.kind == 18
        ends = [value.offsets[i] for i in range(value.count + 1)]
        data = ctypes.string_at(value.data, ends[-1])
        return [data[a:b].decode() for a, b in zip(ends, ends[1:])]

    # --- patterns

    def pattern(self, text: str, flags: int = 0, captures: Sequence[tuple[str, int]] = ()) -> int:
        graph = self.loose(text)
        try:
            pattern = self.call.pattern_create(graph)
        except AbiError:
            self.ir.graph_release(graph)
            raise
        if flags:
            self.call.pattern_set_flags(pattern, flags)
        for name, index in captures:
            self.call.pattern_capture(pattern, self.node(graph, name), index)
        self.patterns.append(pattern)
        return pattern

    def matches(
        self, pattern: Union[int, str], graph: Union[int, str], flags: int = 0, most: int = 0
    ) -> list[list[str]]:
        """Names of the matched nodes of every match."""
        pattern = self.pattern(pattern, flags) if isinstance(pattern, str) else pattern
        graph = self.graph(graph) if isinstance(graph, str) else graph
        return self.visit(pattern, graph, lambda m: [self.ir.node_name(n) for n in self.call.match_nodes(m)], most)

    def visit(self, pattern: int, graph: int, read: Callable[[int], Any], most: int = 0) -> list[Any]:
        found: list[Any] = []

        def visit(_user: Any, match: int, stop: Any, _error: Any) -> int:
            found.append(read(match))
            ctypes.c_uint32.from_address(stop).value = len(found) == most
            return 0

        self.call.find_matches(pattern, graph, _abi.ge_passes_match_fn(visit), None)
        return found

    # --- passes

    def register(
        self,
        name: str,
        kind: int = PATTERN,
        patterns: Sequence[str] = (),
        replacement: Optional[Replacement] = None,
        meet: Optional[Callable[[int, int], Any]] = None,
        run: Optional[Callable[[int, int], Any]] = None,
        stage: int = BEFORE,
        flags: int = 0,
        op_types: Sequence[str] = (),
        enabled: int = 1,
        key: str = "",
    ) -> Recorder:
        """Registers a pass made of Python functions; an exception in one becomes its error."""
        seen = Recorder()

        def guard(p_error: Any, body: Callable[[], Any]) -> int:
            try:
                body()
            except AbiError as error:
                return _abi.set_error(p_error, error.status, error.message)
            except Exception as error:
                return _abi.set_error(p_error, GeStatus.CALLBACK_FAILED, f"{type(error).__name__}: {error}")
            return 0

        def on_create(_user: Any, _pass: int, out: int, p_error: Any) -> int:
            self.instances += 1
            number = self.instances

            def body() -> None:
                seen.created.append(number)
                ctypes.c_uint64.from_address(out).value = number

            return guard(p_error, body)

        def on_patterns(_user: Any, _instance: int, context: int, p_error: Any) -> int:
            def body() -> None:
                for text in patterns:
                    handle = self.pattern(text, flags)
                    self.call.context_add_pattern(context, handle)

            return guard(p_error, body)

        def on_meet(_user: Any, _instance: int, subject: int, context: int, out: int, p_error: Any) -> int:
            def body() -> None:
                answer = True if meet is None else meet(subject, context)
                ctypes.c_uint32.from_address(out).value = 1 if answer else 0

            return guard(p_error, body)

        def on_replacement(_user: Any, _instance: int, subject: int, context: int, out: int, p_error: Any) -> int:
            def body() -> None:
                assert replacement is not None
                graph = self.loose(replacement) if isinstance(replacement, str) else replacement(subject, context)
                ctypes.c_uint64.from_address(out).value = graph

            return guard(p_error, body)

        def on_run(_user: Any, _instance: int, graph: int, context: int, p_error: Any) -> int:
            return guard(p_error, lambda: run(graph, context) if run else None)

        def on_drop(_user: Any) -> None:
            seen.dropped += 1

        callbacks = _abi.ge_passes_callbacks(
            create=_abi.ge_passes_create_fn(on_create),
            destroy=_abi.ge_passes_destroy_fn(lambda _user, number: seen.destroyed.append(number)),
            drop=_abi.ge_passes_drop_fn(on_drop),
        )
        if kind == FUSION_BASE:
            callbacks.run = _abi.ge_passes_run_fn(on_run)
        else:
            callbacks.replacement = _abi.ge_passes_replacement_fn(on_replacement)
            if meet is not None:
                callbacks.meet_requirements = _abi.ge_passes_meet_fn(on_meet)
        if kind == PATTERN:
            callbacks.patterns = _abi.ge_passes_patterns_fn(on_patterns)
        desc = self.desc(name, kind, stage, op_types, enabled, key)
        self.keep += [callbacks, desc, seen]
        self.passes.append(self.call.pass_register(desc, callbacks))
        return seen

    def desc(
        self, name: str, kind: int, stage: int, op_types: Sequence[str] = (), enabled: int = 1, key: str = ""
    ) -> Any:
        symbols = [self.ir.symbol_intern(t) for t in op_types]
        text, key_text = name.encode(), (key or f"test:{name}").encode()
        return _abi.ge_passes_pass_desc(
            kind=kind,
            stage=stage,
            enabled=enabled,
            name=_abi.bytes_pointer(text),
            name_size=len(text),
            descriptor_key=_abi.bytes_pointer(key_text),
            descriptor_key_size=len(key_text),
            op_types=(ctypes.c_uint32 * len(symbols))(*symbols) if symbols else None,
            op_type_count=len(symbols),
        )

    def executor(self, **options: str) -> int:
        executor = self.call.executor_create()
        self.executors.append(executor)
        for key, value in options.items():
            self.call.executor_set_option(executor, key, value)
        return executor

    def run(self, graph: int, stage: int = BEFORE, executor: int = 0) -> int:
        return self.call.executor_run(executor or self.executor(), graph, stage)

    def rewrite(
        self, graph: Union[int, str], pattern: str, replacement: Replacement, flags: int = 0, **more: Any
    ) -> int:
        """Runs a pass of one pattern, once; gives the graph."""
        graph = self.graph(graph) if isinstance(graph, str) else graph
        self.register(f"pass{len(self.passes)}", patterns=[pattern], replacement=replacement, flags=flags, **more)
        executor = self.executor()
        self.call.executor_run_pass(executor, self.passes[-1], graph)
        return graph

    def stats(self, executor: int) -> list[tuple[Any, ...]]:
        """Rows (name, matches, rewrites, skipped, graphs)."""
        rows = [self.call.executor_stat(executor, i) for i in range(self.call.executor_stat_count(executor))]
        return [
            (ctypes.string_at(r.name, r.name_size).decode(), r.matches, r.rewrites, r.skipped, r.graphs) for r in rows
        ]
