// Slots: reading a match.
#include "ge_passes/match.h"
#include "ge_passes_slots.h"

using namespace ge_passes;
using ge::abi::guarded;

namespace {

/// Target value of a value of the pattern.
Value target_of(const Match& match, Value value) {
  const int64_t input = match.program->input_number(value.node);
  if (input >= 0) return match.inputs[static_cast<size_t>(input)];
  return {match.nodes[static_cast<size_t>(match.program->node_number(value.node))], value.index};
}

}  // namespace

extern "C" int32_t ge_passes_slot_match_nodes(uint64_t match, uint64_t* nodes, uint64_t nodes_capacity,
                                              uint64_t* nodes_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Match> held = matches().require(match, "match");
    ge::abi::write_buffer(nodes, nodes_capacity, nodes_count, held->in_order, "nodes");
  });
}

extern "C" int32_t ge_passes_slot_match_captured(uint64_t match, uint32_t index, uint64_t* node, uint32_t* output_index,
                                                 ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out_node = ge::abi::require(node, "node");
    uint32_t& out_index = ge::abi::require(output_index, "output_index");
    const std::shared_ptr<Match> held = matches().require(match, "match");
    const std::vector<Value> captures = held->pattern->captures();
    if (index >= captures.size()) {
      fail(GE_STATUS_OUT_OF_RANGE, "capture ", index, " of pattern ", quoted(held->pattern->name()), ", which has ",
           uint64_t{captures.size()}, " captures");
    }
    const Value value = target_of(*held, captures[index]);
    out_node = value.node;
    out_index = value.index;
  });
}

extern "C" int32_t ge_passes_slot_match_inputs(uint64_t match, uint64_t* nodes, uint64_t nodes_capacity,
                                               uint64_t* nodes_count, uint32_t* indices, uint64_t indices_capacity,
                                               uint64_t* indices_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Match> held = matches().require(match, "match");
    ge::abi::Buffer<uint64_t> out_nodes(nodes, nodes_capacity, nodes_count, "nodes");
    ge::abi::Buffer<uint32_t> out_indices(indices, indices_capacity, indices_count, "indices");
    ge::abi::announce(held->inputs.size(), out_nodes, out_indices);
    for (size_t i = 0; i < held->inputs.size(); ++i) {
      out_nodes[i] = held->inputs[i].node;
      out_indices[i] = held->inputs[i].index;
    }
  });
}

extern "C" int32_t ge_passes_slot_match_node_of(uint64_t match, uint64_t pattern_node, uint64_t* node,
                                                ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(node, "node");
    const std::shared_ptr<Match> held = matches().require(match, "match");
    if (held->program->node_number(pattern_node) < 0 && held->program->input_number(pattern_node) < 0) {
      fail(GE_STATUS_FOREIGN, "pattern_node ", hex(pattern_node), " is no input and no inner node of pattern ",
           quoted(held->pattern->name()));
    }
    out = target_of(*held, {pattern_node, 0}).node;
  });
}

extern "C" int32_t ge_passes_slot_match_pattern(uint64_t match, uint64_t* pattern, const char** graph_name,
                                                uint64_t* graph_name_size, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(pattern, "pattern");
    const std::shared_ptr<Match> held = matches().require(match, "match");
    ge::abi::write_text(graph_name, graph_name_size, held->pattern->name(), "graph_name");
    out = held->pattern->handle;
  });
}

extern "C" int32_t ge_passes_slot_match_graph(uint64_t match, uint64_t* graph, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(graph, "graph");
    out = matches().require(match, "match")->graph;
  });
}
