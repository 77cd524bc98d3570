"""The table of the bridge, bound by hand: what a native caller does, from Python."""

from __future__ import annotations

import os
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    byref,
    c_char,
    c_char_p,
    c_int32,
    c_uint32,
    c_uint64,
    c_void_p,
    cast,
    sizeof,
    string_at,
)

from ge.passes import _abi

SLOTS = ("configure", "start", "info", "register_passes", "report", "reset", "shutdown")
_MAGIC = int.from_bytes(b"GEBRGAPI", "little")


class Config(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved0", c_uint32),
        ("native_module_path", c_char_p),
        ("native_module_path_size", c_uint64),
        ("python_executable", c_char_p),
        ("python_executable_size", c_uint64),
    ]


class Info(Structure):
    _fields_ = [
        (name, c_uint32)
        for name in (
            "struct_size",
            "initialized",
            "owned",
            "built_major",
            "built_minor",
            "running_major",
            "running_minor",
            "passes",
        )
    ]


class Table(Structure):
    _fields_ = [("header", _abi.ge_abi_header), ("slots", c_void_p * len(SLOTS))]


class BridgeError(Exception):
    """A slot failed."""

    def __init__(self, status, message):
        super().__init__(f"{_abi.GeStatus(status).name}: {message}")
        self.status = _abi.GeStatus(status)


class Bridge:
    """Slots as methods; a failure raises `BridgeError`."""

    def __init__(self, path):
        self.library = CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self.table = Table()
        header = self.table.header
        header.magic, header.abi_major, header.header_size = _MAGIC, 1, 48
        header.slot_count, header.table_size = len(SLOTS), sizeof(Table)
        getter = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_void_p)(("ge_bridge_get_api", self.library))
        for kind in _abi.BUILD_KINDS:
            header.platform_tag = _abi.platform_tag(kind).encode()
            error = _abi.new_error()
            status = getter(addressof(self.table), sizeof(Table), addressof(error))
            if status != _abi.GeStatus.ABI_MISMATCH:
                break
        if status:
            raise BridgeError(status, _abi.error_text(error))

    def _call(self, name, *arguments):
        error = _abi.new_error()
        types = [type(item) if not isinstance(item, int) else c_uint64 for item in arguments]
        slot = CFUNCTYPE(c_int32, *types, c_void_p)(self.table.slots[SLOTS.index(name)])
        status = slot(*arguments, addressof(error))
        if status:
            raise BridgeError(status, _abi.error_text(error))

    def configure(self, native, executable=""):
        native, executable = native.encode(), executable.encode()
        config = Config(sizeof(Config), 0, native, len(native), executable, len(executable))
        self._call("configure", cast(byref(config), c_void_p))

    def start(self):
        self._call("start")

    def info(self):
        info = Info(sizeof(Info))
        self._call("info", cast(byref(info), c_void_p))
        return {name: getattr(info, name) for name, _ in Info._fields_[1:]}

    def register_passes(self, ir, passes, flags=0):
        count = c_uint64()
        self._call("register_passes", c_void_p(ir), c_void_p(passes), c_uint32(flags), cast(byref(count), c_void_p))
        return count.value

    def report(self):
        text, size = POINTER(c_char)(), c_uint64()
        self._call("report", cast(byref(text), c_void_p), cast(byref(size), c_void_p))
        return string_at(text, size.value).decode()

    def reset(self):
        self._call("reset")

    def shutdown(self):
        self._call("shutdown")


def getters():
    """Addresses that register_passes takes."""
    from ge.passes._library import getter_addresses

    return getter_addresses()
