// What a pass knows of the graph it works on: candidates by operator, counts, and an order of the nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "ge_passes/flat_map.h"
#include "ge_passes/ir.h"
#include "ge_passes/places.h"

namespace ge_passes {

/// Built once per pass and graph from columns; kept up to date with the nodes that rewrites create. Lists may name
/// nodes that are gone: users check.
class GraphIndex {
 public:
  explicit GraphIndex(Handle graph);

  Handle graph() const noexcept { return graph_; }
  /// A root has no graph around it, so its nodes' producers and readers' hosts need no scope check.
  bool is_root() const noexcept { return is_root_; }
  size_t size() const noexcept { return columns_.nodes.size(); }

  /// At most so many nodes of an operator class (class_key) are there: domains are not looked at, removed nodes
  /// counted.
  uint32_t most(uint64_t key) const noexcept;
  /// Nodes of an operator class: those of the graph in topological order, then created ones in order of creation. CYCLE
  /// if the graph has no topological order.
  const std::vector<Handle>& nodes_of(uint64_t key);
  /// A created node, and after which rewrite generation it came.
  void add(Handle node, uint64_t key, uint32_t generation);
  /// How many rewrites lie behind a node: 0 for a node of the graph as it was.
  uint32_t generation(Handle node) const noexcept;

  Places& places() noexcept { return places_; }

 private:
  struct Bucket {
    uint64_t key = 0;
    std::vector<Handle> nodes;
  };
  Bucket& bucket(uint64_t key);
  void count_types();
  void sort_topologically();
  void fill(Bucket& bucket) const;

  Handle graph_;
  bool is_root_;
  bool sorted_ = false;
  OpColumns columns_;
  std::vector<uint32_t> type_counts_;  ///< by type symbol
  std::vector<Bucket> buckets_;
  std::vector<std::pair<Handle, uint64_t>> created_;
  FlatMap generations_;
  Places places_;
};

}  // namespace ge_passes
