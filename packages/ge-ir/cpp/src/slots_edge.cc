// Slots: values (node outputs) and control edges.
#include "ge_ir/slot_support.h"

using namespace ge_ir;

extern "C" int32_t ge_ir_slot_value_use_count(uint64_t node, uint32_t index, uint64_t* count,
                                              ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    require_output(found, index);
    ge::abi::require(count, "count") = found.outputs[index].use_count;
  });
}

extern "C" int32_t ge_ir_slot_value_uses(uint64_t node, uint32_t index, uint64_t* users, uint64_t users_capacity,
                                         uint64_t* users_count, uint32_t* slots, uint64_t slots_capacity,
                                         uint64_t* slots_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    require_output(found, index);
    ge::abi::Buffer<uint64_t> nodes(users, users_capacity, users_count, "users");
    ge::abi::Buffer<uint32_t> places(slots, slots_capacity, slots_count, "slots");
    const Output& output = found.outputs[index];
    ge::abi::announce(output.use_count, nodes, places);
    size_t i = 0;
    for (Use use = output.first; use.present(); ++i) {
      const Node& reader = node_at(use.node);
      nodes[i] = reader.handle();
      places[i] = use.slot;
      use = reader.inputs[use.slot].next;
    }
  });
}

extern "C" int32_t ge_ir_slot_value_replace_uses(uint64_t node, uint32_t index, uint64_t new_node, uint32_t new_index,
                                                 ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    require_output(found, index);
    Node& replacement = require_node(new_node, "new_node");
    require_output(replacement, new_index);
    replace_uses(found, index, replacement, new_index);
  });
}

extern "C" int32_t ge_ir_slot_value_name(uint64_t node, uint32_t index, const char** text, uint64_t* text_size,
                                         ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    require_output(found, index);
    ge::abi::write_text(text, text_size, found.outputs[index].name.view(), "text");
  });
}

extern "C" int32_t ge_ir_slot_value_set_name(uint64_t node, uint32_t index, const char* name, uint64_t name_size,
                                             ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    require_output(found, index);
    set_value_name(found, index, require_name(name, name_size, "name"));
  });
}

extern "C" int32_t ge_ir_slot_control_add(uint64_t source, uint64_t target, ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& from = require_node(source, "source");
    add_control(from, require_node(target, "target"));
  });
}

extern "C" int32_t ge_ir_slot_control_remove(uint64_t source, uint64_t target, ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& from = require_node(source, "source");
    remove_control(from, require_node(target, "target"));
  });
}

extern "C" int32_t ge_ir_slot_control_inputs(uint64_t node, uint64_t* nodes, uint64_t nodes_capacity,
                                             uint64_t* nodes_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    ge::abi::Buffer<uint64_t> out(nodes, nodes_capacity, nodes_count, "nodes");
    ge::abi::announce(found.extra ? found.extra->in_count : 0, out);
    size_t i = 0;
    for (ControlEdge* edge = found.first_control_in(); edge != nullptr; edge = edge->next_in) {
      out[i++] = edge->source->handle();
    }
  });
}

extern "C" int32_t ge_ir_slot_control_outputs(uint64_t node, uint64_t* nodes, uint64_t nodes_capacity,
                                              uint64_t* nodes_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Node& found = require_node(node, "node");
    ge::abi::Buffer<uint64_t> out(nodes, nodes_capacity, nodes_count, "nodes");
    ge::abi::announce(found.extra ? found.extra->out_count : 0, out);
    size_t i = 0;
    for (ControlEdge* edge = found.first_control_out(); edge != nullptr; edge = edge->next_out) {
      out[i++] = edge->target->handle();
    }
  });
}
