"""The generated ctypes binding, against the fixture's frozen producer and hand-written ones."""

from __future__ import annotations

import ctypes
import importlib.util
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _workspace import Workspace, build_producer, run

FROZEN = Path(__file__).resolve().parent / "frozen"
REPOSITORY = Path(__file__).resolve().parents[3]

# Slots with a behaviour of their own; the other ones are the table's stubs.
PRODUCER = """
#include <vector>
#include "ge_fx_slots.h"
#include "ge_fx_stubs.h"
using namespace ge::abi;
static ge_fx_point stored;
static std::string kept;
static int32_t version(const char** p, uint64_t* n, ge_error* e) {
  return guarded(e, [&] { write_text(p, n, kept, "text"); });
}
static int32_t open(const char* name, uint64_t name_size, const void* data, uint64_t data_size, uint32_t mode,
                    uint64_t* graph, ge_error* e) {
  return guarded(e, [&] {
    kept = std::string(text(name, name_size, "name"));
    ge_fx_mode_require(mode, "mode");
    require(graph, "graph") = bytes(data, data_size, "data").size();
  });
}
static int32_t close_(uint64_t graph, ge_error* e) {
  if (graph == 1) return GE_STATUS_STALE_HANDLE;  // fails without a text
  return set_error(e, 77, "gone \\xC3\\xA9");
}
static int32_t items(uint64_t graph, uint64_t* nodes, uint64_t nc, uint64_t* nn, double* weights, uint64_t wc,
                     uint64_t* wn, ge_error* e) {
  return guarded(e, [&] {
    Buffer<uint64_t> a(nodes, nc, nn, "nodes");
    Buffer<double> b(weights, wc, wn, "weights");
    announce(graph, a, b);
    for (uint64_t i = 0; i < graph; ++i) { a[i] = i; b[i] = 0.5 * static_cast<double>(i); }
  });
}
static int32_t gather(const uint64_t* nodes, uint64_t nn, const int64_t* sizes, uint64_t sn, const void** d,
                      uint64_t* dn, ge_error* e) {
  return guarded(e, [&] {
    kept.clear();
    for (const uint64_t x : view(nodes, nn, "nodes")) kept += static_cast<char>(x);
    for (const int64_t x : view(sizes, sn, "sizes")) kept += static_cast<char>(-x);
    write_bytes(d, dn, kept.data(), kept.size(), "data");
  });
}
static int32_t point_set(const ge_fx_point* p, ge_error* e) {
  return guarded(e, [&] { stored = read_struct(p, "point"); });
}
static int32_t point_get(ge_fx_point* p, ge_error* e) {
  return guarded(e, [&] { write_struct(p, stored, "point"); });
}
static int32_t visit(ge_fx_visit_fn fn, void* user, uint32_t count, ge_error* e) {
  return guarded(e, [&] {
    if (fn == nullptr) invalid("visit is null");
    for (uint32_t i = 0; i < count; ++i) call(fn, user, static_cast<uint64_t>(i), "l\\0x", static_cast<uint64_t>(3));
  });
}
static int32_t raw_bytes(uint8_t* d, uint64_t dc, uint64_t* dn, int32_t* extra, ge_error* e) {
  return guarded(e, [&] {
    require(extra, "extra") = -5;
    write_buffer(d, dc, dn, std::vector<uint8_t>(40, 7), "data");
  });
}
extern "C" GE_ABI_EXPORT int32_t ge_fx_get_api(void* table, uint64_t bytes, ge_error* error) noexcept {
  ge_fx_api own;
  ge_fx_api_init(&own);
  own.version = version; own.open = open; own.close = close_; own.items = items; own.gather = gather;
  own.point_set = point_set; own.point_get = point_get; own.visit = visit; own.raw_bytes = raw_bytes;
  return fill_table(table, bytes, &own, "ge_fx", "ge-fx", error);
}
"""


