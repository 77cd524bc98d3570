"""Emits the frozen producer and consumer of a minor: small programs that exercise every slot of the table.

Their contract is the same in every minor, so any consumer can be run with any producer. Parameter j of slot k carries
the number ``(7 k + j) % 100 + 1``: as itself, as the first byte behind an input pointer, or as what is written
through a result pointer; field f of a struct carries ``offset % 100 + 1``. The producer checks what it is given; the
consumer checks what it gets back and prints one line per slot: ``<slot> <status>``.
"""

from __future__ import annotations

from _emit_header import banner, c_args
from _model import Param, Slot, Struct, Table

__all__ = ["emit_consumer", "emit_producer"]


def _number(slot_index: int, param_index: int) -> int:
    return (7 * slot_index + param_index) % 100 + 1


def _field_number(name: str, offset: int) -> int:
    return 0 if name.startswith("reserved") else offset % 100 + 1


def _scalars(struct: Struct) -> list[tuple[str, str, int, int, int]]:
    """Scalar fields behind struct_size: name, C type, value, end, since."""
    out = []
    for f in struct.fields[1:]:
        if f.type.kind == "scalar":
            out.append((f.name, f.type.element.c, _field_number(f.name, f.offset), f.end, f.since))
    return out


def _produce(table: Table, param: Param, k: int, j: int) -> tuple[list[str], int]:
    """Statements of the producer for one declared parameter, and how many C parameters it was."""
    name, kind, n = param.name, param.type.kind, _number(k, j)
    width = len(param.type.c_params(name))
    if kind == "scalar":
        return [f'expect({name} == static_cast<{param.type.element.c}>({n}), "{name}");'], width
    if kind in ("str", "bytes", "array"):
        count = "_count" if kind == "array" else "_size"
        lines = [f'expect(first_byte({name}) == {n}, "{name}");']
        return [*lines, f'expect({name}{count} == {_number(k, j + 1)}, "{name}{count}");'], width
    if kind in ("out_str", "out_bytes"):
        return [f"*{name} = byte_with({n});", f"*{name}_size = {_number(k, j + 1)};"], width
    if kind == "buffer":
        lines = [f'expect({name}_capacity == 1, "{name}_capacity");']
        return [*lines, f"*{name} = static_cast<{param.type.element.c}>({n});", f"*{name}_count = 1;"], width
    if kind == "out":
        return [f"*{name} = static_cast<{param.type.element.c}>({n});"], width
    if kind in ("struct", "out_struct"):
        return [f"{'read' if kind == 'struct' else 'write'}_{param.type.name}({name});"], width
    check = f"first_byte({name}) == {n}" if kind == "ptr" else f"{name} != nullptr"
    return [f'expect({check}, "{name}");'], width


def _producer_struct(struct: Struct) -> str:
    fields = _scalars(struct)
    reads = "".join(f'  if (p->struct_size >= {end}) expect(p->{n} == static_cast<{c}>({v}), "{struct.name}.{n}");\n'
                    for n, c, v, end, _ in fields)  # fmt: skip
    writes = "".join(f"  if (p->struct_size >= {end}) p->{n} = static_cast<{c}>({v});\n" for n, c, v, end, _ in fields)
    size = f'  expect(p != nullptr && p->struct_size >= {struct.first_size}, "{struct.name}.struct_size");\n'
    return (f"[[maybe_unused]] void read_{struct.name}(const {struct.name}* p) {{\n{size}{reads}}}\n"
            f"[[maybe_unused]] void write_{struct.name}({struct.name}* p) {{\n{size}{writes}}}\n")  # fmt: skip


def emit_producer(table: Table, source: str) -> str:
    """producer.cpp: a library that exports the table's getter."""
    bodies = ""
    for k, slot in enumerate(table.slots):
        lines, j = [], 0
        for param in slot.params:
            more, width = _produce(table, param, k, j)
            lines += more
            j += width
        body = "".join(f"    {line}\n" for line in lines)
        bodies += f"int32_t {table.name}_slot_{slot.name}({c_args(slot.c_params())}) noexcept {{\n"
        bodies += f"  return ge::abi::guarded(error, [&] {{\n{body}  }});\n}}\n"
    structs = "".join(_producer_struct(s) for s in table.structs)
    version = f"{table.name} {table.major}.{table.minor}"
    return f"""{banner(source)}/* Frozen producer of {version}; its contract is in tools/abi/_freeze.py. */
#include "{table.name}_asserts.h"
#include "{table.name}_slots.h"

namespace {{

void expect(bool condition, const char* what) {{
  if (!condition) ge::abi::invalid(std::string(what) + " arrived wrong");
}}
[[maybe_unused]] int first_byte(const void* p) {{ return p == nullptr ? -1 : *static_cast<const unsigned char*>(p); }}
[[maybe_unused]] const char* byte_with(int n) {{
  static const auto bytes = [] {{
    std::string all(256, '\\0');
    for (int i = 0; i < 256; ++i) all[static_cast<size_t>(i)] = static_cast<char>(i);
    return all;
  }}();
  return bytes.data() + n;
}}
{structs}
}}  // namespace

extern "C" {{

{bodies}
GE_ABI_EXPORT int32_t {table.name}_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {{
  return {table.name}_fill(table, table_bytes, error);
}}

}}  // extern "C"
"""


