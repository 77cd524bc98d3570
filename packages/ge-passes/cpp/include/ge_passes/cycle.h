// Whether a region can be replaced by one piece, and where the piece goes in the list order.
#pragma once

#include <vector>

#include "ge_passes/places.h"
#include "ge_passes/region.h"

namespace ge_passes {

/// Where the new nodes go: before `anchor`. `moved` nodes, in this order, come between them and the anchor: they depend
/// on the region but stood before its last node.
struct Placement {
  Handle anchor = 0;
  uint64_t place = 0;  ///< of the anchor; meaningless if `placed` is false
  bool placed = false;
  std::vector<Handle> moved;
  std::vector<Handle> cycle;  ///< not empty: a way out of the region and back into it, so it cannot be replaced
};

/// A replacement makes every output depend on every input. That closes a cycle if a node outside depends on the region
/// and the region on it. With one root this cannot be; otherwise the nodes that depend on the region are walked, no
/// further than the place of its last node.
Placement find_placement(const Region& region, Places& places);

/// CYCLE with the way.
[[noreturn]] void refuse_cycle(const Region& region, const Placement& placement);

}  // namespace ge_passes