def load_module(workspace: Workspace) -> ModuleType:
    """Imports the generated binding of a workspace under a name of its own."""
    path = workspace.root / "packages" / "ge-fx" / "src" / "ge" / "fx" / "_abi.py"
    spec = importlib.util.spec_from_file_location(f"fx_abi_{workspace.table.minor}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def abi(fx: Workspace) -> ModuleType:
    return load_module(fx)


def _build(fx: Workspace, target: Path, *flags: str) -> Path:
    source = target.with_suffix(".cpp")
    source.write_text(PRODUCER, encoding="utf-8")
    run("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", str(fx.include), *flags,
        str(source), "-o", str(target))  # fmt: skip
    return target


@pytest.fixture(scope="module")
def api(fx: Workspace, abi: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return abi.load(_build(fx, tmp_path_factory.mktemp("lib") / "libfx.so", "-DNDEBUG"))


def test_load_tells_what_was_loaded(api: Any, abi: ModuleType) -> None:
    assert (api.minor, api.features, api.platform) == (1, 0, abi.platform_tag())
    assert api.path.endswith("libfx.so")
    again = abi.Api(api.getter_address())
    assert again.minor == 1 and again.call.open("x", b"", 0) == 0


def test_a_debug_library_is_taken_too(fx: Workspace, abi: ModuleType, tmp_path: Path) -> None:
    assert abi.load(_build(fx, tmp_path / "libdebug.so")).platform == abi.platform_tag("debug")


@pytest.mark.parametrize("text", ["", "plain", "a\0b", "é€😀", b"\xff\x00raw"])
def test_texts_round_trip(api: Any, text: str | bytes) -> None:
    api.call.open(text, b"", 0)
    found = api.call.version()
    assert found.encode("utf-8", "surrogateescape") == (text if isinstance(text, bytes) else text.encode())


def test_values_in_and_out(api: Any) -> None:
    assert api.call.open("n", b"12\x00456", 3) == 6
    assert api.call.items(3) == ([0, 1, 2], [0.0, 0.5, 1.0])
    nodes, weights = api.call.items(1000)
    assert nodes == list(range(1000)) and weights[-1] == 499.5
    assert api.call.gather([1, 0, 255], [-2]) == b"\x01\x00\xff\x02"
    assert api.call.gather([], []) == b""
    assert api.call.raw_bytes() == (b"\x07" * 40, -5)


def test_structs(api: Any, abi: ModuleType) -> None:
    point = abi.ge_fx_point(color=abi.GeFxColor.BLUE, x=1.5, y=-2.0, label=abi.bytes_pointer(b"ab\0c"))
    assert point.struct_size == ctypes.sizeof(abi.ge_fx_point)
    api.call.point_set(point)
    found = api.call.point_get()
    assert (found.color, found.x, found.y, found.label[:4]) == (7, 1.5, -2.0, b"ab\0c")
    with pytest.raises(
        abi.AbiError, match=r"ge_fx.point_set: INVALID_ARGUMENT: point.reserved0 is reserved and must be 0"
    ):
        api.call.point_set(abi.ge_fx_point(reserved0=1))
    with pytest.raises(abi.AbiError, match=r"INVALID_ARGUMENT: point .ge_fx_point. is null"):
        api.call.point_set(None)


def test_failures(api: Any, abi: ModuleType) -> None:
    with pytest.raises(abi.AbiError) as caught:
        api.call.close(2)
    error = caught.value
    assert (error.status, error.slot, error.message) == (77, "close", "gone é")
    assert str(error) == "ge_fx.close: status 77: gone é" and isinstance(error, RuntimeError)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.status, copy.slot, copy.message) == (77, "close", "gone é")
    with pytest.raises(abi.AbiError) as caught:
        api.call.close(1)
    assert (caught.value.status, caught.value.message) == (abi.GeStatus.STALE_HANDLE, "")


def test_raw_calls_and_check(api: Any, abi: ModuleType) -> None:
    error, graph = abi.new_error(), ctypes.c_uint64()
    status = api.raw.open(b"n", 1, b"xyz", 3, 0, ctypes.byref(graph), ctypes.byref(error))
    assert (status, graph.value) == (0, 3)
    abi.check(status, "open", error)
    status = api.raw.open(None, 5, None, 0, 0, ctypes.byref(graph), ctypes.addressof(error))
    with pytest.raises(abi.AbiError, match=r"ge_fx.open: INVALID_ARGUMENT: name is null but its size is 5"):
        abi.check(status, "open", error)


def test_callbacks(api: Any, abi: ModuleType) -> None:
    seen: list[tuple[int, bytes]] = []

    @abi.ge_fx_visit_fn  # type: ignore[untyped-decorator]
    def visit(user: int | None, item: int, label: int, size: int, error: int) -> int:
        seen.append((item, abi.bytes_at(label, size)))
        return 0 if item < 2 else int(abi.set_error(error, abi.GeStatus.REFUSED, "stop é" + "€" * 2000))

    api.call.visit(visit, None, 2)
    assert seen == [(0, b"l\0x"), (1, b"l\0x")]
    with pytest.raises(abi.AbiError) as caught:
        api.call.visit(visit, None, 5)
    assert caught.value.status == abi.GeStatus.REFUSED and len(seen) == 5
    assert caught.value.message == "stop é" + "€" * ((4071 - 7) // 3)
    with pytest.raises(abi.AbiError, match="visit is null"):
        api.call.visit(None, None, 1)


def test_each_thread_has_its_own_error(api: Any, abi: ModuleType) -> None:
    wrong: list[str] = []

    def work(number: int) -> None:
        for _ in range(300):
            try:
                api.call.open("n", b"", 4 << number)
            except abi.AbiError as exc:
                if f"bits {4 << number:#x} " not in exc.message:
                    wrong.append(exc.message)
            else:
                wrong.append("no error")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_older_library(abi: ModuleType, tmp_path: Path) -> None:
    old = build_producer(FROZEN / "1.0", tmp_path / "libold.so")
    with pytest.raises(abi.AbiError) as caught:
        abi.load(old)
    assert caught.value.status == abi.GeStatus.ABI_MISMATCH
    assert "needs table 1.1, this library has 1.0: pip install --upgrade ge-fx" in caught.value.message
    api = abi.load(old, needed_minor=0)
    assert api.minor == 0
    for slots, arguments in ((api.call, (0,)), (api.raw, (0, None))):
        with pytest.raises(abi.AbiError) as caught:
            slots.bind(*arguments)
        assert (caught.value.status, caught.value.slot) == (abi.GeStatus.UNIMPLEMENTED, "bind")
    assert api.raw.close(22, None) == 0


def test_not_our_library(abi: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"no/such/lib.so"):
        abi.load(tmp_path / "no/such/lib.so")
    (tmp_path / "empty.c").write_text("int nothing;\n", encoding="utf-8")
    run("gcc", "-shared", "-fPIC", str(tmp_path / "empty.c"), "-o", str(tmp_path / "libempty.so"))
    with pytest.raises(
        abi.AbiError, match=r"libempty.so does not export ge_fx_get_api: this is not the library of ge-fx"
    ):
        abi.load(tmp_path / "libempty.so")


def test_layout_equals_the_compiler(abi: ModuleType, fx: Workspace, tmp_path: Path) -> None:
    names = ["ge_abi_header", "ge_error", *(s.name for s in fx.table.structs)]
    facts = [(n, f) for n in names for f, *_ in getattr(abi, n)._fields_]
    prints = "".join(f'printf("%zu %zu\\n", offsetof({n}, {f}), sizeof((({n}*)0)->{f}));\n' for n, f in facts)
    source = tmp_path / "layout.c"
    source.write_text(
        f'#include <stdio.h>\n#include "ge_fx_api.h"\nint main(void) {{ {prints} return 0; }}\n', encoding="utf-8"
    )
    run("gcc", "-I", str(fx.include), str(source), "-o", str(tmp_path / "layout"))
    found = [tuple(map(int, line.split())) for line in run(str(tmp_path / "layout")).splitlines()]
    assert found == [(getattr(getattr(abi, n), f).offset, getattr(getattr(abi, n), f).size) for n, f in facts]


def test_import_needs_the_standard_library_only(fx: Workspace) -> None:
    path = fx.root / "packages" / "ge-fx" / "src" / "ge" / "fx"
    code = f"import sys; sys.path.insert(0, {str(path)!r}); "
    code += "import _abi; print(sorted(m for m in sys.modules if 'numpy' in m))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")
