#include "ge_ir/text_client.h"

#include <utility>

namespace ge_ir {
namespace text {
namespace {

using abi::call;

/// Room offered at first: most lists are short, and clearing more for each call would cost more than asking twice.
constexpr size_t kFirstRoom = 32;

/// Calls a slot that fills one caller buffer; asks twice if the list is long.
template <class T, class Slot>
void fill(std::vector<T>& items, Slot slot) {
  items.resize(kFirstRoom);
  for (;;) {
    uint64_t needed = 0;
    ge_error error;
    ge_error_init(&error);
    const int32_t status = slot(items.data(), uint64_t{items.size()}, &needed, &error);
    if (status == GE_STATUS_OK) {
      items.resize(needed);
      return;
    }
    if (status != GE_STATUS_BUFFER_TOO_SMALL) throw abi::Failure(status, abi::error_text(error));
    items.resize(needed);
  }
}

/// Calls a slot with one `out str` result.
template <class Slot, class... Args>
std::string_view text_of(Slot slot, Args... args) {
  const char* data = nullptr;
  uint64_t size = 0;
  call(slot, args..., &data, &size);
  return std::string_view(data, size);
}

/// False on NOT_FOUND, true on OK, else throws.
bool found(int32_t status, const ge_error& error) {
  if (status == GE_STATUS_NOT_FOUND) return false;
  if (status != GE_STATUS_OK) throw abi::Failure(status, abi::error_text(error));
  return true;
}

}  // namespace

std::string_view symbol_text(uint32_t symbol) { return text_of(ge_ir_slot_symbol_text, symbol); }

uint32_t intern(std::string_view text) {
  uint32_t symbol = 0;
  call(ge_ir_slot_symbol_intern, text.data(), uint64_t{text.size()}, &symbol);
  return symbol;
}

Handle graph_create(std::string_view name) {
  Handle graph = 0;
  call(ge_ir_slot_graph_create, name.data(), uint64_t{name.size()}, &graph);
  return graph;
}

std::string_view graph_name(Handle graph) { return text_of(ge_ir_slot_graph_name, graph); }

void graph_nodes(Handle graph, std::vector<Handle>& nodes) {
  fill(nodes, [graph](Handle* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ge_ir_slot_graph_nodes(graph, GE_IR_ORDER_LIST, data, room, count, error);
  });
}

std::string_view graph_key(Handle graph) {
  Handle owner = 0;
  const char* data = nullptr;
  uint64_t size = 0;
  call(ge_ir_slot_graph_owner, graph, &owner, &data, &size);
  return std::string_view(data, size);
}

bool graph_has_node(Handle graph, std::string_view name) {
  Handle node = 0;
  ge_error error;
  ge_error_init(&error);
  return found(ge_ir_slot_graph_find_node(graph, name.data(), name.size(), &node, &error), error);
}

std::string_view graph_unique_name(Handle graph, std::string_view base) {
  return text_of(ge_ir_slot_graph_unique_name, graph, base.data(), uint64_t{base.size()});
}

void subgraph_attach(Handle owner, std::string_view key, Handle child) {
  call(ge_ir_slot_subgraph_attach, owner, key.data(), uint64_t{key.size()}, child);
}

void subgraph_list(Handle owner, std::vector<Handle>& graphs) {
  fill(graphs, [owner](Handle* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ge_ir_slot_subgraph_list(owner, data, room, count, error);
  });
}

Handle node_create(Handle graph, const ge_ir_node_spec& spec) {
  Handle node = 0;
  call(ge_ir_slot_node_create, graph, &spec, &node);
  return node;
}

Handle node_graph(Handle node) {
  Handle graph = 0;
  call(ge_ir_slot_node_graph, node, &graph);
  return graph;
}

std::string_view node_name(Handle node) { return text_of(ge_ir_slot_node_name, node); }

void node_set_name(Handle node, std::string_view name) {
  call(ge_ir_slot_node_set_name, node, name.data(), uint64_t{name.size()});
}

NodeOp node_op(Handle node) {
  NodeOp op;
  call(ge_ir_slot_node_op, node, &op.type, &op.domain, &op.version);
  return op;
}

Arity node_arity(Handle node) {
  Arity arity;
  call(ge_ir_slot_node_arity, node, &arity.inputs, &arity.outputs);
  return arity;
}

void node_inputs(Handle node, uint64_t count, Inputs& inputs) {
  inputs.producers.resize(count);
  inputs.indices.resize(count);
  uint64_t producers = 0, indices = 0;
  call(ge_ir_slot_node_inputs, node, inputs.producers.data(), count, &producers, inputs.indices.data(), count,
       &indices);
}

void node_set_input(Handle node, uint32_t slot, Handle producer, uint32_t index) {
  call(ge_ir_slot_node_set_input, node, slot, producer, index);
}

uint64_t value_use_count(Handle node, uint32_t index) {
  uint64_t count = 0;
  call(ge_ir_slot_value_use_count, node, index, &count);
  return count;
}

std::string_view value_name(Handle node, uint32_t index) { return text_of(ge_ir_slot_value_name, node, index); }

void value_set_name(Handle node, uint32_t index, std::string_view name) {
  call(ge_ir_slot_value_set_name, node, index, name.data(), uint64_t{name.size()});
}

void control_inputs(Handle node, std::vector<Handle>& nodes) {
  fill(nodes, [node](Handle* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ge_ir_slot_control_inputs(node, data, room, count, error);
  });
}

void control_add(Handle source, Handle target) { call(ge_ir_slot_control_add, source, target); }

bool desc_find(Handle node, uint32_t scope, uint32_t index, ge_ir_desc& desc) {
  ge_error error;
  ge_error_init(&error);
  desc.struct_size = sizeof desc;
  return found(ge_ir_slot_desc_get(node, scope, index, &desc, &error), error);
}

void desc_set(Handle node, uint32_t scope, uint32_t index, const ge_ir_desc& desc) {
  call(ge_ir_slot_desc_set, node, scope, index, &desc);
}

void attr_keys(const AttrOwner& owner, std::vector<uint32_t>& symbols) {
  fill(symbols, [&owner](uint32_t* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ge_ir_slot_attr_keys(owner.owner, owner.scope, owner.index, data, room, count, error);
  });
}

bool attr_exists(const AttrOwner& owner, std::string_view key) {
  ge_ir_attr value{};
  value.struct_size = sizeof value;
  ge_error error;
  ge_error_init(&error);
  return found(ge_ir_slot_attr_get(owner.owner, owner.scope, owner.index, key.data(), key.size(), &value, &error),
               error);
}

ge_ir_attr attr_get(const AttrOwner& owner, std::string_view key) {
  ge_ir_attr value{};
  value.struct_size = sizeof value;
  call(ge_ir_slot_attr_get, owner.owner, owner.scope, owner.index, key.data(), uint64_t{key.size()}, &value);
  return value;
}

void attr_set(const AttrOwner& owner, std::string_view key, const ge_ir_attr& value) {
  call(ge_ir_slot_attr_set, owner.owner, owner.scope, owner.index, key.data(), uint64_t{key.size()}, &value);
}

Handle tensor_create(const ge_ir_tensor_spec& spec) {
  Handle tensor = 0;
  call(ge_ir_slot_tensor_create, &spec, &tensor);
  return tensor;
}

ge_ir_tensor_info tensor_info(Handle tensor) {
  ge_ir_tensor_info info{};
  info.struct_size = sizeof info;
  call(ge_ir_slot_tensor_info, tensor, &info);
  return info;
}

GraphGuard::~GraphGuard() {
  if (graph_ != 0) ge_ir_slot_graph_release(graph_, nullptr);
}

Handle GraphGuard::take() noexcept { return std::exchange(graph_, 0); }

TensorGuard& TensorGuard::operator=(TensorGuard&& other) noexcept {
  std::swap(tensor_, other.tensor_);
  return *this;
}

TensorGuard::~TensorGuard() {
  if (tensor_ != 0) ge_ir_slot_tensor_release(tensor_, nullptr);
}

}  // namespace text
}  // namespace ge_ir
