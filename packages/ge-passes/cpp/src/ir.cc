#include "ge_passes/ir.h"

#include <algorithm>

namespace ge_passes {
namespace {

using ge::abi::call;
using ge::abi::error_text;

uint64_t size_of(std::string_view text) { return static_cast<uint64_t>(text.size()); }

/// Reads one buffer of T; `read(data, capacity, &count, error)` is the slot.
template <class T, class Read>
void read_column(std::vector<T>& out, Read read) {
  if (out.size() < 8) out.resize(8);
  for (;;) {
    ge_error error;
    ge_error_init(&error);
    uint64_t count = 0;
    const int32_t status = read(out.data(), static_cast<uint64_t>(out.size()), &count, &error);
    if (status != GE_STATUS_OK && status != GE_STATUS_BUFFER_TOO_SMALL) throw Failure(status, error_text(error));
    out.resize(static_cast<size_t>(count));
    if (status == GE_STATUS_OK) return;
  }
}

template <class Read>
void read_pairs(PairList& out, Read read) {
  for (;;) {
    ge_error error;
    ge_error_init(&error);
    uint64_t count = 0;
    uint64_t same = 0;
    const int32_t status = read(out.nodes.data(), static_cast<uint64_t>(out.nodes.size()), &count, out.numbers.data(),
                                static_cast<uint64_t>(out.numbers.size()), &same, &error);
    if (status == GE_STATUS_OK) {
      out.count = static_cast<size_t>(count);
      return;
    }
    if (status != GE_STATUS_BUFFER_TOO_SMALL) throw Failure(status, error_text(error));
    out.nodes.resize(static_cast<size_t>(count) * 2);
    out.numbers.resize(out.nodes.size());
  }
}

}  // namespace

std::string_view graph_name(Handle graph) {
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir().graph_name, graph, &text, &size);
  return {text, static_cast<size_t>(size)};
}

Handle create_graph(std::string_view name) {
  Handle graph = 0;
  call(ir().graph_create, name.data(), size_of(name), &graph);
  return graph;
}

void release_graph(Handle graph) { call(ir().graph_release, graph); }

Handle graph_owner(Handle graph, std::string_view* key) {
  Handle owner = 0;
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir().graph_owner, graph, &owner, &text, &size);
  if (key != nullptr) *key = {text, static_cast<size_t>(size)};
  return owner;
}

uint64_t graph_version(Handle graph) {
  uint64_t version = 0;
  call(ir().graph_version, graph, &version);
  return version;
}

uint64_t node_count(Handle graph) {
  uint64_t count = 0;
  call(ir().graph_node_count, graph, &count);
  return count;
}

std::vector<Handle> graph_nodes(Handle graph, uint32_t order) {
  std::vector<Handle> nodes(static_cast<size_t>(node_count(graph)));
  read_column(nodes, [&](Handle* data, uint64_t capacity, uint64_t* count, ge_error* error) {
    return ir().graph_nodes(graph, order, data, capacity, count, error);
  });
  return nodes;
}

void read_ops(Handle graph, OpColumns& columns) {
  const size_t count = static_cast<size_t>(node_count(graph));
  columns.nodes.resize(count);
  columns.types.resize(count);
  columns.domains.resize(count);
  uint64_t filled[3];
  call(ir().columns_ops, graph, columns.nodes.data(), uint64_t{count}, &filled[0], columns.types.data(),
       uint64_t{count}, &filled[1], columns.domains.data(), uint64_t{count}, &filled[2]);
}

std::vector<Handle> subgraphs(Handle owner) {
  std::vector<Handle> graphs;
  read_column(graphs, [&](Handle* data, uint64_t capacity, uint64_t* count, ge_error* error) {
    return ir().subgraph_list(owner, data, capacity, count, error);
  });
  return graphs;
}

size_t subgraph_count(Handle owner) {
  Handle first = 0;
  uint64_t count = 0;
  ge_error error;
  ge_error_init(&error);
  const int32_t status = ir().subgraph_list(owner, &first, 1, &count, &error);
  if (status != GE_STATUS_OK && status != GE_STATUS_BUFFER_TOO_SMALL) throw Failure(status, error_text(error));
  return static_cast<size_t>(count);
}

void attach_subgraph(Handle owner, std::string_view key, Handle child) {
  call(ir().subgraph_attach, owner, key.data(), size_of(key), child);
}

std::string unique_name(Handle graph, std::string_view base) {
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir().graph_unique_name, graph, base.data(), size_of(base), &text, &size);
  return {text, static_cast<size_t>(size)};
}

std::string verify(Handle graph) {
  Handle report = 0;
  ge_error error;
  ge_error_init(&error);
  const int32_t status = ir().graph_verify(graph, &report, &error);
  if (status != GE_STATUS_OK && status != GE_STATUS_VERIFY_FAILED) throw Failure(status, error_text(error));
  const void* data = nullptr;
  uint64_t size = 0;
  call(ir().blob_view, report, &data, &size);
  std::string findings(static_cast<const char*>(data), static_cast<size_t>(size));
  call(ir().blob_release, report);
  return findings;
}

std::vector<Handle> graph_tree(Handle root) {
  std::vector<Handle> found{root};
  const auto add = [&found](Handle owner) {
    if (subgraph_count(owner) == 0) return;
    const std::vector<Handle> children = subgraphs(owner);
    found.insert(found.end(), children.begin(), children.end());
  };
  for (size_t i = 0; i < found.size(); ++i) {
    add(found[i]);
    for (const Handle node : graph_nodes(found[i], GE_IR_ORDER_LIST)) add(node);
  }
  return found;
}

