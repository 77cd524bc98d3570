#include "ge_partition/flatten.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <utility>
#include <vector>

#include "ge_partition/attr_probe.h"
#include "ge_partition/flat_graph.h"
#include "ge_partition/frame.h"
#include "ge_partition/node_compare.h"
#include "ge_partition/node_mover.h"

namespace ge::partition {
namespace {

constexpr std::int64_t kNoOrder = -1;

struct ValueHash {
  std::size_t operator()(const Value& value) const {
    return std::hash<std::uint64_t>()(value.node * 0x9e3779b97f4a7c15u + value.index);
  }
};

using ValueMap = std::unordered_map<Value, Value, ValueHash>;

// Marks of a split, by their places in the probe.
enum Mark : std::uint32_t { kOrder, kControl, kPart, kOldOwner };

// Nodes whose control edges are to be restored, and whom they wait for as far as the parts show.
struct Waiting {
  std::uint64_t node = 0;
  std::uint64_t call = 0;  // of its part; 0: it stood in the root
  std::vector<std::uint64_t> sources;
};

// A node that was moved. A constant, which several parts may share, has no call.
struct Restored {
  std::uint64_t node = 0;  // in the body
  std::uint64_t copy = 0;  // in the root
  std::uint64_t call = 0;
};

Value find_or_same(const ValueMap& map, Value value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

// One flattening of a root graph.
class Flattener {
 public:
  explicit Flattener(std::uint64_t graph) : graph_(graph), marks_{kOrderKey, kControlKey, kPartKey, kOldOwnerKey} {}

  std::uint64_t run();

 private:
  void survey();
  void inline_part(std::uint64_t call);
  void inline_node(std::uint64_t call, const std::vector<Value>& outer, std::uint64_t node);
  void restore_input(std::uint64_t call, const std::vector<Value>& outer, std::uint64_t node);
  void take_place(std::uint64_t node, std::uint64_t copy);
  void restore_constant(std::uint64_t node);
  void restore_operator(std::uint64_t call, std::uint64_t node, const std::vector<Value>& inputs);
  std::uint64_t restore_node(std::uint64_t node, const std::vector<Value>& inputs);
  void collect_waiting(std::size_t first);
  void redirect_users();
  void restore_control_edges();
  void restore_control_edges(const Waiting& waiting);
  void restore_order();
  void clear_marks();

  std::uint64_t node_at(std::int64_t place) const;
  std::uint64_t home_of(std::uint64_t node) const {
    const auto found = home_.find(node);
    return found == home_.end() ? 0 : found->second;
  }

  std::uint64_t graph_;
  Roles roles_;
  AttrProbe marks_;  // of the node at hand
  std::vector<std::uint64_t> calls_;
  std::vector<Waiting> waiting_;
  ValueMap results_;                                            // output of a call -> value of a restored node
  ValueMap inner_;                                              // value of the part at hand -> value of a restored node
  std::vector<Restored> moved_;                                 // in the order of moving
  std::unordered_map<std::uint64_t, std::uint64_t> home_;       // node in the root -> call that it came from
  std::unordered_map<std::int64_t, std::uint64_t> constants_;   // that are back or never went, by their place
  std::vector<std::pair<std::int64_t, std::uint64_t>> places_;  // of all nodes, doubles too
};

[[noreturn]] void broken(std::uint64_t call, const std::string& what) {
  throw abi::Failure(GE_STATUS_INVALID_STATE, "the part '" + ir::node_name(call) + "' cannot be put back: " + what);
}

// A call with the mark of a part. An edit may have taken its body away; then it is a node like all.
bool has_body(std::uint64_t node) {
  const std::vector<std::uint64_t> bodies = ir::subgraphs(node);
  return bodies.size() == 1 && ir::graph_key(bodies.front()) == kBodyKey;
}

std::uint64_t Flattener::run() {
  survey();
  if (calls_.empty()) return 0;
  for (const std::uint64_t call : calls_) inline_part(call);
  redirect_users();
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) ir::remove_node(*call);
  restore_order();
  restore_control_edges();
  clear_marks();
  return calls_.size();
}

void Flattener::survey() {
  for (const std::uint64_t node : ir::nodes(graph_, GE_IR_ORDER_TOPOLOGICAL)) {
    marks_.read(node);
    take_place(node, node);
    if (marks_.has(kPart) && has_body(node)) calls_.push_back(node);
    if (marks_.has(kControl)) waiting_.push_back({node, 0, {}});
    if (marks_.has(kOrder) && roles_.of(node) == Role::kConstant) {
      constants_.emplace(ir::get_int(node, kOrderKey, kNoOrder), node);
    }
  }
}

void Flattener::inline_part(std::uint64_t call) {
  const std::uint64_t body = ir::subgraphs(call).front();
  const std::vector<Value> outer = ir::inputs(call);
  const std::vector<std::uint64_t> nodes = ir::nodes(body, GE_IR_ORDER_TOPOLOGICAL);
  const std::size_t first = moved_.size();
  inner_ = ValueMap(nodes.size());
  for (const std::uint64_t node : nodes) inline_node(call, outer, node);
  collect_waiting(first);
}

void Flattener::inline_node(std::uint64_t call, const std::vector<Value>& outer, std::uint64_t node) {
  const Role role = roles_.of(node);
  if (role == Role::kInput) return restore_input(call, outer, node);
  std::vector<Value> inputs = ir::inputs(node);
  for (Value& value : inputs) value = value.node == 0 ? value : find_or_same(inner_, value);
  if (role == Role::kOutput) {
    for (std::uint32_t k = 0; k < inputs.size(); ++k) results_[{call, k}] = inputs[k];
    return;
  }
  marks_.read(node);
  // A constant that waited for a node outside its part looks like a free one here, but for the mark.
  if (role == Role::kConstant && !marks_.has(kControl)) return restore_constant(node);
  restore_operator(call, node, inputs);
}

void Flattener::restore_input(std::uint64_t call, const std::vector<Value>& outer, std::uint64_t node) {
  const std::int64_t place = ir::get_int(node, "index", -1);
  if (place < 0 || static_cast<std::uint64_t>(place) >= outer.size()) {
    broken(call, "its inner input '" + ir::node_name(node) + "' has index " + std::to_string(place) +
                     ", but the call has " + std::to_string(outer.size()) + " inputs");
  }
  const Value value = outer[static_cast<std::size_t>(place)];
  inner_[{node, 0}] = value.node == 0 ? value : find_or_same(results_, value);
}

// Copies of one constant become one node again, unless somebody edited them apart.
void Flattener::restore_constant(std::uint64_t node) {
  const std::int64_t order = marks_.has(kOrder) ? ir::get_int(node, kOrderKey, kNoOrder) : kNoOrder;
  const auto found = constants_.find(order);
  const bool known = order != kNoOrder && found != constants_.end() && same_constant(node, found->second);
  const std::uint64_t constant = known ? found->second : restore_node(node, {});
  constants_.emplace(order, constant);
  inner_[{node, 0}] = {constant, 0};
  moved_.push_back({node, constant, 0});
}

// Notes the place that `node`, which was just looked at, has a mark of, for itself or for its copy.
void Flattener::take_place(std::uint64_t node, std::uint64_t copy) {
  if (!marks_.has(kOrder)) return;
  const std::int64_t order = ir::get_int(node, kOrderKey, kNoOrder);

  places_.emplace_back(order, copy);
}

// A new node in the root that takes the place that its mark says.
std::uint64_t Flattener::restore_node(std::uint64_t node, const std::vector<Value>& inputs) {
  const std::uint64_t copy = copy_node(node, graph_, ir::unique_name(graph_, ir::node_name(node)), inputs);
  take_place(node, copy);
  return copy;
}

void Flattener::restore_operator(std::uint64_t call, std::uint64_t node, const std::vector<Value>& inputs) {
  const std::uint64_t copy = restore_node(node, inputs);
  if (!ir::subgraphs(node).empty()) {
    move_bodies(node, copy, captures_of(node, ir::node_graph(node)),
                [this](Value value) { return find_or_same(inner_, value); });
  }
  const std::uint32_t outputs = ir::output_count(copy);
  for (std::uint32_t k = 0; k < outputs; ++k) inner_[{node, k}] = {copy, k};
  moved_.push_back({node, copy, call});
  if (!marks_.has(kOldOwner)) return ir::remove_attr(copy, kOwnerKey);
  ir::set_bool(copy, kOwnerKey, ir::get_int(copy, kOldOwnerKey, 0) != 0);
  ir::remove_attr(copy, kOldOwnerKey);
}

// Notes who waits for whom in the part whose nodes are moved_[first] and those behind it.
void Flattener::collect_waiting(std::size_t first) {
  std::unordered_map<std::uint64_t, std::uint64_t> copies;  // made for the first edge; most parts have none
  for (std::size_t i = first; i < moved_.size(); ++i) {
    const Restored& moved = moved_[i];
    if (moved.call == 0) continue;
    marks_.read(moved.node);
    const std::vector<std::uint64_t> sources = ir::control_inputs(moved.node);
    if (sources.empty() && !marks_.has(kControl)) continue;
    if (copies.empty()) {
      for (std::size_t k = first; k < moved_.size(); ++k) copies.emplace(moved_[k].node, moved_[k].copy);
    }
    Waiting waiting{moved.copy, moved.call, {}};
    for (const std::uint64_t source : sources) {
      const auto found = copies.find(source);
      if (found != copies.end()) waiting.sources.push_back(found->second);
    }
    waiting_.push_back(std::move(waiting));
  }
}

// Nodes that stayed in the root, the output node among them, read restored values instead of calls.
void Flattener::redirect_users() {
  for (const std::uint64_t call : calls_) {
    const std::uint32_t outputs = ir::output_count(call);
    for (std::uint32_t k = 0; k < outputs; ++k) {
      if (ir::use_count({call, k}) == 0) continue;
      const auto found = results_.find({call, k});
      if (found == results_.end()) {
        broken(call, "output " + std::to_string(k) + " of the call is read, but its body has no such result");
      }
      ir::replace_uses({call, k}, found->second);
    }
  }
}

void Flattener::restore_control_edges() {
  if (waiting_.empty()) return;
  for (const Restored& moved : moved_) {
    if (moved.call != 0) home_.emplace(moved.copy, moved.call);
  }
  for (Waiting& waiting : waiting_) {
    if (waiting.call == 0) {
      waiting.sources = ir::control_inputs(waiting.node);
      for (const std::uint64_t source : waiting.sources) ir::remove_control(source, waiting.node);
    }
    restore_control_edges(waiting);
  }
}

// The first node at a place, 0 if it is gone; places_ is in order by now.
std::uint64_t Flattener::node_at(std::int64_t place) const {
  const auto found = std::lower_bound(places_.begin(), places_.end(), std::make_pair(place, std::uint64_t{0}));
  return found == places_.end() || found->first != place ? 0 : found->second;
}

// In the order before the split. An edge within the part, or within the root, is back only if it is still there; an
// edge that an edit made comes last.
void Flattener::restore_control_edges(const Waiting& waiting) {
  std::vector<std::uint64_t> present = waiting.sources;
  std::sort(present.begin(), present.end());
  bool remembers = false;
  for (const std::int64_t place : ir::get_ints(waiting.node, kControlKey, remembers)) {
    const std::uint64_t source = node_at(place);
    if (source == 0) continue;
    if (home_of(source) != waiting.call || std::binary_search(present.begin(), present.end(), source)) {
      ir::add_control(source, waiting.node);
    }
  }
  for (const std::uint64_t source : waiting.sources) ir::add_control(source, waiting.node);
}

void Flattener::restore_order() {
  std::stable_sort(places_.begin(), places_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& place : places_) ir::move_to_end(place.second);
}

void Flattener::clear_marks() {
  for (const std::uint64_t node : ir::nodes(graph_, GE_IR_ORDER_LIST)) {
    marks_.read(node);
    if (marks_.has(kOrder)) ir::remove_attr(node, kOrderKey);
    if (marks_.has(kControl)) ir::remove_attr(node, kControlKey);
  }
  if (ir::get_int(graph_, kOldSplitKey, 0) == 0) return ir::remove_attr(graph_, kSplitKey);
  ir::set_bool(graph_, kSplitKey, false);
  ir::remove_attr(graph_, kOldSplitKey);
}

}  // namespace

std::uint64_t flatten(std::uint64_t graph) { return Flattener(graph).run(); }

}  // namespace ge::partition
