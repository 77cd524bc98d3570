// What every slot needs: handles to objects, indices to places, results to handles. All throw Failure.
#pragma once

#include <cstdint>
#include <string_view>

#include "ge_abi_support.hpp"
#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/graph.h"
#include "ge_ir_slots.h"

namespace ge_ir {

using ge::abi::guarded;

/// The live graph of a handle. WRONG_TYPE or STALE_HANDLE, naming the argument and the number.
Graph& require_graph(uint64_t handle, const char* what);
/// The live node of a handle.
Node& require_node(uint64_t handle, const char* what);
/// The live node of a handle, or null for 0.
Node* require_node_or_none(uint64_t handle, const char* what);

/// A graph or a node: one of the two pointers is set.
struct Owner {
  Graph* graph = nullptr;
  Node* node = nullptr;
};
/// The live graph or node of a handle.
Owner require_owner(uint64_t handle, const char* what);

/// OUT_OF_RANGE unless the node has that output.
void require_output(const Node& node, uint32_t index);
/// OUT_OF_RANGE unless the node has that input slot.
void require_input(const Node& node, uint32_t index);
/// Checks scope and index together: INPUT and OUTPUT need a node and a place, SELF needs index 0.
void require_place(const Owner& owner, uint32_t scope, uint32_t index);
/// OUT_OF_RANGE unless the number is a symbol.
void require_symbol(uint32_t symbol, const char* what);
/// A name, key or symbol text of the caller; OUT_OF_RANGE above the limit.
std::string_view require_name(const char* text, uint64_t size, const char* what);
/// SHUTDOWN after library_shutdown.
void require_running();
/// Called by library_shutdown.
void stop_running() noexcept;

/// Handle of an input's producer, 0 for an absent one.
inline uint64_t producer_handle(const Input& input) noexcept {
  return input.producer == kNoNode ? 0 : node_at(input.producer).handle();
}

}  // namespace ge_ir
