#include "ge_partition/ir.h"

#include <atomic>
#include <mutex>

#include "ge_ir_stubs.h"

namespace ge::partition::ir {
namespace {

using abi::Failure;

std::mutex bind_mutex;
ge_abi_getter bound_getter = nullptr;
ge_ir_api bound_table;
std::atomic<bool> is_bound{false};

const char* chars(std::string_view text) { return text.data(); }

// Reads a list whose length is not known; most lists are short.
template <class T, class Read>
std::vector<T> read_list(Read read) {
  constexpr std::uint64_t kFew = 16;
  T few[kFew];
  std::uint64_t few_count = 0;
  ge_error few_error;
  ge_error_init(&few_error);
  const std::int32_t few_status = read(few, kFew, &few_count, &few_error);
  if (few_status == GE_STATUS_OK) return std::vector<T>(few, few + few_count);
  if (few_status != GE_STATUS_BUFFER_TOO_SMALL) check(few_status, few_error);
  std::vector<T> result(few_count);
  while (true) {
    std::uint64_t count = 0;
    ge_error error;
    ge_error_init(&error);
    const std::int32_t status = read(result.data(), result.size(), &count, &error);
    if (status != GE_STATUS_OK && status != GE_STATUS_BUFFER_TOO_SMALL) check(status, error);
    const bool fits = status == GE_STATUS_OK;
    result.resize(count);
    if (fits) return result;
  }
}

}  // namespace

void bind(ge_abi_getter getter) {
  if (getter == nullptr) abi::invalid("ir_getter is null");
  const std::lock_guard<std::mutex> lock(bind_mutex);
  if (bound_getter == getter) return;
  if (bound_getter != nullptr) {
    throw Failure(GE_STATUS_REFUSED, "this process has already bound another ge_ir library; there can be one only");
  }
  ge_ir_api_init(&bound_table);
  ge_error error;
  ge_error_init(&error);
  check(getter(&bound_table, sizeof(bound_table), &error), error);
  bound_getter = getter;
  is_bound.store(true, std::memory_order_release);
}

const ge_ir_api& table() {
  if (!is_bound.load(std::memory_order_acquire)) {
    throw Failure(GE_STATUS_INVALID_STATE, "no ge_ir library is bound; call bind_ir first");
  }
  return bound_table;
}

void check(std::int32_t status, const ge_error& error) {
  if (status != GE_STATUS_OK) throw Failure(status, abi::error_text(error));
}

std::uint32_t symbol(std::string_view text) {
  std::uint32_t result = 0;
  call(&ge_ir_api::symbol_intern, chars(text), std::uint64_t{text.size()}, &result);
  return result;
}

namespace {

// Calls a slot whose last results are a borrowed text.
template <class Slot, class... Args>
std::string text_of(Slot slot, Args... args) {
  const char* data = nullptr;
  std::uint64_t size = 0;
  call(slot, args..., &data, &size);
  return std::string(data, size);
}

}  // namespace

std::string symbol_text(std::uint32_t symbol) { return text_of(&ge_ir_api::symbol_text, symbol); }

std::uint64_t create_graph(std::string_view name) {
  std::uint64_t graph = 0;
  call(&ge_ir_api::graph_create, chars(name), std::uint64_t{name.size()}, &graph);
  return graph;
}

std::string graph_name(std::uint64_t graph) { return text_of(&ge_ir_api::graph_name, graph); }

std::uint64_t graph_owner(std::uint64_t graph) {
  std::uint64_t owner = 0;
  const char* key = nullptr;
  std::uint64_t size = 0;
  call(&ge_ir_api::graph_owner, graph, &owner, &key, &size);
  return owner;
}

std::string graph_key(std::uint64_t graph) {
  std::uint64_t owner = 0;
  return text_of(&ge_ir_api::graph_owner, graph, &owner);
}

std::vector<std::uint64_t> nodes(std::uint64_t graph, std::uint32_t order) {
  std::uint64_t count = 0;
  call(&ge_ir_api::graph_node_count, graph, &count);
  std::vector<std::uint64_t> result(count);
  call(&ge_ir_api::graph_nodes, graph, order, result.data(), count, &count);
  result.resize(count);
  return result;
}

void columns_ops(std::uint64_t graph, std::vector<std::uint64_t>& nodes, std::vector<std::uint32_t>& types,
                 std::vector<std::uint32_t>& domains) {
  std::uint64_t count = 0;
  call(&ge_ir_api::graph_node_count, graph, &count);
  nodes.resize(count);
  types.resize(count);
  domains.resize(count);
  call(&ge_ir_api::columns_ops, graph, nodes.data(), count, &count, types.data(), count, &count, domains.data(), count,
       &count);
}

void move_to_end(std::uint64_t node) { call(&ge_ir_api::node_move_before, node, std::uint64_t{0}); }

std::uint64_t create_node(std::uint64_t graph, const Op& op, std::string_view name, const std::vector<Value>& inputs,
                          std::uint32_t outputs) {
  std::vector<std::uint64_t> producers;
  std::vector<std::uint32_t> indices;
  for (const Value& value : inputs) {
    producers.push_back(value.node);
    indices.push_back(value.index);
  }
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof(spec);
  spec.type_symbol = op.type;
  spec.domain_symbol = op.domain;
  spec.op_version = op.version;
  spec.name = reinterpret_cast<const std::uint8_t*>(name.data());
  spec.name_size = name.size();
  spec.input_nodes = producers.data();
  spec.input_indices = indices.data();
  spec.input_count = inputs.size();
  spec.output_count = outputs;
  std::uint64_t node = 0;
  call(&ge_ir_api::node_create, graph, &spec, &node);
  return node;
}

std::uint32_t input_count(std::uint64_t node) {
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  call(&ge_ir_api::node_arity, node, &inputs, &outputs);
  return static_cast<std::uint32_t>(inputs);
}

void remove_attr(std::uint64_t owner, std::string_view key) {
  ge_error error;
  ge_error_init(&error);
  const std::int32_t status = table().attr_remove(owner, GE_IR_SCOPE_SELF, 0, chars(key), key.size(), &error);
  if (status != GE_STATUS_NOT_FOUND) check(status, error);
}

ge_ir_desc desc(std::uint64_t node, std::uint32_t scope, std::uint32_t index) {
  ge_ir_desc result{};
  result.struct_size = sizeof(result);
  ge_error error;
  ge_error_init(&error);
  const std::int32_t status = table().desc_get(node, scope, index, &result, &error);
  if (status == GE_STATUS_NOT_FOUND) {
    result = {};
    result.dtype = GE_IR_DTYPE_UNDEFINED;
    return result;
  }
  check(status, error);
  return result;
}

void set_desc(std::uint64_t node, std::uint32_t scope, std::uint32_t index, const ge_ir_desc& desc) {
  call(&ge_ir_api::desc_set, node, scope, index, &desc);
}

std::uint64_t detach(std::uint64_t owner, std::string_view key) {
  std::uint64_t child = 0;
  call(&ge_ir_api::subgraph_detach, owner, chars(key), std::uint64_t{key.size()}, &child);
  return child;
}

std::string unique_name(std::uint64_t graph, std::string_view base) {
  return text_of(&ge_ir_api::graph_unique_name, graph, chars(base), std::uint64_t{base.size()});
}

std::uint64_t node_graph(std::uint64_t node) {
  std::uint64_t graph = 0;
  call(&ge_ir_api::node_graph, node, &graph);
  return graph;
}

std::string node_name(std::uint64_t node) { return text_of(&ge_ir_api::node_name, node); }

Op node_op(std::uint64_t node) {
  Op op;
  call(&ge_ir_api::node_op, node, &op.type, &op.domain, &op.version);
  return op;
}

std::uint32_t output_count(std::uint64_t node) {
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  call(&ge_ir_api::node_arity, node, &inputs, &outputs);
  return static_cast<std::uint32_t>(outputs);
}

void inputs(std::uint64_t node, std::vector<Value>& result) {
  constexpr std::uint64_t kFew = 8;
  std::uint64_t few_nodes[kFew];
  std::uint32_t few_indices[kFew];
  std::uint64_t count = 0;
  ge_error error;
  ge_error_init(&error);
  std::int32_t status = table().node_inputs(node, few_nodes, kFew, &count, few_indices, kFew, &count, &error);
  if (status == GE_STATUS_OK) {
    result.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) result[i] = {few_nodes[i], few_indices[i]};
    return;
  }
  if (status != GE_STATUS_BUFFER_TOO_SMALL) check(status, error);
  std::vector<std::uint64_t> producers(count);
  std::vector<std::uint32_t> indices(count);
  call(&ge_ir_api::node_inputs, node, producers.data(), count, &count, indices.data(), count, &count);
  result.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) result[i] = {producers[i], indices[i]};
}

