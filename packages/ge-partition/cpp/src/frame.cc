#include "ge_partition/frame.h"

#include <algorithm>
#include <unordered_map>

#include "ge_partition/attr_probe.h"
#include "ge_partition/node_mover.h"

namespace ge::partition {
namespace {

constexpr std::uint32_t kNone = Clusters::kNone;

// Name of a value as listings and files show it. The output of a call keeps it, so that an output of the graph that has
// no name of its own is called the same before and after a split.
std::string display_name(Value value) {
  std::string name = ir::value_name(value);
  if (!name.empty()) return name;
  name = ir::node_name(value.node);
  return value.index == 0 ? name : name + ":" + std::to_string(value.index);
}

// A value of the flat graph as one number.
std::uint64_t value_key(std::uint32_t node, std::uint32_t index) { return std::uint64_t{node} << 32 | index; }

// State shared by all parts: where each value of the old graph is found now.
class Frame {
 public:
  Frame(const FlatGraph& flat, const Clusters& clusters, Transaction& transaction)
      : flat_(flat), clusters_(clusters), transaction_(transaction), names_(ir::graph_name(flat.graph)) {
    find_crossing_values();
  }

  std::vector<Part> build() {
    remember_order();
    std::vector<Part> parts;
    for (std::uint32_t c = 0; c < clusters_.list.size(); ++c) parts.push_back(build_part(c));
    redirect_outputs();
    remove_old_nodes();
    order_outputs();
    return parts;
  }

 private:
  void find_crossing_values();
  void remember_order();
  void redirect_outputs();
  void remove_old_nodes();
  void order_outputs();
  void remember_sources(std::uint32_t n, std::uint64_t node, std::uint32_t home) const;

  Part build_part(std::uint32_t cluster);

  const FlatGraph& flat_;
  const Clusters& clusters_;
  Transaction& transaction_;
  AttrProbe owner_mark_{kOwnerKey};
  std::string names_;
  // For each cluster the values that leave it, by producer and index.
  std::vector<std::vector<std::uint64_t>> leaving_;
  // Old value -> value in the root now: an input of the graph, or an output of a call.
  std::unordered_map<std::uint64_t, Value> root_value_;
  std::vector<std::uint64_t> calls_;  // of the clusters so far

