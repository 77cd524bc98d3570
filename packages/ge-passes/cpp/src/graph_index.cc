#include "ge_passes/graph_index.h"

#include <algorithm>

#include "ge_passes/compiled_pattern.h"

namespace ge_passes {

GraphIndex::GraphIndex(Handle graph) : graph_(graph), is_root_(graph_owner(graph) == 0), places_(graph) {
  read_ops(graph, columns_);
  count_types();
}

void GraphIndex::count_types() {
  for (const uint32_t type : columns_.types) {
    if (type >= type_counts_.size()) type_counts_.resize(size_t{type} + type / 2 + 64, 0);
    ++type_counts_[type];
  }
}

uint32_t GraphIndex::most(uint64_t key) const noexcept {
  const auto count = [this](uint32_t type) { return type < type_counts_.size() ? type_counts_[type] : 0; };
  const uint32_t type = static_cast<uint32_t>(key >> 32);
  const bool constants = is_constant({type, static_cast<uint32_t>(key), 0});
  return count(type) + (constants ? count(symbols().constant_onnx) : 0);
}

GraphIndex::Bucket& GraphIndex::bucket(uint64_t key) {
  for (Bucket& known : buckets_) {
    if (known.key == key) return known;
  }
  Bucket fresh;
  fresh.key = key;
  fill(fresh);
  for (const auto& [node, node_key] : created_) {
    if (node_key == key) fresh.nodes.push_back(node);
  }
  buckets_.push_back(std::move(fresh));
  return buckets_.back();
}

void GraphIndex::fill(Bucket& bucket) const {
  const uint32_t type = static_cast<uint32_t>(bucket.key >> 32);
  const uint32_t domain = static_cast<uint32_t>(bucket.key);
  // Both kinds of constants are in one bucket.
  const bool constants = is_constant({type, domain, 0});
  const uint32_t other = constants ? symbols().constant_onnx : type;
  const size_t count = columns_.types.size();
  for (size_t i = 0; i < count; ++i) {
    if ((columns_.types[i] == type || columns_.types[i] == other) && columns_.domains[i] == domain) {
      bucket.nodes.push_back(columns_.nodes[i]);
    }
  }
}

const std::vector<Handle>& GraphIndex::nodes_of(uint64_t key) {
  if (!sorted_) sort_topologically();
  return bucket(key).nodes;
}

void GraphIndex::sort_topologically() {
  sorted_ = true;
  std::vector<Handle> order = graph_nodes(graph_, GE_IR_ORDER_TOPOLOGICAL);
  if (order == columns_.nodes || !created_.empty()) return;
  for (size_t i = 0; i < order.size(); ++i) {
    const Op op = op_of(order[i]);
    columns_.types[i] = op.type;
    columns_.domains[i] = op.domain;
  }
  columns_.nodes = std::move(order);
  for (Bucket& known : buckets_) {
    known.nodes.clear();
    fill(known);
  }
}

void GraphIndex::add(Handle node, uint64_t key, uint32_t generation) {
  created_.emplace_back(node, key);
  generations_.set(node, generation);
  const uint32_t type = static_cast<uint32_t>(key >> 32);
  if (type >= type_counts_.size()) type_counts_.resize(size_t{type} + 1, 0);
  ++type_counts_[type];
  for (Bucket& known : buckets_) {
    if (known.key == key) known.nodes.push_back(node);
  }
}

uint32_t GraphIndex::generation(Handle node) const noexcept {
  const uint64_t* found = generations_.find(node);
  return found == nullptr ? 0 : static_cast<uint32_t>(*found);
}

}  // namespace ge_passes