std::vector<Value> inputs(std::uint64_t node) {
  std::vector<Value> result;
  inputs(node, result);
  return result;
}

void set_input(std::uint64_t node, std::uint32_t slot, Value value) {
  call(&ge_ir_api::node_set_input, node, slot, value.node, value.index);
}

std::uint64_t use_count(Value value) {
  std::uint64_t count = 0;
  call(&ge_ir_api::value_use_count, value.node, value.index, &count);
  return count;
}

void replace_uses(Value old_value, Value new_value) {
  call(&ge_ir_api::value_replace_uses, old_value.node, old_value.index, new_value.node, new_value.index);
}

std::string value_name(Value value) { return text_of(&ge_ir_api::value_name, value.node, value.index); }

void set_value_name(Value value, std::string_view name) {
  call(&ge_ir_api::value_set_name, value.node, value.index, chars(name), std::uint64_t{name.size()});
}

std::vector<std::uint64_t> control_inputs(std::uint64_t node) {
  return read_list<std::uint64_t>([&](std::uint64_t* data, std::uint64_t room, std::uint64_t* count, ge_error* error) {
    return table().control_inputs(node, data, room, count, error);
  });
}

std::vector<std::uint64_t> control_outputs(std::uint64_t node) {
  return read_list<std::uint64_t>([&](std::uint64_t* data, std::uint64_t room, std::uint64_t* count, ge_error* error) {
    return table().control_outputs(node, data, room, count, error);
  });
}

