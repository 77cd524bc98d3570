"""Python passes without an artifact set: callbacks made with ctypes, which take the GIL by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_uint32, c_uint64, py_object, pythonapi
from itertools import count
from typing import Any

from ge.passes import _abi, _bridge
from ge.passes._abi import AbiError, GeStatus, set_error
from ge.passes._errors import error_of
from ge.passes._registry import KINDS, PassDescriptor
from ge.passes._slots import library, raw

__all__ = ["CtypesRoute"]

_keys = count(1)
_instances = count(1)
_descriptor_keys: dict[int, str] = {}  # by the `user` number of a registration


def _failed(error: BaseException, p_error: int | None) -> int:
    return set_error(p_error, GeStatus.CALLBACK_FAILED, _bridge.describe_failure(error))


# Exceptions must not leave a callback: ctypes would print and drop them. Hence BaseException everywhere.


def _create(user: int, _pass: int, p_instance: int, p_error: int | None) -> int:
    try:
        number = next(_instances)
        _bridge.create_pass_holder(number, _descriptor_keys[user])
        c_uint64.from_address(p_instance).value = number
    except BaseException as error:
        return _failed(error, p_error)
    return 0


def _destroy(_user: int, instance: int) -> None:
    _bridge.destroy_pass_holder(instance)


def _run(_user: int, instance: int, graph: int, context: int, p_error: int | None) -> int:
    try:
        _bridge.run_fusion_base_pass(instance, graph, context)
    except BaseException as error:
        return _failed(error, p_error)
    return 0


def _patterns(_user: int, instance: int, context: int, p_error: int | None) -> int:
    try:
        handles = _bridge.get_pass_patterns(instance)
    except BaseException as error:
        return _failed(error, p_error)
    for position, handle in enumerate(handles):
        status = raw.context_add_pattern(context, handle, p_error)
        if status:
            for rest in handles[position:]:
                raw.pattern_release(rest, None)
            return int(status)
    return 0


def _meet(_user: int, instance: int, subject: int, context: int, p_accepted: int, p_error: int | None) -> int:
    try:
        c_uint32.from_address(p_accepted).value = _bridge.call_meet_requirements(instance, subject, context)
    except BaseException as error:
        return _failed(error, p_error)
    return 0


def _replacement(_user: int, instance: int, subject: int, context: int, p_graph: int, p_error: int | None) -> int:
    try:
        c_uint64.from_address(p_graph).value = _bridge.call_replacement(instance, subject, context)
    except BaseException as error:
        return _failed(error, p_error)
    return 0


def _drop(user: int, _pop: Any = _descriptor_keys.pop) -> None:
    _pop(user, None)


_CREATE = _abi.ge_passes_create_fn(_create)
_DESTROY = _abi.ge_passes_destroy_fn(_destroy)
_RUN = _abi.ge_passes_run_fn(_run)
_PATTERNS = _abi.ge_passes_patterns_fn(_patterns)
_MEET = _abi.ge_passes_meet_fn(_meet)
_REPLACEMENT = _abi.ge_passes_replacement_fn(_replacement)
_DROP = _abi.ge_passes_drop_fn(_drop)
# The library keeps the addresses: the callbacks must outlive this module, so a reference to each is given up for good.
for _callback in (_CREATE, _DESTROY, _RUN, _PATTERNS, _MEET, _REPLACEMENT, _DROP):
    pythonapi.Py_IncRef(py_object(_callback))


def _symbols(op_types: Sequence[str]) -> Any:
    from ge.graph import _base

    return (c_uint32 * len(op_types))(*[_base.symbol(name) for name in op_types])


def _native_desc(descriptor: PassDescriptor) -> _abi.ge_passes_pass_desc:
    name, key = descriptor.pass_name.encode(), descriptor.descriptor_key.encode()
    return _abi.ge_passes_pass_desc(
        kind=KINDS[descriptor.kind],
        stage=descriptor.stage.number,
        enabled=1,
        name=_abi.bytes_pointer(name),
        name_size=len(name),
        descriptor_key=_abi.bytes_pointer(key),
        descriptor_key_size=len(key),
        op_types=_symbols(descriptor.op_types),
        op_type_count=len(descriptor.op_types),
    )


def _native_callbacks(descriptor: PassDescriptor, user: int) -> _abi.ge_passes_callbacks:
    callbacks = _abi.ge_passes_callbacks(user=user, create=_CREATE, destroy=_DESTROY, drop=_DROP)
    if descriptor.kind == "fusion_base":
        callbacks.run = _RUN
        return callbacks
    callbacks.meet_requirements, callbacks.replacement = _MEET, _REPLACEMENT
    if descriptor.kind == "pattern_fusion":
        callbacks.patterns = _PATTERNS
    return callbacks


class CtypesRoute:
    """Registers passes with callbacks that ctypes makes."""

    name = "ctypes"

    def register(self, descriptors: Sequence[PassDescriptor]) -> None:
        """Registers all or none.

        Raises:
            RuntimeError: The native registry refused one, for example because its name is taken; the text says why.
        """
        done: list[int] = []
        try:
            for descriptor in descriptors:
                done.append(self._register(descriptor))
        except AbiError as error:
            for handle in done:
                library.call.pass_unregister(handle)
            raise error_of(error.status, error.message, error.slot) from None

    def _register(self, descriptor: PassDescriptor) -> int:
        user = next(_keys)
        _descriptor_keys[user] = descriptor.descriptor_key
        try:
            handle: int = library.call.pass_register(_native_desc(descriptor), _native_callbacks(descriptor, user))
        except AbiError:
            _descriptor_keys.pop(user, None)
            raise
        return handle
