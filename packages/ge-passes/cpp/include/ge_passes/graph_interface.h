// Inputs and outputs of a pattern or replacement graph.
#pragma once

#include <vector>

#include "ge_passes/ir.h"

namespace ge_passes {

struct GraphInterface {
  std::vector<Handle> data;    ///< Data nodes by index; 0 where an index is left out
  std::vector<Value> outputs;  ///< what the NetOutput reads, slot by slot
  std::vector<Handle> inner;   ///< everything else, in the order given
};

/// Sorts the nodes of a graph into inputs, outputs and the rest. A Data node's place is its attribute `index`; without
/// one it is its place among the Data nodes. INVALID_ARGUMENT if two Data nodes have one place, a place is negative or
/// far out, or there are two NetOutputs. `what` names the graph's role in messages.
GraphInterface read_interface(Handle graph, const std::vector<Handle>& order, const char* what);

}  // namespace ge_passes
