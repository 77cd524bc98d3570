// Slots: graphs.
#include <algorithm>

#include "ge_ir/blob.h"
#include "ge_ir/clone.h"
#include "ge_ir/order.h"
#include "ge_ir/slot_support.h"
#include "ge_ir/verify.h"

using namespace ge_ir;

extern "C" int32_t ge_ir_slot_graph_create(const char* name, uint64_t name_size, uint64_t* graph,
                                           ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    uint64_t& out = ge::abi::require(graph, "graph");
    out = create_graph(require_name(name, name_size, "name")).handle;
  });
}

extern "C" int32_t ge_ir_slot_graph_release(uint64_t graph, ge_error* error) noexcept {
  return guarded(error, [&] { release_graph(require_graph(graph, "graph")); });
}

extern "C" int32_t ge_ir_slot_graph_clone(uint64_t graph, const char* name, uint64_t name_size, uint64_t* copy,
                                          ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    Graph& original = require_graph(graph, "graph");
    uint64_t& out = ge::abi::require(copy, "copy");
    out = clone_graph(original, require_name(name, name_size, "name")).handle;
  });
}

extern "C" int32_t ge_ir_slot_graph_name(uint64_t graph, const char** text, uint64_t* text_size,
                                         ge_error* error) noexcept {
  return guarded(error,
                 [&] { ge::abi::write_text(text, text_size, require_graph(graph, "graph").name.view(), "text"); });
}

extern "C" int32_t ge_ir_slot_graph_set_name(uint64_t graph, const char* name, uint64_t name_size,
                                             ge_error* error) noexcept {
  return guarded(error, [&] { rename_graph(require_graph(graph, "graph"), require_name(name, name_size, "name")); });
}

extern "C" int32_t ge_ir_slot_graph_version(uint64_t graph, uint64_t* version, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::require(version, "version") = require_graph(graph, "graph").version; });
}

extern "C" int32_t ge_ir_slot_graph_owner(uint64_t graph, uint64_t* owner, const char** key, uint64_t* key_size,
                                          ge_error* error) noexcept {
  return guarded(error, [&] {
    const Graph& found = require_graph(graph, "graph");
    uint64_t& out = ge::abi::require(owner, "owner");
    ge::abi::write_text(key, key_size, found.parent() != nullptr ? found.key.view() : std::string_view(), "key");
    out = found.owner_node != nullptr    ? found.owner_node->handle()
          : found.owner_graph != nullptr ? found.owner_graph->handle
                                         : 0;
  });
}

extern "C" int32_t ge_ir_slot_graph_node_count(uint64_t graph, uint64_t* count, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::require(count, "count") = require_graph(graph, "graph").count; });
}

extern "C" int32_t ge_ir_slot_graph_nodes(uint64_t graph, uint32_t order, uint64_t* nodes, uint64_t nodes_capacity,
                                          uint64_t* nodes_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    Graph& found = require_graph(graph, "graph");
    ge_ir_order_require(order, "order");
    ge::abi::Buffer<uint64_t> out(nodes, nodes_capacity, nodes_count, "nodes");
    ge::abi::announce(found.count, out);
    size_t i = 0;
    if (order == GE_IR_ORDER_LIST) {
      for (Node* node = found.first_node(); node != nullptr; node = Graph::next_node(*node)) out[i++] = node->handle();
      return;
    }
    const Topology topology = order_nodes(found);
    if (!topology.cycle.empty()) {
      fail(GE_STATUS_CYCLE, describe(found), " has a cycle of ", uint64_t{topology.cycle.size()},
           " nodes: ", describe_cycle(topology));
    }
    for (const uint32_t id : topology.order) out[i++] = node_at(id).handle();
  });
}

extern "C" int32_t ge_ir_slot_graph_find_node(uint64_t graph, const char* name, uint64_t name_size, uint64_t* node,
                                              ge_error* error) noexcept {
  return guarded(error, [&]() -> int32_t {
    const Graph& found = require_graph(graph, "graph");
    const std::string_view wanted = require_name(name, name_size, "name");
    uint64_t& out = ge::abi::require(node, "node");
    // Asking is a way to probe, so a miss is reported without an exception.
    const Node* match = found.find(wanted);
    if (match == nullptr) {
      return ge::abi::set_error(error, GE_STATUS_NOT_FOUND,
                                cat(describe(found), " has no node named ", quoted(wanted)));
    }
    out = match->handle();
    return GE_STATUS_OK;
  });
}

extern "C" int32_t ge_ir_slot_graph_sort(uint64_t graph, ge_error* error) noexcept {
  return guarded(error, [&] { sort_graph(require_graph(graph, "graph")); });
}

extern "C" int32_t ge_ir_slot_graph_unique_name(uint64_t graph, const char* base, uint64_t base_size, const char** name,
                                                uint64_t* name_size, ge_error* error) noexcept {
  return guarded(error, [&] {
    Graph& found = require_graph(graph, "graph");
    const std::string_view wanted = require_name(base, base_size, "base");
    if (wanted.empty()) fail(GE_STATUS_INVALID_ARGUMENT, "base is empty");
    found.unique_name = make_unique_name(found, wanted);
    ge::abi::write_text(name, name_size, found.unique_name, "name");
  });
}

extern "C" int32_t ge_ir_slot_graph_verify(uint64_t graph, uint64_t* report, ge_error* error) noexcept {
  return guarded(error, [&]() -> int32_t {
    Graph& found = require_graph(graph, "graph");
    uint64_t& out = ge::abi::require(report, "report");
    std::string findings = verify_graph(found);
    const uint64_t lines = static_cast<uint64_t>(std::count(findings.begin(), findings.end(), '\n'));
    const std::string first = findings.substr(0, findings.find('\n'));
    out = make_blob(std::move(findings));
    if (lines == 0) return GE_STATUS_OK;
    return ge::abi::set_error(
        error, GE_STATUS_VERIFY_FAILED,
        cat(describe(found), " breaks ", lines, lines == 1 ? " rule: " : " rules, first: ", first));
  });
}
