"""Attribute values: Python on one side, (kind, plain value) of the primitive layer on the other.

What is taken without saying a kind:

==================  =======================  =================================
Python              kind                     note
==================  =======================  =================================
``bool``            VT_BOOL
``DataType``        VT_DATA_TYPE             before ``int``: it is an IntEnum
``int``             VT_INT                   64 bits, signed
``float``           VT_FLOAT
``str``             VT_STRING
``bytes``           VT_BYTES
``Tensor``          VT_TENSOR                shared, not copied
list or tuple       the VT_LIST kind         all elements of one of these kinds
list of int lists   VT_LIST_LIST_INT
numpy scalar/array  as its Python value      up to two dimensions
==================  =======================  =================================

An empty list says nothing of its kind: name one with ``kind=``.
"""

from __future__ import annotations

from typing import Any

from ge.graph._enums import AttrValueType as Kind
from ge.graph._enums import DataType

__all__ = ["decode", "encode"]

_SCALARS: dict[Kind, tuple[type, ...]] = {
    Kind.VT_INT: (int,),
    Kind.VT_FLOAT: (float, int),
    Kind.VT_FLOAT32: (float, int),
    Kind.VT_STRING: (str, bytes),
    Kind.VT_BOOL: (bool,),
    Kind.VT_DATA_TYPE: (DataType,),
    Kind.VT_BYTES: (bytes,),
    Kind.VT_TYPE: (str,),
}
_LIST_OF: dict[Kind, Kind] = {
    Kind.VT_INT: Kind.VT_LIST_INT,
    Kind.VT_FLOAT: Kind.VT_LIST_FLOAT,
    Kind.VT_STRING: Kind.VT_LIST_STRING,
    Kind.VT_BOOL: Kind.VT_LIST_BOOL,
    Kind.VT_DATA_TYPE: Kind.VT_LIST_DATA_TYPE,
    Kind.VT_TENSOR: Kind.VT_LIST_TENSOR,
    Kind.VT_LIST_INT: Kind.VT_LIST_LIST_INT,
    Kind.VT_FLOAT32: Kind.VT_LIST_FLOAT32,
    Kind.VT_TYPE: Kind.VT_LIST_TYPE,
}
_ELEMENT: dict[Kind, Kind] = {many: one for one, many in _LIST_OF.items()}
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


def encode(value: Any, kind: Kind | None = None) -> tuple[int, Any]:
    """The primitive form of a value.

    Args:
        value: What the user gave.
        kind: The kind to store; ``None``: found from the value.

    Raises:
        ValueError: The value has no kind, mixes kinds, is an empty list without ``kind``, or is out of range.
    """
    if type(value).__module__ == "numpy":
        value = value.tolist()
    if kind is None:
        kind = _kind_of(value)
    elif not isinstance(kind, Kind):
        raise TypeError(f"kind must be an AttrValueType, found {kind!r}")
    return int(kind), _converted(value, kind)


def _scalar_kind(value: Any) -> Kind | None:
    if isinstance(value, bool):
        return Kind.VT_BOOL
    if isinstance(value, DataType):
        return Kind.VT_DATA_TYPE
    if isinstance(value, int):
        return Kind.VT_INT
    if isinstance(value, float):
        return Kind.VT_FLOAT
    if isinstance(value, str):
        return Kind.VT_STRING
    if isinstance(value, bytes):
        return Kind.VT_BYTES
    return Kind.VT_TENSOR if _is_tensor(value) else None


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "_handle") and hasattr(value, "_info")


def _kind_of(value: Any) -> Kind:
    kind = _scalar_kind(value)
    if kind is not None:
        return kind
    if not isinstance(value, (list, tuple)):
        raise _unsupported(value)
    if not value:
        raise ValueError(
            "Empty list is not supported without a kind: pass kind=AttrValueType.VT_LIST_INT or another one"
        )
    if all(isinstance(item, (list, tuple)) for item in value):
        for row in value:
            if any(_scalar_kind(item) is not Kind.VT_INT for item in row):
                raise _unsupported(value)
        return Kind.VT_LIST_LIST_INT
    kinds = {_scalar_kind(item) for item in value}
    if len(kinds) != 1:
        raise _unsupported(value)
    found = _LIST_OF.get(kinds.pop())  # type: ignore[arg-type]
    if found is None:
        raise _unsupported(value)
    return found


def _unsupported(value: Any) -> ValueError:
    if isinstance(value, (list, tuple)):
        names = sorted({type(item).__name__ for item in value})
        what = f"list of {', '.join(names)}"
    else:
        what = type(value).__name__
    return ValueError(
        f"Unsupported attribute type {what}: expected str, bytes, float, bool, int, DataType, Tensor, "
        f"a list of one of these, or a list of lists of int"
    )


def _converted(value: Any, kind: Kind) -> Any:
    element = _ELEMENT.get(kind)
    if element is not None:
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"{kind.name} needs a list, found {type(value).__name__}")
        return [_converted(item, element) for item in value]
    if kind is Kind.VT_TENSOR:
        if not _is_tensor(value):
            raise ValueError(f"{kind.name} needs a Tensor, found {type(value).__name__}")
        return value
    if kind is Kind.VT_REFERENCE:
        return _reference(value)
    return _scalar(value, kind)


def _scalar(value: Any, kind: Kind) -> Any:
    allowed = _SCALARS.get(kind)
    fits = allowed is not None and isinstance(value, allowed)
    if not fits or (isinstance(value, bool) and kind is not Kind.VT_BOOL):
        expected = "a value" if allowed is None else " or ".join(item.__name__ for item in allowed)
        raise ValueError(f"{kind.name} needs {expected}, found {type(value).__name__}: {value!r}")
    if kind in (Kind.VT_FLOAT, Kind.VT_FLOAT32):
        return float(value)
    if kind is Kind.VT_INT and not _INT_MIN <= value <= _INT_MAX:
        raise ValueError(f"attribute value {value} is outside the range of a signed 64-bit integer")
    return value if kind is Kind.VT_BOOL or not isinstance(value, int) else int(value)


def _reference(value: Any) -> tuple[str, int]:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return value[0], int(Kind(value[1]))
    raise ValueError(f"VT_REFERENCE needs a pair (attribute name, AttrValueType), found {value!r}")


def decode(kind: int, value: Any) -> Any:
    """The Python value of what the primitive layer gives."""
    if kind == Kind.VT_DATA_TYPE:
        return DataType(value)
    if kind == Kind.VT_LIST_DATA_TYPE:
        return [DataType(item) for item in value]
    if kind == Kind.VT_REFERENCE:
        return value[0], Kind(value[1])
    return value
