// Statuses of the table as Python exceptions, the same ones that the ctypes layer raises.
#pragma once

#include <cstdint>

#include "native/state.h"

namespace ge::native {

// An error block on the stack; only its head is written before a call.
struct ErrorBlock {
  ErrorBlock() noexcept { ge_error_init(&block); }
  ge_error block;
};

// Raises what the registered factory makes of a status. `item` is the object the call was for (may be null): one
// with handle 0 is reported as expired instead.
[[noreturn]] void fail(std::int32_t status, const ge_error& error, const char* slot, nb::handle item = {},
                       std::uint64_t handle = 1);

// Raises EXPIRED for an object of the class of `item`.
[[noreturn]] void fail_expired(nb::handle item, const char* slot = "");

// Raises OUT_OF_RANGE for an int that is no 32-bit unsigned number.
[[noreturn]] void fail_index(nb::handle number);

// Raises a Python exception of a built-in type.
[[noreturn]] void raise(PyObject* type, const char* format, ...);

// Raises the Python error that is set.
[[noreturn]] inline void propagate() { nb::raise_python_error(); }

// Calls a slot for an item and raises if it fails.
template <class T, class Slot, class... Args>
void call(T& item, Slot slot, const char* name, Args... args) {
  ErrorBlock error;
  const std::int32_t status = slot(args..., &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, name, nb::find(item), item.handle);
}

}  // namespace ge::native