bool is_live(Handle node) noexcept {
  uint32_t live = 0;
  return ir().node_is_live(node, &live, nullptr) == GE_STATUS_OK && live != 0;
}

Handle graph_of(Handle node) {
  Handle graph = 0;
  call(ir().node_graph, node, &graph);
  return graph;
}

std::string_view node_name(Handle node) {
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir().node_name, node, &text, &size);
  return {text, static_cast<size_t>(size)};
}

Op op_of(Handle node) {
  Op op;
  call(ir().node_op, node, &op.type, &op.domain, &op.version);
  return op;
}

std::string_view symbol_text(uint32_t symbol) {
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir().symbol_text, symbol, &text, &size);
  return {text, static_cast<size_t>(size)};
}

uint32_t intern(std::string_view text) {
  uint32_t symbol = 0;
  call(ir().symbol_intern, text.data(), size_of(text), &symbol);
  return symbol;
}

std::pair<uint64_t, uint64_t> arity(Handle node) {
  std::pair<uint64_t, uint64_t> counts;
  call(ir().node_arity, node, &counts.first, &counts.second);
  return counts;
}

void read_inputs(Handle node, PairList& inputs) {
  read_pairs(inputs, [node](Handle* nodes, uint64_t room, uint64_t* count, uint32_t* indices, uint64_t index_room,
                            uint64_t* index_count, ge_error* error) {
    return ir().node_inputs(node, nodes, room, count, indices, index_room, index_count, error);
  });
}

void read_uses(Value value, PairList& uses) {
  read_pairs(uses, [value](Handle* nodes, uint64_t room, uint64_t* count, uint32_t* slots, uint64_t slot_room,
                           uint64_t* slot_count, ge_error* error) {
    return ir().value_uses(value.node, value.index, nodes, room, count, slots, slot_room, slot_count, error);
  });
}

uint64_t use_count(Value value) {
  uint64_t count = 0;
  call(ir().value_use_count, value.node, value.index, &count);
  return count;
}

void replace_uses(Value old, Value fresh) {
  call(ir().value_replace_uses, old.node, old.index, fresh.node, fresh.index);
}

std::string_view value_name(Value value) {
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir().value_name, value.node, value.index, &text, &size);
  return {text, static_cast<size_t>(size)};
}

void set_value_name(Value value, std::string_view name) {
  call(ir().value_set_name, value.node, value.index, name.data(), size_of(name));
}

void set_input(Handle node, uint32_t slot, Value value) {
  call(ir().node_set_input, node, slot, value.node, value.index);
}

Handle create_node(Handle graph, const ge_ir_node_spec& spec) {
  Handle node = 0;
  call(ir().node_create, graph, &spec, &node);
  return node;
}

void remove_node(Handle node) { call(ir().node_remove, node, 0u); }
void move_before(Handle node, Handle anchor) { call(ir().node_move_before, node, anchor); }

void read_control_inputs(Handle node, std::vector<Handle>& nodes) {
  read_column(nodes, [node](Handle* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ir().control_inputs(node, data, room, count, error);
  });
}

void read_control_outputs(Handle node, std::vector<Handle>& nodes) {
  read_column(nodes, [node](Handle* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ir().control_outputs(node, data, room, count, error);
  });
}

void add_control(Handle source, Handle target) { call(ir().control_add, source, target); }

void read_keys(Handle owner, uint32_t scope, uint32_t index, std::vector<uint32_t>& keys) {
  read_column(keys, [=](uint32_t* data, uint64_t room, uint64_t* count, ge_error* error) {
    return ir().attr_keys(owner, scope, index, data, room, count, error);
  });
}

bool has_key(Handle owner, uint32_t key) {
  thread_local std::vector<uint32_t> keys;
  read_keys(owner, GE_IR_SCOPE_SELF, 0, keys);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

ge_ir_attr get_attr(Handle owner, uint32_t scope, uint32_t index, uint32_t key) {
  const std::string_view text = symbol_text(key);
  ge_ir_attr value{};
  value.struct_size = sizeof value;
  call(ir().attr_get, owner, scope, index, text.data(), size_of(text), &value);
  return value;
}

void set_attr(Handle owner, uint32_t scope, uint32_t index, uint32_t key, const ge_ir_attr& value) {
  const std::string_view text = symbol_text(key);
  call(ir().attr_set, owner, scope, index, text.data(), size_of(text), &value);
}

ge_ir_desc get_desc(Handle node, uint32_t scope, uint32_t index) {
  ge_ir_desc desc{};
  desc.struct_size = sizeof desc;
  call(ir().desc_get, node, scope, index, &desc);
  return desc;
}

void set_desc(Handle node, uint32_t scope, uint32_t index, const ge_ir_desc& desc) {
  call(ir().desc_set, node, scope, index, &desc);
}

ge_ir_tensor_info tensor_info(Handle tensor) {
  ge_ir_tensor_info info{};
  info.struct_size = sizeof info;
  call(ir().tensor_info, tensor, &info);
  return info;
}

std::string describe_graph(Handle graph) {
  try {
    return cat("graph ", quoted(graph_name(graph)));
  } catch (const Failure&) {
    return cat("graph ", hex(graph), " (gone)");
  }
}

std::string describe(Handle node) {
  try {
    return cat("node ", quoted(node_name(node)), " (", symbol_text(op_of(node).type), ") of ",
               describe_graph(graph_of(node)));
  } catch (const Failure&) {
    return cat("node ", hex(node), " (gone)");
  }
}

}  // namespace ge_passes
