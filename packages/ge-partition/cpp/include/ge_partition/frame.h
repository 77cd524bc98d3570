// Puts clusters behind calls: one subgraph and one PartitionedCall a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ge_partition/clusters.h"
#include "ge_partition/flat_graph.h"

namespace ge::partition {

inline constexpr char kCallType[] = "PartitionedCall";
inline constexpr char kBodyKey[] = "body";

// A part as it stands in the graph.
struct Part {
  bool dynamic = false;
  std::uint64_t nodes = 0;  // operators
  std::uint64_t call = 0;
  std::uint64_t graph = 0;
  std::string name;
  std::string reason;
  std::uint64_t outputs = 0;
};

// Replaces the operators of a root graph by calls, in the order of the clusters. Inputs of a call: each value once, by
// first use in topological order. Outputs: each value that somebody outside reads, by producer in topological order.
// Constants are copied into each part that reads them and share their data. The bodies are created in the
// transaction that the caller holds.
std::vector<Part> build_frame(const FlatGraph& flat, const Clusters& clusters, Transaction& transaction);

}  // namespace ge::partition
