// The region inside a boundary that an author drew by hand.
#include <algorithm>
#include <map>
#include <utility>

#include "ge_passes/region.h"

namespace ge_passes {
namespace {

using Slot = std::pair<Handle, uint32_t>;

[[noreturn]] void refuse(const std::string& rule) { fail(GE_STATUS_INVALID_ARGUMENT, "boundary: ", rule); }

/// Reads a ge_passes_boundary, checks it, and walks the region.
class BoundaryReader {
 public:
  explicit BoundaryReader(const ge_passes_boundary& boundary) : boundary_(boundary) {}

  Region run() {
    read_outputs();
    read_inputs_of_boundary();
    for (const Value& output : region_.outputs) walk(output.node);
    check_slots_used();
    split_constants();
    check_inputs_outside();
    check_closed();
    find_controls(region_);
    return std::move(region_);
  }

 private:
  void read_outputs() {
    const auto nodes = ge::abi::view(boundary_.output_nodes, boundary_.output_count, "output_nodes");
    const auto indices = ge::abi::view(boundary_.output_indices, boundary_.output_count, "output_indices");
    if (nodes.empty()) refuse("it has no outputs");
    region_.graph = graph_of(nodes[0]);
    for (size_t i = 0; i < nodes.size(); ++i) {
      require_same_graph(nodes[i], cat("output ", uint64_t{i}));
      const uint64_t count = arity(nodes[i]).second;
      if (indices[i] >= count) {
        fail(GE_STATUS_OUT_OF_RANGE, "boundary: output ", uint64_t{i}, " is output ", indices[i], " of ",
             describe(nodes[i]), ", which has ", count);
      }
      const Value value{nodes[i], indices[i]};
      const auto twin = std::find(region_.outputs.begin(), region_.outputs.end(), value);
      if (twin != region_.outputs.end()) {
        refuse(cat("outputs ", static_cast<uint64_t>(twin - region_.outputs.begin()), " and ", uint64_t{i},
                   " are the same value, output ", value.index, " of ", describe(value.node)));
      }
      region_.outputs.push_back(value);
    }
  }

  void require_same_graph(Handle node, const std::string& what) const {
    if (graph_of(node) == region_.graph) return;
    fail(GE_STATUS_FOREIGN, "boundary: ", what, ", ", describe(node), ", is not in ", describe_graph(region_.graph),
         " as the first output; a boundary lies in one graph");
  }

  void read_inputs_of_boundary() {
    const auto nodes = ge::abi::view(boundary_.input_nodes, boundary_.input_count, "input_nodes");
    const auto slots = ge::abi::view(boundary_.input_slots, boundary_.input_count, "input_slots");
    const auto groups = ge::abi::view(boundary_.input_groups, boundary_.input_count, "input_groups");
    region_.inputs.resize(nodes.size());
    size_t used = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      require_same_graph(nodes[i], cat("input slot ", uint64_t{i}));
      if (groups[i] >= nodes.size()) {
        refuse(cat("input slot ", uint64_t{i}, " belongs to input ", groups[i], ", but ", uint64_t{nodes.size()},
                   " slots cannot make more inputs than that; inputs are numbered from 0 without gaps"));
      }
      add_slot(nodes[i], slots[i], groups[i]);
      used = std::max<size_t>(used, size_t{groups[i]} + 1);
    }
    region_.inputs.resize(used);
    for (size_t i = 0; i < used; ++i) {
      if (region_.inputs[i].node == 0)
        refuse(cat("input ", uint64_t{i}, " has no slot; inputs are numbered without gaps"));
    }
  }

  void add_slot(Handle node, uint32_t slot, uint32_t group) {
    read_inputs(node, pairs_);
    if (slot >= pairs_.count) {
      fail(GE_STATUS_OUT_OF_RANGE, "boundary: input slot ", slot, " of ", describe(node), ", which has ",
           uint64_t{pairs_.count});
    }
    const Value value = pairs_.value(slot);
    if (value.node == 0) refuse(cat("input slot ", slot, " of ", describe(node), " reads nothing"));
    if (!slots_.emplace(Slot(node, slot), false).second) {
      refuse(cat("input slot ", slot, " of ", describe(node), " stands in it twice"));
    }
    Value& held = region_.inputs[group];
    if (held.node != 0 && held != value) {
      refuse(cat("the slots of input ", group, " read different values: output ", held.index, " of ",
                 describe(held.node), ", and output ", value.index, " of ", describe(value.node)));
    }
    held = value;
  }

