// Binding the ge_ir table.
#include <atomic>
#include <mutex>

#include "ge_passes/ir.h"

namespace ge_passes {
namespace {

struct Binding {
  explicit Binding(ge_abi_getter from) : getter(from), table(from) {}
  ge_abi_getter getter;
  ge::abi::Table<ge_ir_api> table;
  Symbols symbols{};
};

std::atomic<const Binding*> bound{nullptr};
std::mutex binding_mutex;

uint32_t intern_in(const Binding& binding, std::string_view text) {
  uint32_t symbol = 0;
  ge::abi::call(binding.table->symbol_intern, text.data(), static_cast<uint64_t>(text.size()), &symbol);
  return symbol;
}

Symbols make_symbols(const Binding& binding) {
  Symbols s{};
  s.data = intern_in(binding, "Data");
  s.net_output = intern_in(binding, "NetOutput");
  s.constant_ge = intern_in(binding, "Const");
  s.constant_onnx = intern_in(binding, "Constant");
  s.index = intern_in(binding, "index");
  s.value = intern_in(binding, "value");
  s.origin_nodes = intern_in(binding, "_origin_nodes");
  s.pass_names = intern_in(binding, "_pass_names");
  s.value_int = intern_in(binding, "value_int");
  s.value_ints = intern_in(binding, "value_ints");
  s.value_float = intern_in(binding, "value_float");
  s.value_floats = intern_in(binding, "value_floats");
  return s;
}

const Binding& binding() {
  const Binding* found = bound.load(std::memory_order_acquire);
  if (found == nullptr) {
    fail(GE_STATUS_INVALID_STATE, "no graph library is bound: call bind_ir with the address of ge_ir_get_api first");
  }
  return *found;
}

}  // namespace

void bind_ir(ge_abi_getter getter) {
  if (getter == nullptr) ge::abi::invalid("ir_getter is null");
  std::lock_guard<std::mutex> lock(binding_mutex);
  const Binding* found = bound.load(std::memory_order_acquire);
  if (found != nullptr) {
    if (found->getter == getter) return;
    fail(GE_STATUS_REFUSED, "another graph library is bound already: a process works with one libge_ir");
  }
  // Never freed: graphs may be read as long as the process lives.
  Binding* fresh = new Binding(getter);
  try {
    fresh->symbols = make_symbols(*fresh);
  } catch (...) {
    delete fresh;
    throw;
  }
  bound.store(fresh, std::memory_order_release);
}

const ge_ir_api& ir() { return *binding().table; }
const Symbols& symbols() { return binding().symbols; }

}  // namespace ge_passes
