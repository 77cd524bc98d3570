"""The handshake, from hand-packed tables: every wrong header is refused with both values, and nothing is written."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from pathlib import Path

import pytest
from _workspace import WARNINGS, Workspace, run

HEADER = struct.Struct("<QIIIIQQQ")
OK, INVALID_ARGUMENT, UNIMPLEMENTED, ABI_MISMATCH = 0, 1, 10, 11
POISON = 0xA5


def release_tag() -> str:
    """The tag of this machine's release builds, from the compiler."""
    text = '#include "ge_abi.h"\nGE_ABI_PLATFORM_TAG\n'
    include = Path(__file__).resolve().parent / "frozen" / "1.0"
    done = subprocess.run(
        ["gcc", "-DNDEBUG", "-E", "-P", "-I", str(include), "-x", "c", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return "".join(done.stdout.splitlines()[-1].split('"')[1::2])


class Producer:
    """A loaded producer and a correct header for it."""

    def __init__(self, path: Path, magic: int, slots: int) -> None:
        self.getter = ctypes.CDLL(str(path)).ge_fx_get_api
        self.getter.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
        self.tag = ctypes.create_string_buffer(release_tag().encode())
        self.fields = {
            "magic": magic, "abi_major": 1, "abi_minor": 0, "header_size": 48, "slot_count": slots,
            "table_size": 48 + 8 * slots, "feature_bits": 0, "platform_tag": ctypes.addressof(self.tag),
        }  # fmt: skip

    def call(self, size: int | None = None, **changes: int) -> tuple[int, str, bytes, bytes]:
        """Status, message, the table before and after; the table is allocated exactly."""
        fields = {**self.fields, **changes}
        table_bytes = fields["table_size"] if size is None else size
        image = (HEADER.pack(*fields.values()) + bytes([POISON]) * table_bytes)[:table_bytes]
        table = (ctypes.c_ubyte * table_bytes)(*image)
        error = (ctypes.c_ubyte * 4096)(*struct.pack("<I", 4096))
        status = self.getter(ctypes.addressof(table), table_bytes, ctypes.addressof(error))
        length = struct.unpack_from("<Q", bytes(error), 8)[0]
        return status, bytes(error)[24 : 24 + length].decode(), image, bytes(table)


@pytest.fixture(scope="module")
def producer(fx: Workspace) -> Producer:
    return Producer(fx.producer(), fx.table.magic_number, len(fx.table.slots))


def test_a_correct_table_is_filled(producer: Producer) -> None:
    status, message, _, after = producer.call()
    assert (status, message) == (OK, "")
    header = HEADER.unpack(after[:48])
    assert header[2] == 1 and header[6] == 0
    assert ctypes.string_at(header[7]) == producer.tag.value
    slots = struct.unpack(f"<{producer.fields['slot_count']}Q", after[48:])
    assert len(set(slots)) == len(slots) and 0 not in slots


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({"magic": int.from_bytes(b"GEOTHER1", "little")}, ["GEOTHER1", "GEFXAPI1"]),
        ({"magic": 0}, ["????????", "GEFXAPI1"]),
        ({"abi_major": 2}, ["major 2", "has 1", "pip install --upgrade ge-fx"]),
        ({"abi_major": 0}, ["major 0", "has 1"]),
        ({"abi_minor": 9}, ["needs table 1.9", "has 1.1", "pip install --upgrade ge-fx"]),
        ({"header_size": 40}, ["header_size is 40", "must be 48"]),
        ({"slot_count": 3}, ["table of 3 slots has 72 bytes"]),
        ({"slot_count": 0xFFFFFFFF}, ["table of 4294967295 slots has 34359738408 bytes"]),
        ({"table_size": 0}, ["table_size is 0"]),
        ({"feature_bits": 4}, ["features 0x4"]),
        ({"platform_tag": 0}, ["platform_tag is null"]),
    ],
)
def test_a_wrong_header_is_refused(producer: Producer, changes: dict[str, int], texts: list[str]) -> None:
    size = producer.fields["table_size"]
    status, message, before, after = producer.call(size=size, **changes)
    assert status == ABI_MISMATCH
    assert message.startswith("ge_fx: ") and all(text in message for text in texts), message
    assert before == after


