"""Python passes by descriptor, in order of registration."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ge.passes._bases import DecomposePass, FusionBasePass, PatternFusionPass
from ge.passes._stage import PassStage

__all__ = [
    "KINDS",
    "PassDescriptor",
    "clear_registered_passes",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "register_decompose_pass",
    "register_fusion_pass",
    "unregister_pass",
]

KINDS = {"fusion_base": 1, "pattern_fusion": 2, "decompose": 3}  # ge_passes_kind
_Class = TypeVar("_Class", bound=type)


@dataclass(frozen=True)
class PassDescriptor:
    """Who a pass class is.

    Attributes:
        descriptor_key: ``module:class:name``; unique.
        pass_name: Name the pass is registered under; unique.
        module_name: Module of the class.
        class_name: Name of the class.
        stage: When it runs.
        kind: ``fusion_base``, ``pattern_fusion`` or ``decompose``.
        op_types: Operator types of a decompose pass.
        cls: The class.
    """

    descriptor_key: str
    pass_name: str
    module_name: str
    class_name: str
    stage: PassStage
    kind: str
    op_types: tuple[str, ...] = ()
    cls: type = field(default=object, repr=False, compare=False)

    def to_bridge_dict(self) -> dict[str, Any]:
        """Plain form: everything but the class; the stage as text."""
        return {
            "descriptor_key": self.descriptor_key,
            "pass_name": self.pass_name,
            "module_name": self.module_name,
            "class_name": self.class_name,
            "stage": self.stage.value,
            "kind": self.kind,
            "op_types": list(self.op_types),
        }


class _Registry:
    """The descriptors of this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.by_key: dict[str, PassDescriptor] = {}
        self.by_name: dict[str, PassDescriptor] = {}
        self.version = 0

    def add(self, descriptor: PassDescriptor) -> None:
        """Adds one; ``ValueError`` if its name or key is taken."""
        with self.lock:
            holder = self.by_name.get(descriptor.pass_name) or self.by_key.get(descriptor.descriptor_key)
            if holder is not None:
                raise ValueError(
                    f"pass name {descriptor.pass_name!r} of {descriptor.module_name}.{descriptor.class_name} "
                    f"is already taken by {holder.module_name}.{holder.class_name}; choose another name"
                )
            self.by_key[descriptor.descriptor_key] = descriptor
            self.by_name[descriptor.pass_name] = descriptor
            self.version += 1

    def discard(self, descriptor: PassDescriptor) -> None:
        """Removes one if it is there."""
        with self.lock:
            if self.by_key.pop(descriptor.descriptor_key, None) is not None:
                del self.by_name[descriptor.pass_name]
                self.version += 1

    def touch(self) -> None:
        """Makes the next run compare with the native registry again."""
        with self.lock:
            self.version += 1


registry = _Registry()


def make_descriptor(cls: type, name: str, stage: PassStage, kind: str, op_types: Iterable[str] = ()) -> PassDescriptor:
    """The descriptor of a class under a name."""
    key = f"{cls.__module__}:{cls.__name__}:{name}"
    return PassDescriptor(key, name, cls.__module__, cls.__name__, stage, kind, tuple(op_types), cls)


def natural_kind(cls: type) -> str:
    """The kind that follows from the base class."""
    if issubclass(cls, PatternFusionPass):
        return "pattern_fusion"
    return "decompose" if issubclass(cls, DecomposePass) else "fusion_base"


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"pass name must be str, found {type(name).__name__}: {name!r}")
    if not name:
        raise ValueError("pass name must not be empty")
    return name


def _checked_stage(stage: Any) -> PassStage:
    if not isinstance(stage, str):
        raise TypeError(f"stage must be a PassStage, found {type(stage).__name__}: {stage!r}")
    try:
        return PassStage(stage)
    except ValueError:
        known = ", ".join(item.value for item in PassStage)
        raise ValueError(f"unknown stage {stage!r}; expected a PassStage: {known}") from None


def _checked_class(cls: Any, base: type, decorator: str) -> None:
    if not isinstance(cls, type) or not issubclass(cls, base):
        raise TypeError(f"{decorator} decorates subclasses of {base.__name__}, found {cls!r}")


