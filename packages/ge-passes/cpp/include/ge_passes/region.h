// A part of a graph that is to be replaced: its nodes, what goes in, what comes out.
#pragma once

#include <vector>

#include "ge_passes/flat_map.h"
#include "ge_passes/match.h"
#include "ge_passes_api.h"

namespace ge_passes {

struct Region {
  Handle graph = 0;
  std::vector<Handle> nodes;            ///< producers first; without constants
  std::vector<Handle> constants;        ///< belong to it, but stay if somebody else reads them
  std::vector<Value> inputs;            ///< by number of the replacement's input; node 0: an absent input
  std::vector<Value> outputs;           ///< by number of the replacement's output
  bool slots_may_lack = false;          ///< inputs are slots of one node: the replacement may leave out absent ones
  std::vector<Handle> control_sources;  ///< nodes outside that have to run before it
  std::vector<Handle> control_targets;  ///< nodes outside that have to run after it
  bool inner_targets = false;           ///< a node other than that of the last output has control targets outside
  FlatMap members;                      ///< `nodes`

  bool has(Handle node) const noexcept { return members.contains(node); }
  /// All outputs are of one node, which then comes after all others.
  bool one_root() const noexcept;
};

/// The region of a match.
Region region_of(const Match& match);
/// The region of one node that is to be decomposed: one input for each slot (absent ones at the end not counted), one
/// output for each output.
Region region_of(Handle node);
/// The region inside a boundary, found by walking from its outputs to its input slots. INVALID_ARGUMENT or FOREIGN with
/// the rule that the boundary breaks, REFUSED if a value is read outside without being an output.
Region region_of(const ge_passes_boundary& boundary);

/// Finds the control edges that cross the border.
void find_controls(Region& region);

/// The direct node of `graph` that a node lies in: itself, or the owner of the subgraph it is in; 0 if it is elsewhere.
Handle host_in(Handle node, Handle graph);

}  // namespace ge_passes