@pytest.mark.parametrize("kind", ["debug", "asan", "release2", ""])
def test_another_platform_tag_is_refused(producer: Producer, kind: str) -> None:
    text = f"{release_tag().rpartition('-')[0]}-{kind}"
    tag = ctypes.create_string_buffer(text.encode())
    status, message, before, after = producer.call(platform_tag=ctypes.addressof(tag))
    assert status == ABI_MISMATCH and before == after
    assert f'"{text}"' in message and f'"{release_tag()}"' in message


def test_every_component_of_the_tag_counts(producer: Producer) -> None:
    parts = producer.tag.value.decode().split("-")
    for i in range(len(parts)):
        tag = ctypes.create_string_buffer("-".join([*parts[:i], "other", *parts[i + 1 :]]).encode())
        assert producer.call(platform_tag=ctypes.addressof(tag))[0] == ABI_MISMATCH


def test_null_table_and_null_error(producer: Producer) -> None:
    error = (ctypes.c_ubyte * 4096)(*struct.pack("<I", 4096))
    assert producer.getter(None, 4096, ctypes.addressof(error)) == INVALID_ARGUMENT
    assert bytes(error)[24:37] == b"table is null"
    assert producer.getter(None, 0, None) == INVALID_ARGUMENT


def test_every_size_of_bytes_passed(producer: Producer) -> None:
    full = producer.fields["table_size"]
    for size in range(full + 65):
        status, message, before, after = producer.call(size=size)
        assert status == (OK if size >= full else ABI_MISMATCH), (size, message)
        assert after[full:] == before[full:]
        if status:
            assert before == after and str(size) in message


def test_every_slot_count(producer: Producer) -> None:
    own = producer.fields["slot_count"]
    for count in range(own + 8):
        size = 48 + 8 * count
        status, message, before, after = producer.call(slot_count=count, table_size=size)
        assert status == OK, message
        known = 48 + 8 * min(count, own)
        assert after[known:] == before[known:]
        assert bytes([POISON]) * 8 not in after[48:known]


def test_every_table_size_under_the_address_sanitizer(fx: Workspace, tmp_path: Path) -> None:
    driver = tmp_path / "driver.c"
    driver.write_text(
        """
#include <stdlib.h>
#include "ge_fx_stubs.h"
int32_t ge_fx_get_api(void* table, uint64_t table_bytes, ge_error* error);
int main(void) {
  ge_fx_api full;
  uint64_t bytes, stated;
  ge_fx_api_init(&full);
  for (bytes = 0; bytes <= sizeof full + 64; ++bytes) {
    for (stated = 0; stated <= sizeof full + 64; stated += 8) {
      unsigned char* table = malloc(bytes ? bytes : 1);
      ge_abi_header header = full.header;
      int32_t status;
      int legal = stated >= sizeof header && stated <= bytes;
      header.table_size = stated;
      header.slot_count = stated < sizeof header ? 0 : (uint32_t)((stated - sizeof header) / 8);
      memset(table, 0xA5, bytes);
      memcpy(table, &header, bytes < sizeof header ? bytes : sizeof header);
      status = ge_fx_get_api(table, bytes, NULL);
      free(table);
      if (status != (legal ? GE_STATUS_OK : GE_STATUS_ABI_MISMATCH)) return 1;
    }
  }
  return 0;
}
""",
        encoding="utf-8",
    )
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-I", str(fx.include)]
    producer = tmp_path / "producer.o"
    run("g++", "-std=c++17", *WARNINGS, *sanitize, "-c", str(fx.frozen / "producer.cpp"), "-o", str(producer))
    run("gcc", "-std=c11", *WARNINGS, *sanitize, "-c", str(driver), "-o", str(tmp_path / "driver.o"))
    program = str(tmp_path / "driver")
    run("g++", "-fsanitize=address,undefined", str(producer), str(tmp_path / "driver.o"), "-o", program)
    # A preloaded allocator of the calling environment would come before the sanitizer's own.
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, env={"ASAN_OPTIONS": "detect_leaks=0"}
    )
    assert (done.returncode, done.stderr) == (0, "")
