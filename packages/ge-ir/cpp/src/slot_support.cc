#include "ge_ir/slot_support.h"

#include <atomic>

#include "ge_ir/symbol.h"

namespace ge_ir {
namespace {

std::atomic<bool> stopped{false};

[[noreturn]] void wrong_type(uint64_t handle, const char* what, const char* expected) {
  if (handle == 0) fail(GE_STATUS_WRONG_TYPE, what, " is the null handle; expected ", expected);
  fail(GE_STATUS_WRONG_TYPE, what, " ", hex(handle), " is a handle of type ", handle_type_name(handle_type(handle)),
       "; expected ", expected);
}

[[noreturn]] void stale(uint64_t handle, const char* what, const char* expected) {
  fail(GE_STATUS_STALE_HANDLE, what, " ", hex(handle), ": that ", expected,
       " is gone (removed, released or rolled back)");
}

bool has_type(uint64_t handle, HandleType type) noexcept { return handle_type(handle) == static_cast<uint8_t>(type); }

}  // namespace

Graph& require_graph(uint64_t handle, const char* what) {
  if (!has_type(handle, HandleType::kGraph)) wrong_type(handle, what, "GRAPH");
  Graph* graph = graphs().peek(handle);
  if (graph == nullptr) stale(handle, what, "graph");
  return *graph;
}

Node& require_node(uint64_t handle, const char* what) {
  if (!has_type(handle, HandleType::kNode)) wrong_type(handle, what, "NODE");
  Node* node = find_node(handle);
  if (node == nullptr) stale(handle, what, "node");
  return *node;
}

Node* require_node_or_none(uint64_t handle, const char* what) {
  return handle == 0 ? nullptr : &require_node(handle, what);
}

Owner require_owner(uint64_t handle, const char* what) {
  if (has_type(handle, HandleType::kNode)) return {nullptr, &require_node(handle, what)};
  if (has_type(handle, HandleType::kGraph)) return {&require_graph(handle, what), nullptr};
  wrong_type(handle, what, "GRAPH or NODE");
}

void require_output(const Node& node, uint32_t index) {
  if (index < node.outputs.size()) return;
  fail(GE_STATUS_OUT_OF_RANGE, "output ", index, " of ", describe(node), ": it has ", node.outputs.size(), " outputs");
}

void require_input(const Node& node, uint32_t index) {
  if (index < node.inputs.size()) return;
  fail(GE_STATUS_OUT_OF_RANGE, "input ", index, " of ", describe(node), ": it has ", node.inputs.size(), " inputs");
}

void require_place(const Owner& owner, uint32_t scope, uint32_t index) {
  ge_ir_scope_require(scope, "scope");
  if (scope == GE_IR_SCOPE_SELF) {
    if (index != 0) fail(GE_STATUS_OUT_OF_RANGE, "index is ", index, "; must be 0 for scope SELF");
    return;
  }
  if (owner.node == nullptr) {
    fail(GE_STATUS_INVALID_ARGUMENT, "scope ", ge_ir_scope_name(scope), " needs a node, found ",
         describe(*owner.graph));
  }
  if (scope == GE_IR_SCOPE_OUTPUT) {
    require_output(*owner.node, index);
  } else {
    require_input(*owner.node, index);
  }
}

void require_symbol(uint32_t symbol, const char* what) {
  if (is_symbol(symbol)) return;
  fail(GE_STATUS_OUT_OF_RANGE, what, " is ", symbol, ", which is no symbol (there are ", symbol_count(), ")");
}

std::string_view require_name(const char* text, uint64_t size, const char* what) {
  if (size > kMaxNameBytes) fail(GE_STATUS_OUT_OF_RANGE, what, " has ", size, " bytes; at most ", kMaxNameBytes);
  return ge::abi::text(text, size, what);
}

void require_running() {
  if (stopped.load(std::memory_order_acquire)) {
    fail(GE_STATUS_SHUTDOWN, "ge_ir was shut down in this process; nothing can be created any more");
  }
}

void stop_running() noexcept { stopped.store(true, std::memory_order_release); }

}  // namespace ge_ir
