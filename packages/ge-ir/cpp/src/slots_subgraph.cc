// Slots: subgraphs and transactions.
#include "ge_ir/slot_support.h"

using namespace ge_ir;

extern "C" int32_t ge_ir_slot_subgraph_attach(uint64_t owner, const char* key, uint64_t key_size, uint64_t child,
                                              ge_error* error) noexcept {
  return guarded(error, [&] {
    const Owner found = require_owner(owner, "owner");
    const std::string_view name = require_name(key, key_size, "key");
    attach_subgraph(found.graph, found.node, name, require_graph(child, "child"));
  });
}

extern "C" int32_t ge_ir_slot_subgraph_detach(uint64_t owner, const char* key, uint64_t key_size, uint64_t* child,
                                              ge_error* error) noexcept {
  return guarded(error, [&] {
    const Owner found = require_owner(owner, "owner");
    const std::string_view name = require_name(key, key_size, "key");
    uint64_t& out = ge::abi::require(child, "child");
    out = detach_subgraph(found.graph, found.node, name).handle;
  });
}

extern "C" int32_t ge_ir_slot_subgraph_get(uint64_t owner, const char* key, uint64_t key_size, uint64_t* child,
                                           ge_error* error) noexcept {
  return guarded(error, [&]() -> int32_t {
    const Owner found = require_owner(owner, "owner");
    const std::string_view name = require_name(key, key_size, "key");
    uint64_t& out = ge::abi::require(child, "child");
    const Graph* match = find_subgraph(found.graph, found.node, name);
    if (match == nullptr) {
      const std::string where = found.node != nullptr ? describe(*found.node) : describe(*found.graph);
      return ge::abi::set_error(error, GE_STATUS_NOT_FOUND, cat(where, " has no subgraph under ", quoted(name)));
    }
    out = match->handle;
    return GE_STATUS_OK;
  });
}

extern "C" int32_t ge_ir_slot_subgraph_list(uint64_t owner, uint64_t* children, uint64_t capacity, uint64_t* count,
                                            ge_error* error) noexcept {
  return guarded(error, [&] {
    const Owner found = require_owner(owner, "owner");
    ge::abi::Buffer<uint64_t> out(children, capacity, count, "graphs");
    const SubgraphSet* set = subgraphs_of(found.graph, found.node);
    ge::abi::announce(set != nullptr ? set->count : 0, out);
    size_t i = 0;
    for (Graph* child = set != nullptr ? set->first : nullptr; child != nullptr; child = child->next_sibling) {
      out[i++] = child->handle;
    }
  });
}

extern "C" int32_t ge_ir_slot_transaction_begin(uint64_t graph, uint32_t* depth, ge_error* error) noexcept {
  return guarded(error, [&] {
    Graph& found = require_graph(graph, "graph");
    begin_transaction(found, &ge::abi::require(depth, "depth"));
  });
}

extern "C" int32_t ge_ir_slot_transaction_commit(uint64_t graph, ge_error* error) noexcept {
  return guarded(error, [&] { commit_transaction(require_graph(graph, "graph")); });
}

extern "C" int32_t ge_ir_slot_transaction_rollback(uint64_t graph, ge_error* error) noexcept {
  return guarded(error, [&] { rollback_transaction(require_graph(graph, "graph")); });
}
