"""How strictly a pattern is compared with the graph."""

from __future__ import annotations

from ge.passes._abi import GePassesMatchFlags

__all__ = ["PatternMatcherConfig", "PatternMatcherConfigBuilder"]


class PatternMatcherConfig:
    """Immutable matcher configuration; made by `PatternMatcherConfigBuilder`."""

    __slots__ = ("_flags",)

    _flags: int

    def __init__(self, flags: int = 0) -> None:
        """Takes ``ge_passes_match_flags``; users call the builder instead."""
        object.__setattr__(self, "_flags", int(GePassesMatchFlags(flags)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"PatternMatcherConfig cannot be changed; build a new one to set {name!r}")

    def __eq__(self, other: object) -> bool:
        return self._flags == other._flags if isinstance(other, PatternMatcherConfig) else NotImplemented

    def __hash__(self) -> int:
        return hash((PatternMatcherConfig, self._flags))

    def __repr__(self) -> str:
        const, attr = self.is_enable_const_value_match(), self.is_enable_ir_attr_match()
        return f"PatternMatcherConfig(const_value_match={const}, ir_attr_match={attr})"

    def is_enable_const_value_match(self) -> bool:
        """Whether constants must be equal: dtype, shape and bytes."""
        return bool(self._flags & GePassesMatchFlags.CONST_VALUE)

    def is_enable_ir_attr_match(self) -> bool:
        """Whether attributes must be equal by name and value."""
        return bool(self._flags & GePassesMatchFlags.IR_ATTR)


class PatternMatcherConfigBuilder:
    """``PatternMatcherConfigBuilder().enable_const_value_match().build()``."""

    __slots__ = ("_flags",)

    def __init__(self) -> None:
        self._flags = 0

    def enable_const_value_match(self) -> PatternMatcherConfigBuilder:
        """Constants must be equal: dtype, shape and bytes."""
        self._flags |= GePassesMatchFlags.CONST_VALUE
        return self

    def enable_ir_attr_match(self) -> PatternMatcherConfigBuilder:
        """Attributes must be equal by name and value."""
        self._flags |= GePassesMatchFlags.IR_ATTR
        return self

    def build(self) -> PatternMatcherConfig:
        """The configuration chosen so far."""
        return PatternMatcherConfig(self._flags)
