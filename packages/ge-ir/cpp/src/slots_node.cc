// Slots: nodes.
#include <vector>

#include "ge_ir/slot_support.h"
#include "ge_ir/symbol.h"

using namespace ge_ir;

namespace {

/// Resolves the producers of a new node.
std::vector<Value> read_inputs(const ge_ir_node_spec& spec) {
  if (spec.input_count > kMaxArity) {
    fail(GE_STATUS_OUT_OF_RANGE, "spec.input_count is ", spec.input_count, "; at most ", kMaxArity);
  }
  const auto producers = ge::abi::view(spec.input_nodes, spec.input_count, "spec.input_nodes");
  const auto indices = ge::abi::view(spec.input_indices, spec.input_count, "spec.input_indices");
  std::vector<Value> values(producers.size());
  for (size_t i = 0; i < producers.size(); ++i) {
    values[i] = {require_node_or_none(producers[i], "spec.input_nodes"), indices[i]};
    if (values[i].node != nullptr) require_output(*values[i].node, indices[i]);
  }
  return values;
}

NodeSpec read_spec(const ge_ir_node_spec& spec, Graph& graph, const std::vector<Value>& inputs) {
  require_symbol(spec.type_symbol, "spec.type_symbol");
  require_symbol(spec.domain_symbol, "spec.domain_symbol");
  if (spec.type_symbol == 0) fail(GE_STATUS_INVALID_ARGUMENT, "spec.type_symbol is 0; a node needs an operator type");
  if (spec.output_count > kMaxArity) {
    fail(GE_STATUS_OUT_OF_RANGE, "spec.output_count is ", spec.output_count, "; at most ", kMaxArity);
  }
  NodeSpec out;
  out.type = spec.type_symbol;
  out.domain = spec.domain_symbol;
  out.op_version = spec.op_version;
  out.name = require_name(reinterpret_cast<const char*>(spec.name), spec.name_size, "spec.name");
  out.inputs = inputs.data();
  out.input_count = static_cast<uint32_t>(inputs.size());
  out.output_count = static_cast<uint32_t>(spec.output_count);
  out.before = require_node_or_none(spec.before, "spec.before");
  if (out.before != nullptr && out.before->graph != &graph) {
    fail(GE_STATUS_FOREIGN, "spec.before is ", describe(*out.before), ", not a node of ", describe(graph));
  }
  return out;
}

}  // namespace

extern "C" int32_t ge_ir_slot_node_create(uint64_t graph, const ge_ir_node_spec* spec, uint64_t* node,
                                          ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    Graph& home = require_graph(graph, "graph");
    const ge_ir_node_spec copy = ge::abi::read_struct(spec, "spec");
    uint64_t& out = ge::abi::require(node, "node");
    const std::vector<Value> inputs = read_inputs(copy);
    out = create_node(home, read_spec(copy, home, inputs)).handle();
  });
}

extern "C" int32_t ge_ir_slot_node_remove(uint64_t node, uint32_t flags, ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    ge_ir_remove_flags_require(flags, "flags");
    remove_node(found, (flags & GE_IR_REMOVE_FLAGS_DROP_USES) != 0);
  });
}

extern "C" int32_t ge_ir_slot_node_graph(uint64_t node, uint64_t* graph, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::require(graph, "graph") = require_node(node, "node").graph->handle; });
}

extern "C" int32_t ge_ir_slot_node_is_live(uint64_t node, uint32_t* live, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::require(live, "live") = is_live_node(node) ? 1 : 0; });
}

extern "C" int32_t ge_ir_slot_node_name(uint64_t node, const char** text, uint64_t* text_size,
                                        ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, require_node(node, "node").name.view(), "text"); });
}

extern "C" int32_t ge_ir_slot_node_set_name(uint64_t node, const char* name, uint64_t name_size,
                                            ge_error* error) noexcept {
  return guarded(error, [&] { rename_node(require_node(node, "node"), require_name(name, name_size, "name")); });
}

extern "C" int32_t ge_ir_slot_node_op(uint64_t node, uint32_t* type_symbol, uint32_t* domain_symbol,
                                      int32_t* op_version, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    ge::abi::require(domain_symbol, "domain_symbol");
    ge::abi::require(op_version, "op_version");
    ge::abi::require(type_symbol, "type_symbol") = found.type;
    *domain_symbol = found.domain;
    *op_version = found.op_version;
  });
}

extern "C" int32_t ge_ir_slot_node_set_op(uint64_t node, uint32_t type_symbol, uint32_t domain_symbol,
                                          int32_t op_version, ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    require_symbol(type_symbol, "type_symbol");
    require_symbol(domain_symbol, "domain_symbol");
    if (type_symbol == 0) fail(GE_STATUS_INVALID_ARGUMENT, "type_symbol is 0; ", describe(found), " needs a type");
    set_op(found, type_symbol, domain_symbol, op_version);
  });
}

extern "C" int32_t ge_ir_slot_node_move_before(uint64_t node, uint64_t anchor, ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    move_before(found, require_node_or_none(anchor, "anchor"));
  });
}

extern "C" int32_t ge_ir_slot_node_arity(uint64_t node, uint64_t* inputs, uint64_t* outputs, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    ge::abi::require(outputs, "outputs");
    ge::abi::require(inputs, "inputs") = found.inputs.size();
    *outputs = found.outputs.size();
  });
}

extern "C" int32_t ge_ir_slot_node_set_arity(uint64_t node, uint64_t inputs, uint64_t outputs,
                                             ge_error* error) noexcept {
  return guarded(error, [&] { set_arity(require_node(node, "node"), inputs, outputs); });
}

extern "C" int32_t ge_ir_slot_node_input(uint64_t node, uint32_t index, uint64_t* producer, uint32_t* output_index,
                                         ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    require_input(found, index);
    ge::abi::require(output_index, "output_index");
    ge::abi::require(producer, "producer") = producer_handle(found.inputs[index]);
    *output_index = found.inputs[index].output;
  });
}

extern "C" int32_t ge_ir_slot_node_inputs(uint64_t node, uint64_t* producers, uint64_t producers_capacity,
                                          uint64_t* producers_count, uint32_t* output_indices,
                                          uint64_t output_indices_capacity, uint64_t* output_indices_count,
                                          ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    ge::abi::Buffer<uint64_t> nodes(producers, producers_capacity, producers_count, "producers");
    ge::abi::Buffer<uint32_t> indices(output_indices, output_indices_capacity, output_indices_count, "output_indices");
    ge::abi::announce(found.inputs.size(), nodes, indices);
    for (uint32_t i = 0; i < found.inputs.size(); ++i) {
      nodes[i] = producer_handle(found.inputs[i]);
      indices[i] = found.inputs[i].output;
    }
  });
}

extern "C" int32_t ge_ir_slot_node_set_input(uint64_t node, uint32_t index, uint64_t producer, uint32_t output_index,
                                             ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    require_input(found, index);
    Node* source = require_node_or_none(producer, "producer");
    if (source != nullptr) require_output(*source, output_index);
    set_input(found, index, {source, output_index});
  });
}
