"""Lower the glibc symbol versions that a 64-bit ELF file asks for.

A binary built on a newer distribution often needs only a handful of symbols at a newer version, and those behave
the same at the oldest one: the ``__isoc23_*`` parsers differ from their plain namesakes in binary literals alone,
``fmod`` and the terminal speed calls in details that Python does not see. Retargeting those references lets the
binary load on an older glibc. Only the version and name tables change, never code.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

Version = Tuple[int, ...]

# The version every symbol of the C library had when the architecture was introduced, by ELF e_machine.
_OLDEST = {62: "GLIBC_2.2.5", 183: "GLIBC_2.17"}
_NEW_NAME_PREFIX = "__isoc23_"
_SHT_DYNSYM, _SHT_VERNEED, _SHT_VERSYM = 11, 0x6FFFFFFE, 0x6FFFFFFF
_VERSION_MASK = 0x7FFF
_SYMBOL_SIZE = 24


class ElfError(Exception):
    """The file cannot be retargeted; the text says why."""


@dataclass(frozen=True)
class _Section:
    kind: int
    offset: int
    size: int
    link: int
    info: int


@dataclass(frozen=True)
class _Need:
    """One wanted version: where its record lies, its name, and the index symbols refer to it by."""

    position: int
    name: str
    index: int


def running_glibc() -> Version:
    """Version of the C library of this process, for example ``(2, 36)``."""
    text = os.confstr("CS_GNU_LIBC_VERSION")
    if not text:
        raise ElfError("this process does not run on glibc")
    return _parse_version(text.split()[1])


def _parse_version(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def _sysv_hash(name: str) -> int:
    """Hash of a version name as the ELF specification defines it."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high & 0xFFFFFFFF
    return value


class ElfVersions:
    """The version tables of one ELF file, read into memory and edited there."""

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise ElfError("not a 64-bit little-endian ELF file")
        self.data = bytearray(data)
        self._machine = struct.unpack_from("<H", data, 18)[0]
        self._sections = {section.kind: section for section in self._read_sections()}

    def _read_sections(self) -> Iterator[_Section]:
        table = struct.unpack_from("<Q", self.data, 40)[0]
        entry_size, count = struct.unpack_from("<HH", self.data, 58)
        self._all: List[_Section] = []
        for number in range(count):
            _, kind, _, _, offset, size, link, info = struct.unpack_from(
                "<IIQQQQII", self.data, table + number * entry_size
            )
            self._all.append(_Section(kind, offset, size, link, info))
        return iter(self._all)

    def lower_to(self, limit: Version) -> List[str]:
        """Point every version newer than ``limit`` at the oldest one; the names of the symbols concerned.

        Raises:
            ElfError: the architecture is unknown, or the file nowhere names the oldest version.
        """
        if _SHT_VERNEED not in self._sections:
            return []
        newer = [need for need in self._needs() if _is_newer(need.name, limit)]
        if not newer:
            return []
        oldest = self._oldest()
        offset = self._string_offset(oldest)
        for need in newer:
            struct.pack_into("<I", self.data, need.position, _sysv_hash(oldest))
            struct.pack_into("<I", self.data, need.position + 8, offset)
        return self._rename_symbols({need.index for need in newer})

    def _oldest(self) -> str:
        try:
            return _OLDEST[self._machine]
        except KeyError:
            raise ElfError(f"ELF machine {self._machine} is not known here; known: {sorted(_OLDEST)}") from None

    def _needs(self) -> Iterator[_Need]:
        section = self._sections[_SHT_VERNEED]
        file_entry = section.offset
        for _ in range(section.info):
            _, count, _, first, following = struct.unpack_from("<HHIII", self.data, file_entry)
            position = file_entry + first
            for _ in range(count):
                _, _, index, name, step = struct.unpack_from("<IHHII", self.data, position)
                yield _Need(position, self._string(name), index & _VERSION_MASK)
                position += step
            file_entry += following

    def _strings(self) -> _Section:
        return self._all[self._sections[_SHT_VERNEED].link]

    def _string(self, offset: int) -> str:
        start = self._strings().offset + offset
        return self.data[start : self.data.index(0, start)].decode()

    def _string_offset(self, text: str) -> int:
        strings = self._strings()
        found = self.data.find(b"\0" + text.encode() + b"\0", strings.offset, strings.offset + strings.size)
        if found < 0:
            raise ElfError(f"no symbol of the file is at {text}, so the string table has no such name")
        return found + 1 - strings.offset

    def _rename_symbols(self, indices: set[int]) -> List[str]:
        """Drop the C23 prefix of the symbols at ``indices``: a suffix of the same string needs no new text."""
        symbols, versions = self._sections[_SHT_DYNSYM], self._sections[_SHT_VERSYM]
        touched = []
        for number in range(symbols.size // _SYMBOL_SIZE):
            index = struct.unpack_from("<H", self.data, versions.offset + 2 * number)[0] & _VERSION_MASK
            if index not in indices:
                continue
            position = symbols.offset + number * _SYMBOL_SIZE
            name_offset = struct.unpack_from("<I", self.data, position)[0]
            name = self._string(name_offset)
            if name.startswith(_NEW_NAME_PREFIX):
                struct.pack_into("<I", self.data, position, name_offset + len(_NEW_NAME_PREFIX))
            touched.append(name)
        return touched


def _is_newer(name: str, limit: Version) -> bool:
    if name == "GLIBC_ABI_DT_RELR":
        if limit < (2, 36):
            raise ElfError("the file uses relative relocation tables, which need glibc 2.36")
        return False
    if name.startswith("GLIBC_ABI_"):
        return True
    prefix, _, number = name.partition("_")
    return prefix == "GLIBC" and number[:1].isdigit() and _parse_version(number) > limit


def lower_file(path: Path, limit: Version) -> List[str]:
    """Rewrite ``path`` in place (through a temporary file) if it asks for more than ``limit``."""
    tables = ElfVersions(path.read_bytes())
    try:
        touched = tables.lower_to(limit)
    except ElfError as error:
        raise ElfError(f"{path.name}: {error}") from None
    if touched:
        temporary = path.with_name(path.name + ".new")
        temporary.write_bytes(tables.data)
        temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    return touched


def lower_all(paths: List[Path], limit: Version) -> Dict[str, List[str]]:
    """Lower each regular file; what was touched, by file name."""
    result = {path.name: lower_file(path, limit) for path in paths if path.is_file() and not path.is_symlink()}
    return {name: touched for name, touched in result.items() if touched}
