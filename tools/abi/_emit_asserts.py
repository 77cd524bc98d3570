"""Emits <table>_asserts.h: the layout and the signatures, as static assertions in C11 and C++17.

An offset alone does not see a lost argument, so the type of every slot is asserted too.
"""

from __future__ import annotations

from _emit_header import banner, signature
from _model import Callback, Common, Enum, Struct, Table

__all__ = ["emit_asserts", "emit_common_asserts"]


def _struct(struct: Struct) -> str:
    lines = [f"GE_ABI_ASSERT_SIZE({struct.name}, {struct.size})"]
    for f in struct.fields:
        # An array decays in C's _Generic, so a chars field is asserted by its size.
        if f.type.kind == "chars":
            lines.append(f"GE_ABI_ASSERT_ARRAY({struct.name}, {f.name}, {f.offset}, {f.type.count})")
        else:
            lines.append(f"GE_ABI_ASSERT_MEMBER({struct.name}, {f.name}, {f.offset}, {f.type.c_field()})")
    return "\n".join(lines) + "\n"


def _enum(enum: Enum) -> str:
    suffix = ("ull" if enum.is_wide else "u") if enum.is_flags else ""
    return "".join(f"GE_ABI_ASSERT_VALUE({enum.constant(v)}, {v.value}{suffix})\n" for v in enum.values)


def _callback(callback: Callback) -> str:
    result = "void" if callback.returns_void else "int32_t"
    return f"GE_ABI_ASSERT_CALLBACK({callback.name}, {signature(callback.c_params(), result)})\n"


def emit_common_asserts(common: Common, template: str) -> str:
    """ge_abi_asserts.h: the macros, and what common.toml declares."""
    body = "".join(_enum(e) for e in common.enums) + "\n" + "\n".join(_struct(s) for s in common.structs)
    return banner("tools/abi/common.toml") + template.replace("@ASSERTS@\n", body)


def emit_asserts(table: Table, source: str) -> str:
    """Assertions for one table; including the file is the whole test."""
    upper, name = table.name.upper(), table.name
    parts = (
        [_enum(e) for e in table.enums] + [_struct(s) for s in table.structs] + [_callback(c) for c in table.callbacks]
    )
    slots = "".join(
        f"GE_ABI_ASSERT_MEMBER({name}_api, {s.name}, {s.offset}, {signature(s.c_params())})\n" for s in table.slots
    )
    version = f"GE_ABI_VERSION({table.major}, {table.minor})"
    return f"""{banner(source)}#ifndef {upper}_ASSERTS_H
#define {upper}_ASSERTS_H

/* All that table {table.major}.{table.minor} has must be in {name}_api.h as it was; later minors may add to it. */

#include "{name}_api.h"

#include "ge_abi_asserts.h"

GE_ABI_ASSERT({upper}_ABI_MAGIC == UINT64_C(0x{table.magic_number:016x}), "magic")
GE_ABI_ASSERT({upper}_ABI_MAJOR == {table.major}, "major")
GE_ABI_ASSERT(GE_ABI_VERSION({upper}_ABI_MAJOR, {upper}_ABI_MINOR) >= {version}, "minor")
GE_ABI_ASSERT(sizeof({name}_api) >= {table.size}, "table lost slots")
GE_ABI_ASSERT_MEMBER({name}_api, header, 0, ge_abi_header)

{chr(10).join(p for p in parts if p)}
{slots}
#endif
"""
