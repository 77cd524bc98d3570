"""What the documentation says to type: code blocks, commands and inline code of the Markdown files."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")]
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAVE_AS = re.compile(r"Save it as `([\w./]+\.py)`")
_INLINE = re.compile(r"`((?:\./dev|python) [^`]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    ``saved_as`` is set if the paragraph before it says ``Save it as `name.py` ``; such a block is a file of the user's.
    """

    language: str
    text: str
    line: int
    saved_as: str


def blocks(text: str) -> list[Block]:
    """Every fenced block; ``line`` is that of its first line of content, from 1."""
    found = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()].rstrip().rpartition("\n\n")[2]
        saved = _SAVE_AS.search(before)
        line = text.count("\n", 0, match.start(2)) + 1
        found.append(Block(match[1], match[2], line, saved[1] if saved else ""))
    return found


def commands(text: str) -> list[list[str]]:
    """Words of each command line of ``sh`` blocks and of inline code that starts with ``./dev`` or ``python``."""
    lines = [line for block in blocks(text) if block.language == "sh" for line in block.text.splitlines()]
    lines += _INLINE.findall(_FENCE.sub("", text))
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def layout_paths(text: str) -> list[str]:
    """Paths in the first column of the tables headed ``path`` or ``folder``."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            inside = False
        elif cells[0] in ("path", "folder"):
            inside = True
        elif inside:
            found += re.findall(r"`([^`]+)`", cells[0])
    return found
