#include "ge_passes/cycle.h"

#include <algorithm>

namespace ge_passes {
namespace {

/// Walks what depends on a region, depth first and iteratively, up to a place.
class Walk {
 public:
  Walk(const Region& region, Places& places, uint64_t limit) : region_(region), places_(places), limit_(limit) {}

  /// Fills moved or cycle of the placement.
  void run(Placement& placement) {
    for (const Handle node : region_.nodes) {
      for (const Handle next : successors(node)) {
        if (region_.has(next)) continue;
        if (!visit(next)) return close(placement, node);
      }
    }
    placement.moved.assign(finished_.rbegin(), finished_.rend());
  }

 private:
  struct Frame {
    Handle node;
    std::vector<Handle> next;
    size_t cursor;
  };

  /// Visits a node and all that depends on it; false if that leads back into the region.
  bool visit(Handle start) {
    if (!enter(start)) return true;
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.cursor == frame.next.size()) {
        finished_.push_back(frame.node);
        stack_.pop_back();
        continue;
      }
      const Handle next = frame.next[frame.cursor++];
      if (region_.has(next)) {
        end_ = next;
        return false;
      }
      enter(next);
    }
    return true;
  }

  bool enter(Handle node) {
    if (places_.of(node) > limit_ || !seen_.set(node, 1)) return false;
    stack_.push_back({node, successors(node), 0});
    return true;
  }

  std::vector<Handle> successors(Handle node) {
    std::vector<Handle> found;
    read_control_outputs(node, found);
    const uint64_t outputs = arity(node).second;
    for (uint32_t i = 0; i < outputs; ++i) {
      read_uses({node, i}, uses_);
      for (size_t k = 0; k < uses_.count; ++k) {
        const Handle host = host_in(uses_.nodes[k], region_.graph);
        if (host != 0 && host != node) found.push_back(host);
      }
    }
    return found;
  }

  void close(Placement& placement, Handle start) {
    placement.cycle.push_back(start);
    for (const Frame& frame : stack_) placement.cycle.push_back(frame.node);
    placement.cycle.push_back(end_);
  }

  const Region& region_;
  Places& places_;
  uint64_t limit_;
  Handle end_ = 0;
  FlatMap seen_;
  PairList uses_;
  std::vector<Frame> stack_;
  std::vector<Handle> finished_;
};

/// The last node of a region and its place; false if others share the place.
bool find_last(const Region& region, Places& places, Placement& placement) {
  placement.placed = true;
  placement.anchor = 0;
  size_t sharing = 0;
  for (const Handle node : region.nodes) {
    const uint64_t place = places.of(node);
    if (placement.anchor != 0 && place < placement.place) continue;
    sharing = placement.anchor != 0 && place == placement.place ? sharing + 1 : 0;
    placement.anchor = node;
    placement.place = place;
  }
  return sharing == 0;
}

}  // namespace

Placement find_placement(const Region& region, Places& places) {
  Placement placement;
  if (region.one_root() && !region.inner_targets) {
    placement.anchor = region.outputs.front().node;
    placement.placed = places.known();
    if (placement.placed) placement.place = places.of(placement.anchor);
    return placement;
  }
  if (!find_last(region, places, placement) && places.shared()) {
    places.forget();
    find_last(region, places, placement);
  }
  Walk(region, places, placement.place).run(placement);
  return placement;
}

void refuse_cycle(const Region& region, const Placement& placement) {
  std::string way;
  constexpr size_t kShown = 6;
  for (size_t i = 0; i < placement.cycle.size(); ++i) {
    if (i != 0) way += " -> ";
    if (i == kShown && placement.cycle.size() > kShown + 1) {
      way += "... -> ";
      i = placement.cycle.size() - 1;
    }
    way += quoted(node_name(placement.cycle[i]));
  }
  fail(GE_STATUS_CYCLE, "replacing this region of ", describe_graph(region.graph),
       " would close a cycle: a node outside depends on the region and the region on it (", way, ")");
}

}  // namespace ge_passes
