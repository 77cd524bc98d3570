"""`PatternInputs`: the graph inputs of a pattern or a replacement, made when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NoReturn

from ge.graph import InputType

if TYPE_CHECKING:
    from ge.es import GraphBuilder, TensorHolder

__all__ = ["PatternInputs"]

_OUTPUT = 1  # ge_ir_scope
_UNDEFINED, _ND = 28, 2  # ge_ir_dtype, format number
# Descriptor of a value of which nothing is known (DescItem of ge.graph).
_UNKNOWN = (_UNDEFINED, _ND, _ND, 0, (), None, 0, (), None)


class PatternInputs:
    """``inputs[i]`` is input ``i``; ``inputs[:n]`` is the list of the first ``n``.

    Asking for input ``i`` makes inputs 0 to ``i``, so that they have no gap.
    """

    __slots__ = ("_builder", "_created", "_describe")

    def __init__(self, builder: GraphBuilder, describe: Callable[[int], Any] | None = None) -> None:
        """Makes inputs in a builder.

        Args:
            builder: Where the inputs are made.
            describe: Descriptor (a ``DescItem`` of `ge.graph`) of an input by index; ``None`` where nothing is known.
        """
        self._builder = builder
        self._created: list[TensorHolder] = []
        self._describe = describe

    def __getitem__(self, key: Any) -> Any:
        """One input, or the list of a slice with an explicit end.

        Raises:
            TypeError: The index is no int.
            ValueError: A negative index; a slice without end, with a step, or with a negative or crossed bound.
        """
        if isinstance(key, slice):
            return self._slice(key)
        if isinstance(key, bool) or not hasattr(key, "__index__"):
            raise TypeError(f"inputs must be indexed with int or a slice, found {type(key).__name__}: {key!r}")
        index = int(key)
        if index < 0:
            raise ValueError(f"inputs[{index}]: the number of inputs is not known, so a negative index means nothing")
        self._make(index + 1)
        return self._created[index]

    def _slice(self, key: slice) -> list[Any]:
        if key.stop is None:
            raise ValueError("inputs[...:]: a slice needs an end, because the number of inputs is not known")
        if key.step not in (None, 1):
            raise ValueError(f"inputs[::{key.step}]: the step of a slice must be 1")
        start = 0 if key.start is None else key.start
        for bound in (start, key.stop):
            if isinstance(bound, bool) or not isinstance(bound, int):
                raise TypeError(f"bounds of a slice of inputs must be int, found {type(bound).__name__}: {bound!r}")
        if start < 0 or key.stop < start:
            raise ValueError(f"inputs[{start}:{key.stop}]: bounds must be 0 or more and in order")
        self._make(key.stop)
        return self._created[start : key.stop]

    def _make(self, count: int) -> None:
        for index in range(len(self._created), count):
            holder = self._builder.create_input(index, type_str=InputType.DATA)
            item = None if self._describe is None else self._describe(index)
            holder.node._desc_set(_OUTPUT, 0, _UNKNOWN if item is None else item)
            self._created.append(holder)

    def __iter__(self) -> NoReturn:
        raise TypeError("inputs cannot be iterated: their number is not known; use inputs[:n]")

    def __len__(self) -> NoReturn:
        raise TypeError("inputs has no length: their number is not known; created() lists those asked for")

    def __contains__(self, item: object) -> bool:
        return any(item is holder for holder in self._created)

    def created(self) -> list[TensorHolder]:
        """The inputs made so far, by index."""
        return list(self._created)
