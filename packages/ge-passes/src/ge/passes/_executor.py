"""`PassExecutor`: runs registered passes, whatever language they are written in."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from typing import Any, NoReturn

from ge.graph import Graph
from ge.passes import _bridge, _plugins
from ge.passes._abi import AbiError, GeStatus
from ge.passes._errors import PassError, error_of
from ge.passes._library import api
from ge.passes._native_registry import find, pending
from ge.passes._registry import PassDescriptor, get_registered_passes, make_descriptor, natural_kind, registry
from ge.passes._report import PassReport, PassStat
from ge.passes._route import route
from ge.passes._stage import PassStage

__all__ = ["PassExecutor", "apply_pass", "run_passes"]

_registering = threading.RLock()
_seen_version = -1


def _register_pending() -> None:
    """Makes the native registry know every registered Python pass."""
    global _seen_version
    if registry.version == _seen_version:
        return
    with _registering:  # of two threads that see the same pass missing, one registers it
        version = registry.version
        missing = pending(get_registered_passes())
        if missing:
            route().register(missing)
        _seen_version = version


def _release(handle: int) -> None:
    try:
        api().call.executor_release(handle)
    except AbiError as error:
        if error.status != GeStatus.SHUTDOWN:
            raise


class PassExecutor:
    """Runs passes over graphs; one object of each pass class lives as long as the executor.

    Use it in a ``with`` statement, or drop it: both end the pass objects. Not for use by several threads at once.
    """

    def __init__(self, options: Mapping[str, str] | None = None, *, discover: bool = True) -> None:
        """Makes an executor.

        Args:
            options: Options that passes read through their context. ``pass.<name>`` = ``on`` or ``off`` switches one
                pass; ``max_rewrites`` bounds the rewrites of one pass on one graph.
            discover: Load the plug-ins first (see `ge.passes.bootstrap`); those that do not load are logged and stand
                in the report.

        Raises:
            TypeError: An option is no str.
            RuntimeError: An option has a value that is not accepted.
        """
        failures = _plugins.discover().failures if discover else []
        self._failures = tuple(failures)
        self._changed = False
        call = api().call
        self._handle: int = call.executor_create()
        self._finalizer = weakref.finalize(self, _release, self._handle)
        for key, value in (options or {}).items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"options must be str to str, found {key!r}: {value!r}")
            _checked(call.executor_set_option, self._handle, key, value)

    def run(self, graph: Graph, stage: PassStage) -> PassReport:
        """Runs the enabled passes of a stage in order of registration over the graph and its subgraphs.

        Raises:
            TypeError: An argument has the wrong type.
            PassError: A pass failed: the text names pass, pattern and node and has the traceback; ``__cause__`` is what
                the hook raised. What earlier passes did stays, the failing one is rolled back.
            RuntimeError: The graph has expired, a pass cannot be registered, or the executor was closed.
        """
        handle = self._prepare(graph)
        if not isinstance(stage, PassStage):
            raise TypeError(f"stage must be a PassStage, found {type(stage).__name__}: {stage!r}")
        _register_pending()
        self._changed = bool(_checked(api().call.executor_run, self._handle, handle, stage.number))
        return self.report()

    def run_pass(self, graph: Graph, name: str) -> PassReport:
        """Runs one registered pass, whatever its stage and switch.

        Raises:
            KeyError: No pass has that name.
            PassError: The pass failed; it is rolled back.
        """
        handle = self._prepare(graph)
        _register_pending()
        found = find(name)
        if found is None:
            known = ", ".join(item.pass_name for item in get_registered_passes()) or "none"
            raise KeyError(f"no pass is named {name!r}; registered Python passes: {known}")
        self._changed = bool(_checked(api().call.executor_run_pass, self._handle, found[0], handle))
        return self.report()

    def _prepare(self, graph: Any) -> int:
        if not isinstance(graph, Graph):
            raise TypeError(f"graph must be a Graph, found {type(graph).__name__}: {graph!r}")
        if not self._handle:
            raise RuntimeError("the executor was closed")
        if not graph._handle:
            raise RuntimeError("Graph has expired: it was moved away")
        return graph._handle

    def report(self) -> PassReport:
        """What all runs so far did."""
        call = api().call
        rows = [call.executor_stat(self._handle, row) for row in range(call.executor_stat_count(self._handle))]
        return PassReport(tuple(_stat(row) for row in rows), self._changed, self._failures)

    def close(self) -> None:
        """Ends the pass objects and the executor; more calls do nothing."""
        self._handle = 0
        self._finalizer()

    def __enter__(self) -> PassExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _stat(row: Any) -> PassStat:
    # The name is a borrowed view: copied here, before the executor runs again.
    name = bytes(row.name[: row.name_size]).decode("utf-8", "surrogateescape") if row.name_size else ""
    stage = PassStage.of_number(row.stage)
    return PassStat(name, row.matches, row.rewrites, row.skipped, row.nanoseconds / 1e9, row.graphs, stage)


def _checked(slot: Any, *arguments: Any) -> Any:
    _bridge.take_failure()
    try:
        return slot(*arguments)
    except AbiError as error:
        _raise(error, _bridge.take_failure())


def _raise(error: AbiError, cause: BaseException | None) -> NoReturn:
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # KeyboardInterrupt, SystemExit: no failure of a pass
    raised = error_of(error.status, error.message, error.slot)
    raise raised from (cause if isinstance(raised, PassError) else None)


def run_passes(graph: Graph, stage: PassStage, options: Mapping[str, str] | None = None) -> PassReport:
    """Runs the enabled passes of one stage, Python and native ones, over a graph; see `PassExecutor`."""
    with PassExecutor(options) as executor:
        return executor.run(graph, stage)


def apply_pass(graph: Graph, pass_class: type, options: Mapping[str, str] | None = None) -> PassReport:
    """Runs one pass class over a graph, registered or not: a unit test of a pass in three lines.

    Raises:
        TypeError: The class is no pass.
        PassError: The pass failed; the graph is as it was.
    """
    descriptor = _descriptor_of(pass_class)
    with PassExecutor(options, discover=False) as executor:
        if registry.by_key.get(descriptor.descriptor_key) is descriptor:
            return executor.run_pass(graph, descriptor.pass_name)
        return _run_lent(executor, graph, descriptor)


def _run_lent(executor: PassExecutor, graph: Graph, descriptor: PassDescriptor) -> PassReport:
    with _bridge.lending(descriptor):
        route().register([descriptor])
        try:
            return executor.run_pass(graph, descriptor.pass_name)
        finally:
            executor_found = find(descriptor.pass_name)
            executor.close()
            if executor_found is not None:
                api().call.pass_unregister(executor_found[0])


def _descriptor_of(pass_class: Any) -> PassDescriptor:
    from ge.passes._bases import FusionBasePass

    if not isinstance(pass_class, type) or not issubclass(pass_class, FusionBasePass):
        raise TypeError(f"apply_pass takes a class derived from FusionBasePass, found {pass_class!r}")
    known: PassDescriptor | None = vars(pass_class).get("__ge_pass_descriptor__")
    if known is not None:
        return known
    op_types = getattr(pass_class, "op_types", None) or ()
    return make_descriptor(
        pass_class, pass_class.__name__, PassStage.BEFORE_INFER_SHAPE, natural_kind(pass_class), op_types
    )
