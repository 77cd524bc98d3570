"""Emits <table>_stubs.h: what a consumer fills its own table with before the handshake."""

from __future__ import annotations

from _emit_header import banner, c_args
from _model import Slot, Table

__all__ = ["emit_stubs"]


def _stub(table: Table, slot: Slot) -> str:
    params = slot.c_params()
    unused = " ".join(f"(void){p.name};" for p in params[:-1])
    text = f"{table.name}.{slot.name}: not in the loaded library (slot since {table.major}.{slot.since}); "
    text += f"pip install --upgrade {table.package}"
    unused_line = f"  {unused}\n" if unused else ""
    return f"""static inline int32_t {table.name}_stub_{slot.name}({c_args(params)}) {{
{unused_line}  return {table.name}_stub_fail(error, "{text}");
}}
"""


def emit_stubs(table: Table, source: str) -> str:
    """One stub per slot, the initialiser, and for C++ the overload that ge::abi::Table finds."""
    name, upper = table.name, table.name.upper()
    stubs, fills, minor = "", "", 0
    for slot in table.slots:
        guard = ""
        if slot.since != minor:
            guard = (
                "#endif\n" if minor else ""
            ) + f"#if {upper}_ABI_TARGET >= GE_ABI_VERSION({table.major}, {slot.since})\n"
            minor = slot.since
        stubs += guard + _stub(table, slot)
        fills += f"{guard}  table->{slot.name} = {name}_stub_{slot.name};\n"
    end = "#endif\n" if minor else ""
    return f"""{banner(source)}#ifndef {upper}_STUBS_H
#define {upper}_STUBS_H

#include <string.h>

#include "{name}_api.h"

/* The minor that the consumer needs, at least. Define it smaller to accept older libraries, whose missing slots then
   return GE_STATUS_UNIMPLEMENTED. */
#ifndef {upper}_ABI_NEEDED_MINOR
#define {upper}_ABI_NEEDED_MINOR ({upper}_ABI_TARGET - GE_ABI_VERSION({table.major}, 0))
#endif

static inline int32_t {name}_stub_fail(ge_error* error, const char* text) {{
  const uint64_t prefix = offsetof(ge_error, message);
  uint64_t length = strlen(text), room;
  if (error == NULL || error->struct_size < 8) return GE_STATUS_UNIMPLEMENTED;
  error->code = GE_STATUS_UNIMPLEMENTED;
  if (error->struct_size <= prefix) return GE_STATUS_UNIMPLEMENTED;
  error->full_length = length;
  room = (error->struct_size < sizeof(ge_error) ? error->struct_size : sizeof(ge_error)) - prefix - 1;
  if (length > room) length = room; /* the text is ASCII: every edge is a code point edge */
  memcpy(error->message, text, (size_t)length);
  error->message[length] = '\\0';
  error->length = length;
  return GE_STATUS_UNIMPLEMENTED;
}}

{stubs}{end}
/** Makes a table ready for {name}_get_api: header of this consumer, a stub in every slot. */
static inline void {name}_api_init({name}_api* table) {{
  table->header.magic = {upper}_ABI_MAGIC;
  table->header.abi_major = {upper}_ABI_MAJOR;
  table->header.abi_minor = {upper}_ABI_NEEDED_MINOR;
  table->header.header_size = (uint32_t)sizeof(ge_abi_header);
  table->header.slot_count = {upper}_SLOT_COUNT;
  table->header.table_size = sizeof({name}_api);
  table->header.feature_bits = 0;
  table->header.platform_tag = GE_ABI_PLATFORM_TAG;
{fills}{end}}}

#ifdef __cplusplus
/** Found by ge::abi::Table<{name}_api>. */
inline void ge_abi_table_init({name}_api* table) {{ {name}_api_init(table); }}
inline const char* ge_abi_table_name(const {name}_api*) {{ return "{name}"; }}
#endif

#endif
"""
