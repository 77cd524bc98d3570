"""Emits the ctypes binding of a table: one module that needs the standard library only."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from _model import Callback, Common, Enum, Slot, Struct, Table
from _types import CParam, TypeRef

__all__ = ["emit_ctypes"]

_PLAIN = {
    "int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16", "uint16_t": "c_uint16", "int32_t": "c_int32",
    "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64", "float": "c_float", "double": "c_double",
}  # fmt: skip


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _enum(enum: Enum) -> str:
    base = "IntFlag" if enum.is_flags else "IntEnum"
    lines = "".join(f"    {v.name} = {v.value}\n" for v in enum.values)
    return f'class {_camel(enum.name)}({base}):\n    """{_doc(enum.doc or enum.name)}"""\n\n{lines}\n\n'


def _doc(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")


def _field(type_: TypeRef) -> str:
    if type_.kind == "cptr":
        # POINTER(c_char) slices to bytes, which is what u8 pointers are for.
        return "POINTER(c_char)" if type_.text == "cptr:u8" else f"POINTER({type_.element.ctypes})"
    if type_.kind == "scalar":
        return type_.element.ctypes
    return type_.name if type_.kind == "callback" else "c_void_p"


def _struct(struct: Struct) -> str:
    fields = "".join(f'    ("{f.name}", {_field(f.type)}),\n' for f in struct.fields)
    return f"{struct.name}._fields_ = [\n{fields}]\n\n"


def _struct_class(struct: Struct) -> str:
    return f'''class {struct.name}(Structure):
    """{_doc(struct.doc or struct.name)}"""

    def __init__(self, **fields: Any) -> None:
        super().__init__({struct.size}, **fields)


'''


def _raw_type(param: CParam, structs: set[str], in_callback: bool) -> str:
    """Ctypes type of a C parameter. Pointers to scalars are void: they then take arrays, byref() and addresses."""
    if param.type in _PLAIN:
        return _PLAIN[param.type]
    base = param.type.replace("const ", "").rstrip("*")
    if base in structs:
        return f"POINTER({base})"
    if param.type == "const char*" and not in_callback:
        return "c_char_p"
    return "c_void_p" if "*" in param.type or param.type == "ge_abi_getter" else base


def _callback(callback: Callback, structs: set[str]) -> str:
    types = ", ".join(_raw_type(p, structs, True) for p in callback.c_params())
    result = "None" if callback.returns_void else "c_int32"
    return f"# {_doc(callback.doc)}\n{callback.name} = CFUNCTYPE({result}, {types})\n"


class _CallEmitter:
    """Writes one method of Call."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.args: list[str] = []
        self.before: list[str] = []
        self.passed: list[str] = []
        self.results: list[tuple[str, str]] = []
        self.buffers: list[tuple[str, str]] = []
        for param in slot.params:
            name = f"{param.name}_" if keyword.iskeyword(param.name) else param.name
            getattr(self, f"_{param.type.kind}")(name, param.type)

    def _scalar(self, name: str, type_: TypeRef) -> None:
        self.args.append(f"{name}: {'float' if type_.text in ('f32', 'f64') else 'int'}")
        self.passed.append(name)

    def _str(self, name: str, _type: TypeRef) -> None:
        self.args.append(f"{name}: str | bytes")
        self.before.append(f"{name} = _encode({name})")
        self.passed += [name, f"len({name})"]

    def _bytes(self, name: str, _type: TypeRef) -> None:
        self.args.append(f"{name}: bytes")
        self.passed += [name, f"len({name})"]

    def _array(self, name: str, type_: TypeRef) -> None:
        self.args.append(f"{name}: Sequence[{'float' if type_.element.c in ('float', 'double') else 'int'}]")
        self.passed += [f"({type_.element.ctypes} * len({name}))(*{name})", f"len({name})"]

    def _ptr(self, name: str, _type: TypeRef) -> None:
        self.args.append(f"{name}: int | None")
        self.passed.append(name)

    def _getter(self, name: str, _type: TypeRef) -> None:
        self.args.append(f"{name}: int")
        self.passed.append(name)

    def _callback(self, name: str, type_: TypeRef) -> None:
        self.args.append(f"{name}: Any")
        self.passed.append(f"{type_.name}() if {name} is None else {name}")

    def _struct(self, name: str, type_: TypeRef) -> None:
        self.args.append(f"{name}: {type_.name} | None")
        self.passed.append(f"None if {name} is None else byref({name})")

    def _out(self, name: str, type_: TypeRef) -> None:
        self.before.append(f"{name} = {type_.element.ctypes}()")
        self.passed.append(f"byref({name})")
        self.results.append((f"{name}.value", "float" if type_.text in ("out f32", "out f64") else "int"))

    def _out_struct(self, name: str, type_: TypeRef) -> None:
        self.before.append(f"{name} = {type_.name}()")
        self.passed.append(f"byref({name})")
        self.results.append((name, type_.name))

    def _view(self, name: str, reader: str, extra: str, python: str) -> None:
        # One array for pointer and size: half the objects of two results, and plain numbers when read.
        self.before.append(f"{name} = _View()")
        self.passed += [name, f"byref({name}, 8)"]
        self.results.append((f"{reader}({name}[0], {name}[1]{extra})", python))

    def _out_str(self, name: str, _type: TypeRef) -> None:
        self._view(name, "_str_at", ', b"surrogateescape"', "str")

    def _out_bytes(self, name: str, _type: TypeRef) -> None:
        self._view(name, "_bytes_at", "", "bytes")

    def _buffer(self, name: str, type_: TypeRef) -> None:
        self.buffers.append((name, type_.element.ctypes))
        self.before.append(f"{name}_count = c_uint64()")
        self.passed += [name, "capacity", f"byref({name}_count)"]
        if type_.element.ctypes == "c_uint8":
            self.results.append((f"_bytes_at(addressof({name}), {name}_count.value)", "bytes"))
        else:
            python = "list[float]" if type_.element.c in ("float", "double") else "list[int]"
            self.results.append((f"{name}[: {name}_count.value]", python))

    def emit(self) -> str:
        """The method's text."""
        kinds = [python for _, python in self.results]
        result = "None" if not kinds else kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
        head = f"    def {self.slot.name}({', '.join(['self', *self.args])}) -> {result}:\n"
        head += f'        """{_doc(self.slot.doc)}"""\n'
        lines = [*self.before]
        call = f"status = self._{self.slot.name}({', '.join([*self.passed, '_own.address'])})"
        lines += self._loop(call) if self.buffers else [call]
        lines += ["if status:", f'    _fail(status, "{self.slot.name}")']
        if self.results:
            lines.append(f"return {', '.join(text for text, _ in self.results)}")
        return head + "".join(f"        {line}\n" for line in lines) + "\n"

    def _loop(self, call: str) -> list[str]:
        arrays = [f"    {name} = ({ctypes} * capacity)()" for name, ctypes in self.buffers]
        counts = [f"{name}_count.value" for name, _ in self.buffers]
        needed = counts[0] if len(counts) == 1 else f"max({', '.join(counts)})"
        tail = [f"    if status != _BUFFER_TOO_SMALL or {needed} <= capacity:", "        break"]
        return ["capacity = _FIRST_CAPACITY", "while True:", *arrays, f"    {call}", *tail, f"    capacity = {needed}"]


