#include "ge_passes/places.h"

#include <vector>

namespace ge_passes {

uint64_t Places::of(Handle node) {
  if (!known_) {
    const std::vector<Handle> order = graph_nodes(graph_, GE_IR_ORDER_TOPOLOGICAL);
    places_.clear();
    places_.reserve(order.size());
    for (size_t i = 0; i < order.size(); ++i) places_.set(order[i], i);
    known_ = true;
    shared_ = 0;
  }
  const uint64_t* found = places_.find(node);
  return found == nullptr ? UINT64_MAX : *found;
}

void Places::set(Handle node, uint64_t place) {
  if (!known_) return;
  places_.set(node, place);
  // Shared places widen later walks; numbering anew now and then keeps the sum of all walks near linear.
  if (++shared_ > places_.size() / 2 + 1024) forget();
}

}  // namespace ge_passes
