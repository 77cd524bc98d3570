"""`Shape`: dimensions of a value, with what is not known said in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["Shape", "to_shape"]

UNKNOWN_DIM = -1
UNKNOWN_RANK = -2


class Shape:
    """Dimensions of a tensor: sizes, -1 where unknown, or ``[-2]`` for an unknown rank.

    A dimension may carry a symbol name: ``Shape([-1, 3], symbols=["batch", None])``; in ``dims`` a string
    stands for an unknown size of that name: ``Shape(["batch", 3])``. `Shape.unset()` is the shape of a
    value about which nothing was said; it reads as unknown rank.
    """

    __slots__ = ("_dims", "_symbols", "_unset")

    _dims: tuple[int, ...]
    _symbols: tuple[str | None, ...] | None
    _unset: bool

    def __init__(
        self, dims: Sequence[int | str] | Shape | None = None, symbols: Sequence[str | None] | None = None
    ) -> None:
        """Makes a shape; no argument: a scalar.

        Raises:
            TypeError: A dimension is no int (or symbol name).
            ValueError: A size is below -1 other than the sole ``[-2]``, or the counts of dims and symbols differ.
        """
        self._unset = False
        if isinstance(dims, Shape):
            self._dims, self._symbols, self._unset = dims._dims, dims._symbols, dims._unset
            return
        self._dims, self._symbols = _checked_dims(dims if dims is not None else ())
        if symbols is not None:
            self._symbols = _checked_symbols(symbols, self._dims)

    @classmethod
    def unset(cls) -> Shape:
        """The shape of a value about which nothing is said."""
        shape = cls([UNKNOWN_RANK])
        shape._unset = True
        return shape

    @classmethod
    def _of(cls, dims: tuple[int, ...], symbols: tuple[str | None, ...] | None) -> Shape:
        """A shape from checked parts."""
        shape = cls.__new__(cls)
        shape._dims, shape._symbols, shape._unset = dims, symbols, False
        return shape

    @property
    def is_unset(self) -> bool:
        """Whether nothing was ever said about this shape."""
        return self._unset

    @property
    def is_unknown_rank(self) -> bool:
        """Whether not even the rank is known."""
        return self._dims == (UNKNOWN_RANK,)

    @property
    def symbols(self) -> tuple[str | None, ...]:
        """Symbol name of each dimension, ``None`` where it has none."""
        return self._symbols or (None,) * len(self._dims)

    def get_dims(self) -> list[int]:
        """The dimensions as a list."""
        return list(self._dims)

    @property
    def dims(self) -> list[int]:
        """The dimensions as a list."""
        return list(self._dims)

    def get_dim_num(self) -> int:
        """Rank; 0 for a scalar and for an unknown rank."""
        return 0 if self.is_unknown_rank else len(self._dims)

    def get_dim(self, index: int) -> int:
        """One dimension.

        Raises:
            IndexError: There is no such dimension.
        """
        return self._dims[index]

    def get_shape_size(self) -> int:
        """Number of elements: 1 for a scalar, -1 when a dimension or the rank is unknown."""
        size = 1
        for dim in self._dims:
            if dim < 0:
                return -1
            size *= dim
        return size

    def is_unknown_shape(self) -> bool:
        """Whether any dimension, or the rank, is unknown."""
        return any(dim < 0 for dim in self._dims)

    def is_scalar(self) -> bool:
        """Whether the rank is 0."""
        return not self._dims

    def __len__(self) -> int:
        return len(self._dims)

    def __iter__(self) -> Iterator[int]:
        return iter(self._dims)

    def __getitem__(self, index: int) -> int:
        return self._dims[index]

    def __eq__(self, other: object) -> bool:
        """Equal sizes and symbols; a plain list or tuple is compared by its sizes."""
        if isinstance(other, Shape):
            return self._dims == other._dims and self.symbols == other.symbols and self._unset == other._unset
        if isinstance(other, (list, tuple)):
            return self._dims == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        if self._unset:
            return "Shape.unset()"
        shown = [name if name else dim for dim, name in zip(self._dims, self.symbols)]
        return f"Shape({shown})"


def _checked_dims(dims: Sequence[int | str]) -> tuple[tuple[int, ...], tuple[str | None, ...] | None]:
    if isinstance(dims, (str, bytes)) or not hasattr(dims, "__iter__"):
        raise TypeError(f"shape must be a list of int, found {type(dims).__name__}: {dims!r}")
    sizes: list[int] = []
    names: list[str | None] = []
    for position, dim in enumerate(dims):
        if isinstance(dim, str) and dim:
            sizes.append(UNKNOWN_DIM)
            names.append(dim)
            continue
        names.append(None)
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise TypeError(f"shape must be a list of int, found {dim!r} at position {position}")
        sizes.append(int(dim))
    _check_sizes(sizes)
    return tuple(sizes), (tuple(names) if any(names) else None)


def _check_sizes(sizes: list[int]) -> None:
    if sizes == [UNKNOWN_RANK]:
        return
    for position, size in enumerate(sizes):
        if not -1 <= size < 2**63:
            raise ValueError(
                f"shape {sizes} has {size} at position {position}; expected a size, -1 (unknown), "
                f"or [-2] alone (unknown rank)"
            )


def _checked_symbols(symbols: Sequence[str | None], dims: tuple[int, ...]) -> tuple[str | None, ...] | None:
    if len(symbols) != len(dims):
        raise ValueError(f"{len(symbols)} symbols were given for {len(dims)} dimensions")
    for name in symbols:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"symbol must be str or None, found {name!r}")
    return tuple(name or None for name in symbols) if any(symbols) else None


def to_shape(value: Shape | Sequence[int | str] | None) -> Shape:
    """A `Shape` from what users write; ``None`` is a scalar."""
    return value if isinstance(value, Shape) else Shape(value)
