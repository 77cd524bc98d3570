// Topological order of the direct nodes of a graph.
#pragma once

#include <string>
#include <vector>

#include "ge_ir/graph.h"

namespace ge_ir {

/// Result of ordering: all nodes, or the nodes of one cycle.
struct Topology {
  std::vector<uint32_t> order;   ///< node ids, producers first, ties in list order; empty when there is a cycle
  std::vector<uint32_t> cycle;   ///< node ids along one cycle; empty when there is none
  bool already_ordered = false;  ///< the list order was topological as it stands
};

/// Orders by data edges, control edges and captures: a node that owns subgraphs follows every producer that they read,
/// at whatever depth. Near-linear in nodes plus edges of this graph plus captures from below.
Topology order_nodes(Graph& graph);
/// Makes the list order topological. CYCLE leaves it as it was.
void sort_graph(Graph& graph);
/// "'a' -> 'b' -> 'a'" with at most five names.
std::string describe_cycle(const Topology& topology);

}  // namespace ge_ir
