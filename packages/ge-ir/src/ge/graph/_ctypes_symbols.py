"""Interned texts for the ctypes binding, cached on both ways: a symbol never changes its text."""

from __future__ import annotations

from ge.graph._ctypes_native import buffers, fail, raw, text_at

__all__ = ["symbol", "symbol_text", "texts"]

texts: dict[int, str] = {0: ""}
_symbols: dict[str, int] = {"": 0}


def symbol(text: str) -> int:
    """The symbol of a text, created on first use."""
    found = _symbols.get(text)
    if found is None:
        b = buffers.b
        data = text.encode("utf-8", "surrogateescape")
        status = raw.symbol_intern(data, len(data), b.s0, b.p_error)
        if status:
            fail(status, "symbol_intern")
        found = _symbols[text] = b.small[0]
        texts[found] = text
    return found


def symbol_text(symbol: int) -> str:
    """The text of a symbol."""
    found = texts.get(symbol)
    if found is None:
        b = buffers.b
        status = raw.symbol_text(symbol, b.p0, b.p1, b.p_error)
        if status:
            fail(status, "symbol_text")
        found = texts[symbol] = text_at(b.out[0], b.out[1])
        _symbols[found] = symbol
    return found
