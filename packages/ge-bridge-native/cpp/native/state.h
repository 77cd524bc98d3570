// What the extension keeps for the life of the process: the bound table, the public classes, the error factory.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "ge_abi_support.hpp"
#include "ge_ir_stubs.h"

namespace ge::native {

namespace nb = nanobind;

// Only raw pointers, and no owner at process end: nothing here may touch Python when static storage dies.
struct State {
  abi::Table<ge_ir_api> ir;
  std::uint64_t getter = 0;
  PyObject* graph_type = nullptr;  // most derived classes, see register_types
  PyObject* node_type = nullptr;
  PyObject* tensor_type = nullptr;
  PyObject* error_factory = nullptr;
  PyObject* module_name = nullptr;  // set once the module has been executed
};

// The state of the process. Guarded by the interpreter lock; the main interpreter is the only one (see module.cc).
State& state() noexcept;

// The bound table.
inline const ge_ir_api& ir() noexcept { return *state().ir; }

// Replaces a stored reference.
void store(PyObject*& place, nb::handle value) noexcept;

}  // namespace ge::native
