#include "ge_passes/copier.h"

#include <cstring>

namespace ge_passes {

namespace {

PairList& scratch_list() {
  thread_local PairList list;
  return list;
}

bool says_nothing(const ge_ir_desc& desc) noexcept {
  constexpr int32_t kAnyLayout = 2;  // ND, what a new node has
  return desc.dtype == GE_IR_DTYPE_UNDEFINED && desc.rank_kind == GE_IR_RANK_KIND_UNSET &&
         desc.origin_rank_kind == GE_IR_RANK_KIND_UNSET && desc.type_text == nullptr && desc.format == kAnyLayout &&
         desc.origin_format == kAnyLayout;
}

}  // namespace

Copier::Copier(Transaction& transaction) : transaction_(transaction), inputs_(scratch_list()) {}

void Copier::stand_in(Handle original, Value value) {
  places_.set(original, values_.size());
  values_.push_back(value);
  stands_in_.push_back(1);
}

bool Copier::find(Value original, Value& mapped) const noexcept {
  const uint64_t* place = places_.find(original.node);
  if (place == nullptr) return false;
  mapped = values_[static_cast<size_t>(*place)];
  if (stands_in_[static_cast<size_t>(*place)] == 0) mapped.index = original.index;
  return true;
}

Value Copier::mapped(Value original) const {
  Value value;
  if (!find(original, value)) {
    fail(GE_STATUS_INVALID_ARGUMENT, "output ", original.index, " of ", describe(original.node),
         " is read but not part of the graph that is copied");
  }
  return value;
}

Handle Copier::copy(Handle original, Handle graph, Handle before, std::string_view name) {
  const Handle node = create(original, graph, before, name);
  places_.set(original, values_.size());
  values_.push_back({node, 0});
  stands_in_.push_back(0);
  pairs_.emplace_back(original, node);
  return node;
}

Handle Copier::create(Handle original, Handle graph, Handle before, std::string_view name) {
  read_inputs(original, inputs_);
  mapped_inputs_.assign(inputs_.count, 0);
  mapped_indices_.assign(inputs_.count, 0);
  const size_t first_open = open_.size();
  for (size_t i = 0; i < inputs_.count; ++i) {
    if (inputs_.nodes[i] == 0) continue;
    Value value;
    if (find(inputs_.value(i), value)) {
      mapped_inputs_[i] = value.node;
      mapped_indices_[i] = value.index;
    } else {
      open_.push_back({0, static_cast<uint32_t>(i), inputs_.value(i)});
    }
  }
  const Op op = op_of(original);
  const size_t outputs = static_cast<size_t>(arity(original).second);
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof spec;
  spec.type_symbol = op.type;
  spec.domain_symbol = op.domain;
  spec.op_version = op.version;
  spec.name = reinterpret_cast<const uint8_t*>(name.data());
  spec.name_size = name.size();
  spec.input_nodes = mapped_inputs_.data();
  spec.input_indices = mapped_indices_.data();
  spec.input_count = inputs_.count;
  spec.output_count = outputs;
  spec.before = before;
  const Handle node = create_node(graph, spec);
  for (size_t i = first_open; i < open_.size(); ++i) open_[i].node = node;
  copy_attributes(original, node, GE_IR_SCOPE_SELF, 0);
  copy_outputs(original, node, outputs);
  copy_input_descs(original, node);
  copy_bodies(original, node);
  return node;
}

void Copier::copy_attributes(Handle from, Handle to, uint32_t scope, uint32_t index) {
  read_keys(from, scope, index, keys_);
  for (const uint32_t key : keys_) set_attr(to, scope, index, key, get_attr(from, scope, index, key));
}

void Copier::copy_outputs(Handle from, Handle to, size_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const ge_ir_desc desc = get_desc(from, GE_IR_SCOPE_OUTPUT, i);
    if (!says_nothing(desc)) set_desc(to, GE_IR_SCOPE_OUTPUT, i, desc);
    copy_attributes(from, to, GE_IR_SCOPE_OUTPUT, i);
  }
}

/// An input without a descriptor of its own shows its producer's, pointers included; only another one is copied.
void Copier::copy_input_descs(Handle from, Handle to) {
  for (uint32_t i = 0; i < inputs_.count; ++i) {
    copy_attributes(from, to, GE_IR_SCOPE_INPUT, i);
    if (inputs_.nodes[i] == 0) continue;
    const ge_ir_desc own = get_desc(from, GE_IR_SCOPE_INPUT, i);
    const ge_ir_desc producer = get_desc(inputs_.nodes[i], GE_IR_SCOPE_OUTPUT, inputs_.numbers[i]);
    if (std::memcmp(&own, &producer, sizeof own) != 0) set_desc(to, GE_IR_SCOPE_INPUT, i, own);
  }
}

void Copier::copy_bodies(Handle from, Handle to) {
  if (subgraph_count(from) == 0) return;
  for (const Handle child : subgraphs(from)) {
    std::string_view borrowed;
    graph_owner(child, &borrowed);
    const std::string key(borrowed);
    const std::string name(graph_name(child));
    const Handle copy = create_graph(name);
    transaction_.adopt(copy);
    attach_subgraph(to, key, copy);
    bodies_.push_back({child, copy});
  }
}

void Copier::copy_body(const Body& body) {
  copy_attributes(body.from, body.to, GE_IR_SCOPE_SELF, 0);
  copy_bodies(body.from, body.to);
  for (const Handle node : graph_nodes(body.from, GE_IR_ORDER_LIST)) {
    const std::string name(node_name(node));
    const Handle made = copy(node, body.to, 0, name);
    const uint64_t outputs = arity(node).second;
    for (uint32_t i = 0; i < outputs; ++i) {
      const std::string value(value_name({node, i}));
      if (!value.empty()) set_value_name({made, i}, value);
    }
  }
}

void Copier::copy_controls() {
  std::vector<Handle> sources;
  for (const auto& [original, copy] : pairs_) {
    read_control_inputs(original, sources);
    for (const Handle source : sources) {
      Value value;
      // A control edge from an input says nothing: whoever reads it waits for it anyway.
      if (find({source, 0}, value) && stands_in_[static_cast<size_t>(*places_.find(source))] == 0) {
        add_control(value.node, copy);
      }
    }
  }
}

void Copier::finish() {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const Body body = bodies_[i];
    copy_body(body);
  }
  for (const Open& open : open_) {
    const Value value = mapped(open.original);
    if (value.node != 0) set_input(open.node, open.slot, value);
  }
  copy_controls();
}

}  // namespace ge_passes
