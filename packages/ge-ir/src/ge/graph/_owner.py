"""Methods that `Graph` and `Node` share, as functions that both classes take into their bodies.

They are no mixin class because classes of the native binding allow a single base.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ge.graph._attributes import decode, encode
from ge.graph._checks import check_str
from ge.graph._enums import AttrValueType

__all__ = [
    "attr_names",
    "find_attr",
    "get_attr",
    "get_attr_type",
    "has_attr",
    "refuse_copy",
    "refuse_pickle",
    "remove_attr",
    "set_attr",
]

_PLAIN_KINDS = 5  # kinds below are Python values already


def refuse_copy(self: Any, memo: Any = None) -> NoReturn:
    """Copying a reference would copy nothing.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(f"{type(self).__name__} cannot be copied with copy() or deepcopy(); {type(self)._COPY_HINT}")


def refuse_pickle(self: Any, protocol: Any = None) -> NoReturn:
    """A reference means nothing in another process.

    Raises:
        TypeError: Always.
    """
    raise TypeError(f"{type(self).__name__} cannot be pickled; {type(self)._COPY_HINT}")


def attr_names(self: Any) -> list[str]:
    """Keys of the attributes in order of first setting."""
    return self._attr_keys(0, 0)  # type: ignore[no-any-return]


def get_attr(self: Any, key: str) -> Any:
    """Value of an attribute; see `AttrValueType` for the kinds.

    Raises:
        TypeError: The key is no str.
        RuntimeError: There is no such attribute; the text names key and owner.
    """
    if type(key) is not str:  # spares the usual call a function call
        check_str(key, "attribute key")
    kind, value = self._attr_get(0, 0, key)
    return value if kind < _PLAIN_KINDS else decode(kind, value)


def find_attr(self: Any, key: str, default: Any = None) -> Any:
    """As `get_attr`, with a default where there is no such attribute.

    Raises:
        TypeError: The key is no str.
    """
    found = self._attr_find(0, 0, check_str(key, "attribute key"))
    return default if found is None else decode(*found)


def get_attr_type(self: Any, key: str) -> AttrValueType:
    """Kind of an attribute.

    Raises:
        TypeError: The key is no str.
        RuntimeError: There is no such attribute.
    """
    return AttrValueType(self._attr_get(0, 0, check_str(key, "attribute key"))[0])


def has_attr(self: Any, key: str) -> bool:
    """Whether there is such an attribute.

    Raises:
        TypeError: The key is no str.
    """
    return self._attr_find(0, 0, check_str(key, "attribute key")) is not None


def set_attr(self: Any, key: str, value: Any, *, kind: AttrValueType | None = None) -> None:
    """Sets or replaces an attribute; ``kind`` is found from the value where it is not given.

    Raises:
        TypeError: The key is no str.
        ValueError: The value has no kind (a dict, a mixed list, an empty list without ``kind``).
    """
    check_str(key, "attribute key")
    self._attr_set(0, 0, key, *encode(value, kind))


def remove_attr(self: Any, key: str) -> None:
    """Removes an attribute.

    Raises:
        TypeError: The key is no str.
        RuntimeError: There is no such attribute.
    """
    self._attr_remove(0, 0, check_str(key, "attribute key"))
