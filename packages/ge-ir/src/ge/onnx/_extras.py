"""Documentation and metadata that ONNX attaches to models, graphs, nodes, values and tensors."""

from __future__ import annotations

import logging
from typing import Any, Iterable

from ge.graph import AttrValueType as Kind
from ge.onnx import _keys as keys

__all__ = [
    "SELF",
    "VALUE_INPUT",
    "VALUE_OUTPUT",
    "checked_texts",
    "fill_extras",
    "fill_metadata",
    "get_list",
    "get_text",
    "keep_extras",
    "keep_list",
    "keep_metadata",
    "keep_text",
]

_logger = logging.getLogger("ge.onnx")

SELF, VALUE_OUTPUT, VALUE_INPUT = 0, 1, 2  # ge_ir_scope


def _as_text(value: str | bytes) -> str:
    """The text; one that is not UTF-8 comes as bytes, which protobuf would not take back."""
    if isinstance(value, bytes):
        _logger.warning("a text of the model is not UTF-8, bytes were replaced: %r", value[:60])
        return value.decode("utf-8", "replace")
    return value


def checked_texts(values: Iterable[Any]) -> list[str]:
    """The values, which are names and must be texts.

    Raises:
        TypeError: One is not UTF-8, which protobuf gives as bytes.
    """
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise TypeError(f"a name is not UTF-8: {value!r}")
    return found


def keep_text(owner: Any, key: str, text: str, scope: int = SELF, index: int = 0) -> None:
    """Stores a text that is not empty."""
    if text:
        owner._attr_set(scope, index, key, int(Kind.VT_STRING), _as_text(text))


def keep_list(owner: Any, key: str, items: Iterable[str | bytes], scope: int = SELF, index: int = 0) -> None:
    """Stores a list that is not empty."""
    found = list(items)
    if found:
        owner._attr_set(scope, index, key, int(Kind.VT_LIST_STRING), found)


def get_text(owner: Any, key: str, scope: int = SELF, index: int = 0) -> str:
    """A stored text, empty if there is none."""
    found = owner._attr_find(scope, index, key)
    return found[1] if found is not None else ""


def get_list(owner: Any, key: str, scope: int = SELF, index: int = 0) -> list[Any]:
    """A stored list, empty if there is none."""
    found = owner._attr_find(scope, index, key)
    return found[1] if found is not None else []


def keep_extras(owner: Any, proto: Any, scope: int = SELF, index: int = 0, *, without: tuple[str, ...] = ()) -> None:
    """Stores the doc string and the metadata of a proto, but entries whose key starts with one of ``without``."""
    if proto.doc_string:
        keep_text(owner, keys.DOC_STRING, proto.doc_string, scope, index)
    if proto.metadata_props:
        entries = [entry for entry in proto.metadata_props if not (without and entry.key.startswith(without))]
        keep_metadata(owner, keys.METADATA_KEYS, keys.METADATA_VALUES, entries, scope, index)


def keep_metadata(
    owner: Any, key: str, value_key: str, entries: Iterable[Any], scope: int = SELF, index: int = 0
) -> None:
    """Stores metadata entries as two lists of one length."""
    found = list(entries)
    keep_list(owner, key, (_as_text(entry.key) for entry in found), scope, index)
    keep_list(owner, value_key, (_as_text(entry.value) for entry in found), scope, index)


def fill_extras(proto: Any, owner: Any, scope: int = SELF, index: int = 0) -> None:
    """Writes a kept doc string and kept metadata."""
    text = get_text(owner, keys.DOC_STRING, scope, index)
    if text:
        proto.doc_string = text
    names = get_list(owner, keys.METADATA_KEYS, scope, index)
    if names:
        fill_metadata(proto, zip(names, get_list(owner, keys.METADATA_VALUES, scope, index)))


def fill_metadata(proto: Any, entries: Iterable[tuple[str, str]]) -> None:
    """Appends metadata entries."""
    for key, value in entries:
        entry = proto.metadata_props.add()
        entry.key, entry.value = key, value
