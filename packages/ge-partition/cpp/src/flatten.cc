#include "ge_partition/flatten.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ge_partition/flat_graph.h"
#include "ge_partition/frame.h"
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

// One flattening of a root graph.
class Flattener {
 public:
  explicit Flattener(std::uint64_t graph) : graph_(graph), call_type_(ir::symbol(kCallType)) {}

  std::uint64_t run();

 private:
  void inline_nodes(std::uint64_t call, std::uint64_t body);
  Value restore_constant(std::uint64_t node, std::int64_t order);
  void redirect_outputs();
  void restore_control_edges();
  void restore_order();
  void clear_marks();

  std::uint64_t graph_;
  std::uint32_t call_type_;
  std::vector<std::uint64_t> calls_;
  std::vector<std::pair<std::uint64_t, std::string>> waiting_;  // node, name of the node that it waited for
  ValueMap restored_;                                           // output of a call -> value of a restored node
  std::unordered_map<std::int64_t, std::uint64_t> by_order_;    // constants that are back, by their place
};

// The call of a part: made by a split, which put places on the nodes of its body.
bool is_part(std::uint64_t node, std::uint32_t call_type) {
  if (ir::node_op(node).type != call_type || ir::get_int(node, kOrderKey, kNoOrder) != kNoOrder) return false;
  const std::vector<std::uint64_t> bodies = ir::subgraphs(node);
  return bodies.size() == 1 && ir::graph_key(bodies.front()) == kBodyKey;
}

std::uint64_t Flattener::run() {
  for (const std::uint64_t node : ir::nodes(graph_, GE_IR_ORDER_TOPOLOGICAL)) {
    const std::int64_t order = ir::get_int(node, kOrderKey, kNoOrder);
    if (order != kNoOrder) by_order_[order] = node;
    if (is_part(node, call_type_)) calls_.push_back(node);
  }
  if (calls_.empty()) return 0;
  for (const std::uint64_t call : calls_) inline_nodes(call, ir::subgraphs(call).front());
  redirect_outputs();
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) ir::remove_node(*call);
  restore_control_edges();
  restore_order();
  clear_marks();
  return calls_.size();
}

Value Flattener::restore_constant(std::uint64_t node, std::int64_t order) {
  const auto found = by_order_.find(order);
  if (order != kNoOrder && found != by_order_.end()) return {found->second, 0};
  const std::uint64_t copy = copy_node(node, graph_, ir::unique_name(graph_, ir::node_name(node)), {});
  by_order_[order] = copy;
  return {copy, 0};
}

void Flattener::inline_nodes(std::uint64_t call, std::uint64_t body) {
  const std::uint32_t data_type = ir::symbol("Data");
  const std::uint32_t output_type = ir::symbol("NetOutput");
  const std::vector<std::uint32_t> constants{ir::symbol("Const"), ir::symbol("Constant"), ir::symbol("ConstantOP")};
  const std::vector<Value> outer = ir::inputs(call);
  const auto now = [&](Value value) {
    const auto found = restored_.find(value);
    return found == restored_.end() ? value : found->second;
  };
  std::unordered_map<std::uint64_t, std::uint64_t> moved;  // node in the body -> node in the root
  std::vector<std::uint64_t> in_order;
  for (const std::uint64_t node : ir::nodes(body, GE_IR_ORDER_TOPOLOGICAL)) {
    const Op op = ir::node_op(node);
    std::vector<Value> inputs = ir::inputs(node);
    if (op.domain == 0 && op.type == data_type && inputs.empty()) {
      const auto place = static_cast<std::size_t>(ir::get_int(node, "index", 0));
      restored_[{node, 0}] = now(outer.at(place));
      continue;
    }
    for (Value& value : inputs) value = value.node == 0 ? value : now(value);
    if (op.domain == 0 && op.type == output_type) {
      for (std::uint32_t k = 0; k < inputs.size(); ++k) restored_[{call, k}] = inputs[k];
      continue;
    }
    const std::int64_t order = ir::get_int(node, kOrderKey, kNoOrder);
    const bool constant = op.domain == 0 && inputs.empty() && ir::control_inputs(node).empty() &&
                          std::find(constants.begin(), constants.end(), op.type) != constants.end();
    if (constant) {
      restored_[{node, 0}] = restore_constant(node, order);
      continue;
    }
    const std::uint64_t copy = copy_node(node, graph_, ir::unique_name(graph_, ir::node_name(node)), inputs);
    const std::vector<Capture> captures = captures_of(node, body);
    if (!ir::subgraphs(node).empty()) move_bodies(node, copy, captures, now);
    for (std::uint32_t k = 0; k < ir::output_count(copy); ++k) restored_[{node, k}] = {copy, k};
    moved.emplace(node, copy);
    in_order.push_back(node);
    by_order_[order] = copy;
  }
  for (const std::uint64_t node : in_order) {
    const std::uint64_t copy = moved.at(node);
    for (const std::uint64_t source : ir::control_inputs(node)) {
      const auto found = moved.find(source);
      if (found != moved.end()) ir::add_control(found->second, copy);
    }
    const ge_ir_attr outside = ir::attr(copy, GE_IR_SCOPE_SELF, 0, kControlKey);
    for (std::uint64_t i = 0; i < outside.count && outside.kind == GE_IR_ATTR_KIND_LIST_STRING; ++i) {
      waiting_.emplace_back(copy, std::string(static_cast<const char*>(outside.data) + outside.offsets[i],
                                              outside.offsets[i + 1] - outside.offsets[i]));
    }
  }
}

// Nodes that stayed in the root, the output node among them, read restored values instead of calls.
void Flattener::redirect_outputs() {
  for (const std::uint64_t call : calls_) {
    for (std::uint32_t k = 0; k < ir::output_count(call); ++k) {
      const auto found = restored_.find({call, k});
      if (found != restored_.end()) ir::replace_uses({call, k}, found->second);
    }
  }
}

void Flattener::restore_control_edges() {
  for (const auto& [node, name] : waiting_) {
    std::uint64_t source = 0;
    ir::call(&ge_ir_api::graph_find_node, graph_, name.data(), std::uint64_t{name.size()}, &source);
    ir::add_control(source, node);
  }
}

void Flattener::restore_order() {
  std::vector<std::pair<std::int64_t, std::uint64_t>> places(by_order_.begin(), by_order_.end());
  std::sort(places.begin(), places.end());
  for (const auto& [order, node] : places) {
    if (order != kNoOrder) ir::move_to_end(node);
  }
}

void Flattener::clear_marks() {
  for (const std::uint64_t node : ir::nodes(graph_, GE_IR_ORDER_LIST)) {
    for (const char* key : {kOrderKey, kControlKey, "OwnerGraphIsUnknown"}) ir::remove_attr(node, key);
  }
  ir::remove_attr(graph_, "_dynamic_shape_partitioned");
}

}  // namespace

std::uint64_t flatten(std::uint64_t graph) { return Flattener(graph).run(); }

}  // namespace ge::partition