_IMPORTS = {
    "collections.abc": "Sequence",
    "ctypes": "CDLL CFUNCTYPE POINTER PYFUNCTYPE Structure addressof byref c_char c_char_p c_double c_float c_int8 "
    "c_int16 c_int32 c_int64 c_ssize_t c_uint8 c_uint16 c_uint32 c_uint64 c_void_p cast memmove py_object pythonapi "
    "sizeof",
    "enum": "IntEnum IntFlag",
    "typing": "Any Callable NoReturn",
}


def _imports(text: str) -> str:
    """Import statements for the names that the module uses."""
    used = set(re.findall(r"\w+", text))
    out = ""
    for module, names in _IMPORTS.items():
        wanted = [name for name in names.split() if name in used]
        if len(wanted) > 6:
            out += f"from {module} import (\n" + "".join(f"    {name},\n" for name in wanted) + ")\n"
        elif wanted:
            out += f"from {module} import {', '.join(wanted)}\n"
    return out


def _quoted(names: Iterable[str], indent: int) -> str:
    return "\n".join(f'{" " * indent}"{name}",' for name in names)


def _types_line(slot: Slot, structs: set[str]) -> str:
    types = "".join(f"{_raw_type(p, structs, False)}, " for p in slot.c_params()).rstrip()
    return f'    ("{slot.name}", ({types})),'


def _exports(table: Table, common: Common) -> list[str]:
    names = [_camel(e.name) for e in (*common.enums, *table.enums)]
    names += [s.name for s in (*common.structs, *table.structs)] + [c.name for c in table.callbacks]
    names += [
        "AbiError",
        "Api",
        "BUILD_KINDS",
        "Call",
        "GETTER",
        "MAGIC",
        "MAJOR",
        "MINOR",
        "PACKAGE",
        "Raw",
        "bytes_at",
        "bytes_pointer",
        "check",
    ]
    names += ["error_text", "load", "new_error", "platform_tag", "set_error", "str_at"]
    return sorted(names)


def emit_ctypes(table: Table, common: Common, source: str, template: str) -> str:
    """The whole module."""
    structs = {s.name for s in table.structs}
    declarations = "".join(_struct_class(s) for s in table.structs)
    declarations += "".join(_callback(c, structs) for c in table.callbacks) + "\n"
    declarations += "".join(_struct(s) for s in table.structs)
    names = [s.name for s in table.slots]
    parts = {
        "SOURCE": source,
        "TABLE": table.name,
        "MAJOR": str(table.major),
        "MINOR": str(table.minor),
        "MAGIC": f"0x{table.magic_number:016X}  # {table.magic!r}",
        "PACKAGE": table.package,
        "ENUMS": "".join(_enum(e) for e in (*common.enums, *table.enums)).rstrip() + "\n\n",
        "DECLARATIONS": declarations.rstrip() + "\n",
        "RAW_SLOTS": _quoted(names, 8),
        "RAW_ANNOTATIONS": "\n".join(f"    {name}: _Func" for name in names) + "\n",
        "CALL_SLOTS": _quoted([f"_{name}" for name in names], 8),
        "CALL_INIT": "\n".join(f"        self._{name} = raw.{name}" for name in names) + "\n",
        "CALLS": "".join(_CallEmitter(s).emit() for s in table.slots).rstrip() + "\n",
        "SLOT_TYPES": "\n".join(_types_line(s, structs) for s in table.slots),
        "ALL": _quoted(_exports(table, common), 4),
    }
    for key, text in parts.items():
        template = template.replace(f"@{key}@", text)
    return template.replace("@IMPORTS@", _imports(template))