  struct Frame {
    Handle node;
    std::vector<Handle> producers;
    size_t cursor;
  };

  /// Depth first, so that nodes are listed after what they read.
  void walk(Handle start) {
    if (!enter(start)) return;
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.cursor == frame.producers.size()) {
        listed_.push_back(frame.node);
        stack_.pop_back();
        continue;
      }
      enter(frame.producers[frame.cursor++]);
    }
  }

  bool enter(Handle node) {
    if (!region_.members.set(node, 1)) return false;
    const Op op = op_of(node);
    if (op.domain == 0 && (op.type == symbols().data || op.type == symbols().net_output)) {
      refuse(cat("it is open: ", describe(node), " lies inside; draw an input where the region reads it"));
    }
    Frame frame{node, {}, 0};
    read_inputs(node, pairs_);
    for (uint32_t slot = 0; slot < pairs_.count; ++slot) {
      if (pairs_.nodes[slot] == 0) continue;
      const auto drawn = slots_.find(Slot(node, slot));
      if (drawn != slots_.end()) {
        drawn->second = true;
        continue;
      }
      if (graph_of(pairs_.nodes[slot]) != region_.graph) {
        refuse(cat("it is open: input slot ", slot, " of ", describe(node), " reads ", describe(pairs_.nodes[slot]),
                   ", which is in another graph; draw an input there"));
      }
      frame.producers.push_back(pairs_.nodes[slot]);
    }
    stack_.push_back(std::move(frame));
    return true;
  }

  void check_slots_used() {
    for (const auto& [slot, used] : slots_) {
      if (!used) {
        refuse(cat("input slot ", slot.second, " of ", describe(slot.first),
                   " is not inside: no output depends on that node without passing an input"));
      }
    }
  }

  bool is_output_node(Handle node) const {
    return std::any_of(region_.outputs.begin(), region_.outputs.end(),
                       [node](const Value& output) { return output.node == node; });
  }

  void split_constants() {
    region_.members.clear();
    for (const Handle node : listed_) {
      const bool constant = is_constant(op_of(node)) && !is_output_node(node);
      (constant ? region_.constants : region_.nodes).push_back(node);
      if (!constant) region_.members.set(node, 1);
    }
  }

  void check_inputs_outside() {
    for (size_t i = 0; i < region_.inputs.size(); ++i) {
      if (!region_.has(region_.inputs[i].node)) continue;
      refuse(cat("input ", uint64_t{i}, " is output ", region_.inputs[i].index, " of ",
                 describe(region_.inputs[i].node), ", which lies inside and would be replaced"));
    }
  }

  void check_closed() {
    for (const Handle node : region_.nodes) {
      const uint64_t outputs = arity(node).second;
      for (uint32_t i = 0; i < outputs; ++i) {
        const Value value{node, i};
        if (std::find(region_.outputs.begin(), region_.outputs.end(), value) == region_.outputs.end())
          check_uses(value);
      }
    }
  }

  void check_uses(Value value) {
    read_uses(value, pairs_);
    for (size_t i = 0; i < pairs_.count; ++i) {
      if (region_.has(pairs_.nodes[i])) continue;
      fail(GE_STATUS_REFUSED, "boundary: output ", value.index, " of ", describe(value.node),
           " is no output of the boundary, but ", describe(pairs_.nodes[i]), " outside reads it");
    }
  }

  const ge_passes_boundary& boundary_;
  Region region_;
  std::map<Slot, bool> slots_;  ///< drawn slots; true when the walk came by
  PairList pairs_;
  std::vector<Frame> stack_;
  std::vector<Handle> listed_;
};

}  // namespace

Region region_of(const ge_passes_boundary& boundary) { return BoundaryReader(boundary).run(); }

}  // namespace ge_passes
