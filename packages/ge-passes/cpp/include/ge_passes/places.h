// Places of nodes in a topological order, kept up to date without numbering the graph anew.
#pragma once

#include <cstdint>

#include "ge_passes/flat_map.h"
#include "ge_passes/ir.h"

namespace ge_passes {

/// A lower place never depends on a higher one. Nodes created or moved by a rewrite share the place of the node that
/// the rewrite ends at, so places bound a walk with <=, and do not order nodes that share one.
class Places {
 public:
  explicit Places(Handle graph) : graph_(graph) {}
  /// Place of a node; numbered on first use. CYCLE if the graph has no order. Unknown nodes come last.
  uint64_t of(Handle node);
  /// Says where a created or moved node stands. Does nothing before the first of().
  void set(Handle node, uint64_t place);
  /// Whether places are numbered now.
  bool known() const noexcept { return known_; }
  /// Whether some nodes share a place.
  bool shared() const noexcept { return shared_ != 0; }
  /// Numbers anew on the next of().
  void forget() noexcept { known_ = false; }

 private:
  Handle graph_;
  bool known_ = false;
  size_t shared_ = 0;
  FlatMap places_;
};

}  // namespace ge_passes