void add_control(std::uint64_t source, std::uint64_t target) { call(&ge_ir_api::control_add, source, target); }

void remove_control(std::uint64_t source, std::uint64_t target) { call(&ge_ir_api::control_remove, source, target); }

void remove_node(std::uint64_t node) { call(&ge_ir_api::node_remove, node, std::uint32_t{0}); }

std::vector<std::uint32_t> attr_keys(std::uint64_t owner, std::uint32_t scope, std::uint32_t index) {
  return read_list<std::uint32_t>([&](std::uint32_t* data, std::uint64_t room, std::uint64_t* count, ge_error* error) {
    return table().attr_keys(owner, scope, index, data, room, count, error);
  });
}

ge_ir_attr attr(std::uint64_t owner, std::uint32_t scope, std::uint32_t index, std::string_view key) {
  ge_ir_attr value{};
  value.struct_size = sizeof(value);
  ge_error error;
  ge_error_init(&error);
  const std::int32_t status = table().attr_get(owner, scope, index, chars(key), key.size(), &value, &error);
  if (status == GE_STATUS_NOT_FOUND) {
    value = {};
    return value;
  }
  check(status, error);
  return value;
}

void set_int(std::uint64_t owner, std::string_view key, std::int64_t value) {
  ge_ir_attr attr{};
  attr.struct_size = sizeof(attr);
  attr.kind = GE_IR_ATTR_KIND_INT;
  attr.i = value;
  set_attr(owner, GE_IR_SCOPE_SELF, 0, key, attr);
}

void set_bool(std::uint64_t owner, std::string_view key, bool value) {
  ge_ir_attr attr{};
  attr.struct_size = sizeof(attr);
  attr.kind = GE_IR_ATTR_KIND_BOOL;
  attr.i = value ? 1 : 0;
  set_attr(owner, GE_IR_SCOPE_SELF, 0, key, attr);
}

void set_ints(std::uint64_t owner, std::string_view key, const std::vector<std::int64_t>& values) {
  ge_ir_attr attr{};
  attr.struct_size = sizeof(attr);
  attr.kind = GE_IR_ATTR_KIND_LIST_INT;
  attr.data = values.data();
  attr.count = values.size();
  set_attr(owner, GE_IR_SCOPE_SELF, 0, key, attr);
}

std::vector<std::int64_t> get_ints(std::uint64_t owner, std::string_view key, bool& present) {
  const ge_ir_attr found = attr(owner, GE_IR_SCOPE_SELF, 0, key);
  present = found.kind == GE_IR_ATTR_KIND_LIST_INT;
  if (!present || found.count == 0) return {};
  const auto* items = static_cast<const std::int64_t*>(found.data);
  return std::vector<std::int64_t>(items, items + found.count);
}

std::int64_t get_int(std::uint64_t owner, std::string_view key, std::int64_t otherwise) {
  const ge_ir_attr found = attr(owner, GE_IR_SCOPE_SELF, 0, key);
  return found.kind == GE_IR_ATTR_KIND_INT || found.kind == GE_IR_ATTR_KIND_BOOL ? found.i : otherwise;
}

void set_attr(std::uint64_t owner, std::uint32_t scope, std::uint32_t index, std::string_view key,
              const ge_ir_attr& value) {
  call(&ge_ir_api::attr_set, owner, scope, index, chars(key), std::uint64_t{key.size()}, &value);
}

ge_ir_tensor_info tensor(std::uint64_t tensor) {
  ge_ir_tensor_info info{};
  info.struct_size = sizeof(info);
  call(&ge_ir_api::tensor_info, tensor, &info);
  return info;
}

std::vector<std::uint64_t> subgraphs(std::uint64_t owner) {
  return read_list<std::uint64_t>([&](std::uint64_t* data, std::uint64_t room, std::uint64_t* count, ge_error* error) {
    return table().subgraph_list(owner, data, room, count, error);
  });
}

void attach(std::uint64_t owner, std::string_view key, std::uint64_t child) {
  call(&ge_ir_api::subgraph_attach, owner, chars(key), std::uint64_t{key.size()}, child);
}

}  // namespace ge::partition::ir

namespace ge::partition {

Transaction::Transaction(std::uint64_t graph) : graph_(graph) {
  std::uint32_t depth = 0;
  ir::call(&ge_ir_api::transaction_begin, graph, &depth);
}

Transaction::~Transaction() {
  if (!open_) return;
  ge_error error;
  ge_error_init(&error);
  ir::table().transaction_rollback(graph_, &error);  // cannot fail for an open transaction
  for (const std::uint64_t graph : created_) ir::table().graph_release(graph, &error);  // roots that nobody else knows
}

std::uint64_t Transaction::create_graph(std::string_view name) {
  created_.push_back(0);  // room first: a graph without a place here would be lost
  created_.back() = ir::create_graph(name);
  return created_.back();
}

void Transaction::commit() {
  ir::call(&ge_ir_api::transaction_commit, graph_);
  open_ = false;
}

}  // namespace ge::partition
