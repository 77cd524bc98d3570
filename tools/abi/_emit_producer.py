"""Emits <table>_slots.h: the producer's side of a table (C++17)."""

from __future__ import annotations

from _emit_header import banner, c_args, comment
from _model import Enum, Struct, Table

__all__ = ["emit_slots"]


def _enum_helpers(enum: Enum) -> str:
    name = enum.name
    if enum.is_flags:
        return f"""/** Throws INVALID_ARGUMENT if a bit is set that {name} does not define. */
inline void {name}_require(uint64_t flags, const char* what) {{
  ge::abi::require_flags(flags, {name.upper()}_ALL, "{name}", what);
}}

"""
    cases = "".join(f'    case {enum.constant(v)}:\n      return "{v.name}";\n' for v in enum.values)
    return f"""/** Name of a value of {name}, or null if the value is none. */
inline const char* {name}_name(int64_t value) noexcept {{
  switch (value) {{
{cases}    default:
      return nullptr;
  }}
}}

/** Throws INVALID_ARGUMENT if the value is not one of {name}. */
inline void {name}_require(int64_t value, const char* what) {{
  if ({name}_name(value) == nullptr) ge::abi::throw_unknown_enum(value, "{name}", what);
}}

"""


def _struct_traits(struct: Struct) -> str:
    reserved = [f.name for f in struct.fields if f.name.startswith("reserved")]
    checks = "".join(f'    if (value.{name} != 0) return "{name}";\n' for name in reserved)
    parameter = "value" if reserved else "/*value*/"
    return f"""template <>
struct StructTraits<{struct.name}> {{
  static constexpr const char* name = "{struct.name}";
  static constexpr uint32_t first_size = {struct.first_size};
  static const char* nonzero_reserved(const {struct.name}& {parameter}) noexcept {{
{checks}    return nullptr;
  }}
}};

"""


def emit_slots(table: Table, source: str) -> str:
    """Slot prototypes to be implemented, the table filler, and checks for the table's enums and structs."""
    name, upper = table.name, table.name.upper()
    prototypes = "".join(
        f"{comment(s.doc)}GE_ABI_HIDDEN int32_t {name}_slot_{s.name}({c_args(s.c_params())}) noexcept;\n"
        for s in table.slots
    )
    entries = "".join(f"    own.{s.name} = {name}_slot_{s.name};\n" for s in table.slots)
    enums = "".join(_enum_helpers(e) for e in table.enums)
    structs = "".join(_struct_traits(s) for s in table.structs)
    return f"""{banner(source)}#ifndef {upper}_SLOTS_H
#define {upper}_SLOTS_H

#include "{name}_api.h"
#include "ge_abi_support.hpp"

#if {upper}_ABI_TARGET != GE_ABI_VERSION({table.major}, {table.minor})
#error "the producer must see every slot: do not define {upper}_ABI_TARGET"
#endif

{enums}namespace ge {{
namespace abi {{

{structs}}}  // namespace abi
}}  // namespace ge

extern "C" {{

/* ---------------------------------------------------------------- to be implemented by the library */

{prototypes}}}  // extern "C"

/** The library's own table, filled once. */
inline const {name}_api& {name}_own_table() noexcept {{
  static const {name}_api table = []() noexcept {{
    {name}_api own{{}};
    own.header.magic = {upper}_ABI_MAGIC;
    own.header.abi_major = {upper}_ABI_MAJOR;
    own.header.abi_minor = {upper}_ABI_MINOR;
    own.header.header_size = static_cast<uint32_t>(sizeof(ge_abi_header));
    own.header.slot_count = {upper}_SLOT_COUNT;
    own.header.table_size = sizeof({name}_api);
    own.header.platform_tag = GE_ABI_PLATFORM_TAG;
{entries}    return own;
  }}();
  return table;
}}

/** The whole handshake. The library's getter is this one line:
 *
 *      extern "C" GE_ABI_EXPORT int32_t {name}_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {{
 *        return {name}_fill(table, table_bytes, error);
 *      }}
 */
inline int32_t {name}_fill(void* table, uint64_t table_bytes, ge_error* error) noexcept {{
  return ge::abi::fill_table(table, table_bytes, &{name}_own_table(), "{name}", "{table.package}", error);
}}

#endif
"""