def register_fusion_pass(*, name: str, stage: PassStage, kind: str | None = None) -> Callable[[_Class], _Class]:
    """Class decorator that registers a `FusionBasePass` or `PatternFusionPass`.

    Args:
        name: Unique name, by which the pass is switched on and off and reported.
        stage: When it runs.
        kind: ``fusion_base`` or ``pattern_fusion``; follows from the base class and need not be given.

    Raises:
        TypeError: The class is no subclass of `FusionBasePass`, or one of `DecomposePass`; wrong argument types.
        ValueError: The name or the descriptor key is taken; the kind does not fit the class; the stage is unknown.
    """
    checked, when = _checked_name(name), _checked_stage(stage)

    def decorate(cls: _Class) -> _Class:
        _checked_class(cls, FusionBasePass, "register_fusion_pass")
        if issubclass(cls, DecomposePass):
            raise TypeError(f"{cls.__qualname__} is a DecomposePass; register it with register_decompose_pass")
        natural = natural_kind(cls)
        if kind is not None and kind != natural:
            raise ValueError(f"kind {kind!r} does not fit {cls.__qualname__}, which is a pass of kind {natural!r}")
        return _add(cls, make_descriptor(cls, checked, when, natural))

    return decorate


def register_decompose_pass(*, name: str, stage: PassStage, op_types: Iterable[str]) -> Callable[[_Class], _Class]:
    """Class decorator that registers a `DecomposePass`; sets its ``op_types``.

    Args:
        name: Unique name.
        stage: When it runs.
        op_types: Operator types it replaces.

    Raises:
        TypeError: The class is no `DecomposePass`; ``op_types`` is a str, not iterable, or has an element that is no
            str or empty.
        ValueError: ``op_types`` is empty; the name or the descriptor key is taken; the stage is unknown.
    """
    checked, when = _checked_name(name), _checked_stage(stage)
    types = _checked_op_types(op_types)

    def decorate(cls: _Class) -> _Class:
        _checked_class(cls, DecomposePass, "register_decompose_pass")
        _add(cls, make_descriptor(cls, checked, when, "decompose", types))
        cls.op_types = list(types)  # type: ignore[attr-defined]
        return cls

    return decorate


def _checked_op_types(op_types: Any) -> list[str]:
    if isinstance(op_types, (str, bytes)) or not isinstance(op_types, Iterable):
        raise TypeError(f"op_types must be a list of str, found {type(op_types).__name__}: {op_types!r}")
    types = list(op_types)
    for position, item in enumerate(types):
        if not isinstance(item, str) or not item:
            raise TypeError(f"op_types[{position}] must be a non-empty str, found {item!r}")
    if not types:
        raise ValueError("op_types is empty: the pass would never run")
    return types


def _add(cls: _Class, descriptor: PassDescriptor) -> _Class:
    registry.add(descriptor)
    cls.__ge_pass_descriptor__ = descriptor  # type: ignore[attr-defined]
    return cls


def get_registered_passes() -> list[PassDescriptor]:
    """Descriptors in order of registration."""
    with registry.lock:
        return list(registry.by_key.values())


def get_registered_pass_dicts() -> list[dict[str, Any]]:
    """Descriptors in plain form, in order of registration."""
    return [descriptor.to_bridge_dict() for descriptor in get_registered_passes()]


def get_registered_pass_by_descriptor_key(key: str) -> PassDescriptor | None:
    """The descriptor of that key, or ``None``."""
    return registry.by_key.get(key)


def unregister_pass(key: str) -> bool:
    """Removes the pass of a descriptor key; ``False`` if there is none.

    Raises:
        RuntimeError: An executor holds an instance of it.
    """
    from ge.passes._native_registry import unregister

    descriptor = registry.by_key.get(key)
    if descriptor is None:
        return False
    unregister([descriptor])
    registry.discard(descriptor)
    return True


def clear_registered_passes() -> None:
    """Removes every Python pass.

    Raises:
        RuntimeError: Executors hold instances of some (the text names them); those stay, the others are gone.
    """
    from ge.passes._native_registry import unregister

    descriptors = get_registered_passes()
    try:
        unregister(descriptors)
    except RuntimeError:
        from ge.passes._native_registry import is_registered

        descriptors = [item for item in descriptors if not is_registered(item)]
        raise
    finally:
        for descriptor in descriptors:
            registry.discard(descriptor)
