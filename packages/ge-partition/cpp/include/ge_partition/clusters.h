// Groups of nodes that become parts: as few as the rules allow, and never with a cycle among them.
#pragma once

#include <cstdint>
#include <vector>

#include "ge_partition/flat_graph.h"
#include "ge_partition/reason.h"

namespace ge::partition {

// One part-to-be: members are node numbers in topological order.
struct Cluster {
  bool dynamic = false;
  bool demoted = false;  // static by its nodes, dynamic because it was too small
  std::vector<std::uint32_t> members;
};

// Clusters of the operators of a graph in an order in which they can run, and the cluster of each node.
struct Clusters {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::vector<Cluster> list;
  std::vector<std::uint32_t> of;  // by node number; kNone for inputs, outputs and constants
};

// Makes clusters and updates the reasons of nodes that change sides.
//
//  1. Absorption: a static node on any path from a dynamic to a dynamic node becomes dynamic.
//  2. Static nodes fall into those that no dynamic node reaches and the others. Absorption leaves both kinds closed
//     under paths, so connected ones merge without a cycle; the same holds for the dynamic nodes.
//  3. A static cluster with fewer than `limit` nodes becomes dynamic and merges with its dynamic neighbours.
//
// Linear in nodes and edges; `steps` grows by those visited.
Clusters make_clusters(const FlatGraph& flat, std::vector<Reason>& reasons, std::int64_t limit, std::uint64_t& steps);

}  // namespace ge::partition