def _consume(param: Param, k: int, j: int) -> tuple[list[str], list[str], list[str]]:
    """Declarations, arguments and checks of the consumer for one declared parameter."""
    name, kind, n = f"a{j}", param.type.kind, _number(k, j)
    c = param.type.element.c if param.type.scalar else param.type.name
    if kind == "scalar":
        return [], [f"({c}){n}"], []
    if kind in ("str", "bytes", "array"):
        return [], [f"(const void*)bytes_from({n})", str(_number(k, j + 1))], []
    if kind in ("out_str", "out_bytes"):
        pointer = "const char*" if kind == "out_str" else "const void*"
        check = f"{name} != NULL && *(const unsigned char*){name} == {n} && {name}_size == {_number(k, j + 1)}"
        return [f"{pointer} {name} = NULL;", f"uint64_t {name}_size = 0;"], [f"&{name}", f"&{name}_size"], [check]
    if kind == "buffer":
        declared = [f"{c} {name} = 0;", f"uint64_t {name}_count = 0;"]
        return declared, [f"&{name}", "1", f"&{name}_count"], [f"{name} == ({c}){n} && {name}_count == 1"]
    if kind == "out":
        return [f"{c} {name} = 0;"], [f"&{name}"], [f"{name} == ({c}){n}"]
    if kind == "struct":
        return [f"{c} {name};", f"fill_{c}(&{name});"], [f"&{name}"], []
    if kind == "out_struct":
        declared = [f"{c} {name};", f"memset(&{name}, 0, sizeof {name});", f"{name}.struct_size = sizeof {name};"]
        return declared, [f"&{name}"], [f"check_{c}(&{name}, minor)"]
    cast = "ge_abi_getter" if kind == "getter" else c
    return [], [f"(void*)bytes_from({n})" if kind == "ptr" else f"({cast})(any_function)anything"], []


def _since(since: int) -> str:
    return f"minor >= {since} && " if since else ""


def _consumer_struct(struct: Struct) -> str:
    fields = _scalars(struct)
    fills = "".join(f"  p->{n} = ({c}){v};\n" for n, c, v, _, _ in fields)
    checks = "".join(f"  if ({_since(since)}p->{n} != ({c}){v}) return 0;\n" for n, c, v, _, since in fields)
    name = struct.name
    return f"""static inline void fill_{name}({name}* p) {{
  memset(p, 0, sizeof *p);
  p->struct_size = sizeof *p;
{fills}}}
static inline int check_{name}(const {name}* p, uint32_t minor) {{
  (void)minor;
{checks}  return p->struct_size == sizeof *p;
}}
"""


def _consumer_call(table: Table, slot: Slot, k: int) -> str:
    declared, args, checks, j = [], [], [], 0
    for param in slot.params:
        more_declared, more_args, more_checks = _consume(param, k, j)
        declared += more_declared
        args += more_args
        checks += more_checks
        j += len(param.type.c_params(param.name))
    lines = "".join(f"  {line}\n" for line in declared)
    condition = " && ".join(f"({check})" for check in checks) or "1"
    return f"""static void call_{slot.name}(const {table.name}_api* api, uint32_t minor, ge_error* error) {{
{lines}  int32_t status = api->{slot.name}({", ".join([*args, "error"])});
  (void)minor;
  report("{slot.name}", status, status != 0 || ({condition}), error);
}}
"""


def emit_consumer(table: Table, source: str) -> str:
    """consumer.c: a program that takes the library's path and prints the status of every slot."""
    structs = "".join(_consumer_struct(s) for s in table.structs)
    calls = "".join(_consumer_call(table, s, k) for k, s in enumerate(table.slots))
    run = "".join(f"  call_{s.name}(&api, minor, &error);\n" for s in table.slots)
    version = f"{table.name} {table.major}.{table.minor}"
    return f"""{banner(source)}/* Frozen consumer of {version}; its contract is in tools/abi/_freeze.py.
   usage: consumer LIBRARY [NEEDED_MINOR] */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "{table.name}_asserts.h"
#include "{table.name}_stubs.h"

static unsigned char all_bytes[256 * 8];
static int wrong = 0;

/* A pointer, aligned to 8 bytes, whose first byte is n. */
static inline unsigned char* bytes_from(int n) {{
  all_bytes[n * 8] = (unsigned char)n;
  return all_bytes + n * 8;
}}
typedef void (*any_function)(void);
static inline void anything(void) {{}}
static void report(const char* slot, int32_t status, int good, const ge_error* error) {{
  printf("%s %d\\n", slot, status);
  if (status == GE_STATUS_UNIMPLEMENTED) return;
  if (status != 0) fprintf(stderr, "%s: %s\\n", slot, error->message);
  if (!good) fprintf(stderr, "%s: a result arrived wrong\\n", slot);
  if (status != 0 || !good) wrong = 1;
}}

{structs}
{calls}
int main(int argc, char** argv) {{
  {table.name}_api api;
  ge_error error;
  uint32_t minor;
  ge_abi_getter getter;
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void* symbol = library ? dlsym(library, {table.name.upper()}_GETTER) : NULL;
  if (symbol == NULL) {{
    fprintf(stderr, "no getter in %s: %s\\n", argc > 1 ? argv[1] : "(no library named)", dlerror());
    return 2;
  }}
  memcpy(&getter, &symbol, sizeof getter);
  ge_error_init(&error);
  {table.name}_api_init(&api);
  if (argc > 2) api.header.abi_minor = (uint32_t)atoi(argv[2]);
  if (getter(&api, sizeof api, &error) != 0) {{
    printf("refused %d %s\\n", error.code, error.message);
    return 3;
  }}
  minor = api.header.abi_minor;
{run}  return wrong;
}}
"""
