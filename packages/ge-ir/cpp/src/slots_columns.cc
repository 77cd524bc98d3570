// Slots: whole columns at once.
#include "ge_ir/slot_support.h"

using namespace ge_ir;

extern "C" int32_t ge_ir_slot_columns_ops(uint64_t graph, uint64_t* nodes, uint64_t nodes_capacity,
                                          uint64_t* nodes_count, uint32_t* type_symbols, uint64_t type_symbols_capacity,
                                          uint64_t* type_symbols_count, uint32_t* domain_symbols,
                                          uint64_t domain_symbols_capacity, uint64_t* domain_symbols_count,
                                          ge_error* error) noexcept {
  return guarded(error, [&] {
    const Graph& found = require_graph(graph, "graph");
    ge::abi::Buffer<uint64_t> handles(nodes, nodes_capacity, nodes_count, "nodes");
    ge::abi::Buffer<uint32_t> types(type_symbols, type_symbols_capacity, type_symbols_count, "type_symbols");
    ge::abi::Buffer<uint32_t> domains(domain_symbols, domain_symbols_capacity, domain_symbols_count, "domain_symbols");
    ge::abi::announce(found.count, handles, types, domains);
    size_t i = 0;
    for (Node* node = found.first_node(); node != nullptr; node = Graph::next_node(*node), ++i) {
      handles[i] = node->handle();
      types[i] = node->type;
      domains[i] = node->domain;
    }
  });
}

extern "C" int32_t ge_ir_slot_columns_edges(uint64_t graph, uint64_t* users, uint64_t users_capacity,
                                            uint64_t* users_count, uint32_t* slots, uint64_t slots_capacity,
                                            uint64_t* slots_count, uint64_t* producers, uint64_t producers_capacity,
                                            uint64_t* producers_count, uint32_t* output_indices,
                                            uint64_t output_indices_capacity, uint64_t* output_indices_count,
                                            ge_error* error) noexcept {
  return guarded(error, [&] {
    const Graph& found = require_graph(graph, "graph");
    ge::abi::Buffer<uint64_t> readers(users, users_capacity, users_count, "users");
    ge::abi::Buffer<uint32_t> places(slots, slots_capacity, slots_count, "slots");
    ge::abi::Buffer<uint64_t> sources(producers, producers_capacity, producers_count, "producers");
    ge::abi::Buffer<uint32_t> indices(output_indices, output_indices_capacity, output_indices_count, "output_indices");
    uint64_t needed = 0;
    for (Node* node = found.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      for (const Input& input : node->inputs) needed += input.producer != kNoNode ? 1 : 0;
    }
    ge::abi::announce(needed, readers, places, sources, indices);
    size_t i = 0;
    for (Node* node = found.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      for (uint32_t slot = 0; slot < node->inputs.size(); ++slot) {
        if (node->inputs[slot].producer == kNoNode) continue;
        readers[i] = node->handle();
        places[i] = slot;
        sources[i] = producer_handle(node->inputs[slot]);
        indices[i++] = node->inputs[slot].output;
      }
    }
  });
}