  friend class PartBuilder;
};

void Frame::find_crossing_values() {
  leaving_.resize(clusters_.list.size());
  std::vector<std::uint32_t> rank(flat_.size());
  for (std::uint32_t i = 0; i < flat_.order.size(); ++i) rank[flat_.order[i]] = i;
  for (const Edge& edge : flat_.edges) {
    const std::uint32_t from = clusters_.of[edge.producer];
    if (edge.slot == Edge::kControl || from == kNone || from == clusters_.of[edge.user]) continue;
    leaving_[from].push_back(value_key(edge.producer, edge.index));
  }
  const auto earlier = [&](std::uint64_t a, std::uint64_t b) {
    const std::uint32_t rank_a = rank[a >> 32];
    const std::uint32_t rank_b = rank[b >> 32];
    return rank_a != rank_b ? rank_a < rank_b : a < b;
  };
  for (std::vector<std::uint64_t>& values : leaving_) {
    std::sort(values.begin(), values.end(), earlier);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
}

// Every node keeps its place, so that flattening can restore the list order.
void Frame::remember_order() {
  for (std::uint32_t n = 0; n < flat_.size(); ++n) ir::set_int(flat_.nodes[n], kOrderKey, n);
}

void Frame::redirect_outputs() {
  for (const Edge& edge : flat_.edges) {
    if (edge.slot >= Edge::kControl || flat_.roles[edge.user] != Role::kOutput) continue;
    const auto found = root_value_.find(value_key(edge.producer, edge.index));
    if (found != root_value_.end()) ir::set_input(flat_.nodes[edge.user], edge.slot, found->second);
  }
  for (std::uint32_t n = 0; n < flat_.size(); ++n) {
    if (flat_.roles[n] != Role::kOutput) continue;
    ir::move_to_end(flat_.nodes[n]);  // behind the calls it reads
    remember_sources(n, flat_.nodes[n], kNone);
  }
}

void Frame::remove_old_nodes() {
  for (auto n = flat_.order.rbegin(); n != flat_.order.rend(); ++n) {
    if (clusters_.of[*n] != kNone) ir::remove_node(flat_.nodes[*n]);
  }
  // A constant stays in the root only if an output reads it, or if nobody ever did.
  std::vector<bool> was_read(flat_.size(), false);
  for (const Edge& edge : flat_.edges) was_read[edge.producer] = true;
  for (std::uint32_t n = 0; n < flat_.size(); ++n) {
    if (flat_.roles[n] != Role::kConstant || !was_read[n]) continue;
    const std::uint64_t node = flat_.nodes[n];
    if (ir::use_count({node, 0}) == 0 && ir::control_outputs(node).empty()) ir::remove_node(node);
  }
}

// Outputs that waited for operators wait for their calls.
void Frame::order_outputs() {
  for (std::uint32_t n = 0; n < flat_.size(); ++n) {
    if (flat_.roles[n] != Role::kOutput) continue;
    for (std::uint32_t e = flat_.first_edge[n]; e < flat_.first_edge[n + 1]; ++e) {
      const std::uint32_t from = clusters_.of[flat_.edges[e].producer];
      if (flat_.edges[e].slot == Edge::kControl && from != kNone) ir::add_control(calls_[from], flat_.nodes[n]);
    }
  }
}

// Puts the places of all nodes that `n` waits for on `node`, if one of them is not in the part `home`.
void Frame::remember_sources(std::uint32_t n, std::uint64_t node, std::uint32_t home) const {
  std::vector<std::int64_t> places;
  bool crosses = false;
  for (std::uint32_t e = flat_.first_edge[n]; e < flat_.first_edge[n + 1]; ++e) {
    const Edge& edge = flat_.edges[e];
    if (edge.slot != Edge::kControl) continue;
    places.push_back(edge.producer);
    crosses = crosses || clusters_.of[edge.producer] != home;
  }
  if (crosses) ir::set_ints(node, kControlKey, places);
}

// Builds one part: its body, its call, and the edges between.
class PartBuilder {
 public:
  PartBuilder(Frame& frame, std::uint32_t number)
      : frame_(frame), flat_(frame.flat_), cluster_(frame.clusters_.list[number]), number_(number) {}

  Part build() {
    make_names();
    collect_inputs();
    make_call();
    add_inner_inputs();
    for (const std::uint32_t n : cluster_.members) add_member(n);
    add_inner_output();
    add_control_edges();
    return describe();
  }

 private:
  void make_names();
  void collect_inputs();
  void make_call();
  void add_inner_inputs();
  void add_member(std::uint32_t n);
  void add_constant(std::uint32_t n);
  void mark_member(std::uint64_t node) const;
  void add_inner_output();
  void add_control_edges();
  Part describe() const;

  bool is_inside(std::uint32_t n) const { return frame_.clusters_.of[n] == number_; }
  Value inner(std::uint32_t n, std::uint32_t index) const { return inner_.at(value_key(n, index)); }

  Frame& frame_;
  const FlatGraph& flat_;
  const Cluster& cluster_;
  std::uint32_t number_;
  std::string name_;
  std::uint64_t body_ = 0;
  std::uint64_t call_ = 0;
  std::vector<std::uint64_t> entering_;                     // values read from outside, without constants
  std::unordered_map<std::uint64_t, Value> inner_;          // old value -> value in the body
  std::unordered_map<std::uint32_t, std::uint64_t> moved_;  // old node number -> node in the body
};

void PartBuilder::make_names() {
  name_ = frame_.names_ + "_sub_" + std::to_string(number_) + (cluster_.dynamic ? "_unknow" : "_know");
}

void PartBuilder::collect_inputs() {
  std::unordered_map<std::uint64_t, bool> seen;
  for (const std::uint32_t n : cluster_.members) {
    for (std::uint32_t e = flat_.first_edge[n]; e < flat_.first_edge[n + 1]; ++e) {
      const Edge& edge = flat_.edges[e];
      if (edge.slot == Edge::kControl || is_inside(edge.producer)) continue;
      if (flat_.roles[edge.producer] == Role::kConstant) continue;
      const std::uint64_t key = value_key(edge.producer, edge.index);
      if (seen.emplace(key, true).second) entering_.push_back(key);
    }
  }
}

void PartBuilder::make_call() {
  std::vector<Value> inputs;
  for (const std::uint64_t key : entering_) {
    const auto found = frame_.root_value_.find(key);
    inputs.push_back(found != frame_.root_value_.end()
                         ? found->second
                         : Value{flat_.nodes[key >> 32], static_cast<std::uint32_t>(key)});
  }
  const std::vector<std::uint64_t>& leaving = frame_.leaving_[number_];
  Op op;
  op.type = ir::symbol(kCallType);
  const std::string call_name = ir::unique_name(flat_.graph, name_ + "_PartitionedCall_" + std::to_string(number_));
  call_ = ir::create_node(flat_.graph, op, call_name, inputs, static_cast<std::uint32_t>(leaving.size()));
  ir::set_int(call_, kPartKey, number_);
  ir::set_bool(call_, "_is_unknown_shape", cluster_.dynamic);
  for (std::uint32_t k = 0; k < leaving.size(); ++k) {
    const Value old{flat_.nodes[leaving[k] >> 32], static_cast<std::uint32_t>(leaving[k])};
    ge_ir_desc desc = ir::desc(old.node, GE_IR_SCOPE_OUTPUT, old.index);
    desc.struct_size = sizeof(desc);
    ir::set_desc(call_, GE_IR_SCOPE_OUTPUT, k, desc);
    ir::set_value_name({call_, k}, display_name(old));
    frame_.root_value_[leaving[k]] = {call_, k};
  }
  body_ = frame_.transaction_.create_graph(name_);
  ir::attach(call_, kBodyKey, body_);
  ir::set_bool(body_, "_is_unknown_shape", cluster_.dynamic);
}

void PartBuilder::add_inner_inputs() {
  Op op;
  op.type = ir::symbol("Data");
  for (std::uint32_t i = 0; i < entering_.size(); ++i) {
    const Value old{flat_.nodes[entering_[i] >> 32], static_cast<std::uint32_t>(entering_[i])};
    // Free in the root, which still has all names: so no member, which keeps its name, can have it.
    const std::string name = ir::unique_name(flat_.graph, name_ + "_Data_" + std::to_string(i));
    const std::uint64_t data = ir::create_node(body_, op, name, {}, 1);
    ir::set_int(data, "index", i);
    ir::set_int(data, "_parent_node_index", i);
    ge_ir_desc desc = ir::desc(old.node, GE_IR_SCOPE_OUTPUT, old.index);
    desc.struct_size = sizeof(desc);
    ir::set_desc(data, GE_IR_SCOPE_OUTPUT, 0, desc);
    const std::string value_name = ir::value_name(old);
    if (!value_name.empty()) ir::set_value_name({data, 0}, value_name);
    inner_[entering_[i]] = {data, 0};
  }
}

void PartBuilder::add_constant(std::uint32_t n) {
  const std::uint64_t copy =
      copy_node(flat_.nodes[n], body_, ir::unique_name(body_, ir::node_name(flat_.nodes[n])), {});
  for (std::uint32_t index = 0; index < ir::output_count(copy); ++index) inner_[value_key(n, index)] = {copy, index};
}

void PartBuilder::mark_member(std::uint64_t node) const {
  frame_.owner_mark_.read(node);
  if (frame_.owner_mark_.has(0)) ir::set_bool(node, kOldOwnerKey, ir::get_int(node, kOwnerKey, 0) != 0);
  ir::set_bool(node, kOwnerKey, cluster_.dynamic);
}

void PartBuilder::add_member(std::uint32_t n) {
  const std::uint64_t old = flat_.nodes[n];
  std::vector<Value> inputs(ir::input_count(old));
  for (std::uint32_t e = flat_.first_edge[n]; e < flat_.first_edge[n + 1]; ++e) {
    const Edge& edge = flat_.edges[e];
    if (edge.slot == Edge::kControl) continue;
    if (inner_.find(value_key(edge.producer, edge.index)) == inner_.end()) add_constant(edge.producer);
    if (edge.slot != Edge::kCapture) inputs[edge.slot] = inner(edge.producer, edge.index);
  }
  const std::string name = ir::unique_name(body_, ir::node_name(old));
  const std::uint64_t copy = copy_node(old, body_, name, inputs);
  mark_member(copy);
  if (flat_.has_bodies[n]) {
    move_bodies(old, copy, captures_of(old, flat_.graph),
                [&](Value value) { return inner(flat_.number.at(value.node), value.index); });
  }
  for (std::uint32_t index = 0; index < ir::output_count(copy); ++index) inner_[value_key(n, index)] = {copy, index};
  moved_[n] = copy;
}

void PartBuilder::add_inner_output() {
  std::vector<Value> values;
  for (const std::uint64_t key : frame_.leaving_[number_]) values.push_back(inner_.at(key));
  if (values.empty()) return;
  Op op;
  op.type = ir::symbol("NetOutput");
  const std::uint64_t output = ir::create_node(body_, op, ir::unique_name(body_, name_ + "_Node_Output"), values, 0);
  ir::set_bool(output, "_is_unknown_shape", cluster_.dynamic);
}

// Control edges inside the part go along. Those from outside become one edge from call to call (or from a node that
// stays in the root), and the node remembers whom it waited for.
void PartBuilder::add_control_edges() {
  for (const std::uint32_t n : cluster_.members) {
    frame_.remember_sources(n, moved_.at(n), number_);
    for (std::uint32_t e = flat_.first_edge[n]; e < flat_.first_edge[n + 1]; ++e) {
      const Edge& edge = flat_.edges[e];
      if (edge.slot != Edge::kControl) continue;
      const std::uint32_t other = frame_.clusters_.of[edge.producer];
      if (other == number_) {
        ir::add_control(moved_.at(edge.producer), moved_.at(n));
      } else {
        ir::add_control(other == kNone ? flat_.nodes[edge.producer] : frame_.calls_[other], call_);
      }
    }
  }
}

Part PartBuilder::describe() const {
  Part part;
  part.dynamic = cluster_.dynamic;
  part.nodes = cluster_.members.size();
  part.call = call_;
  part.graph = body_;
  part.name = name_;
  part.outputs = frame_.leaving_[number_].size();
  return part;
}

Part Frame::build_part(std::uint32_t cluster) {
  PartBuilder builder(*this, cluster);
  Part part = builder.build();
  calls_.push_back(part.call);
  return part;
}

}  // namespace

std::vector<Part> build_frame(const FlatGraph& flat, const Clusters& clusters, Transaction& transaction) {
  return Frame(flat, clusters, transaction).build();
}

}  // namespace ge::partition
