// One match: what the nodes and inputs of a pattern are bound to.
#pragma once

#include <memory>
#include <vector>

#include "ge_passes/handle_table.h"
#include "ge_passes/pattern.h"

namespace ge_passes {

/// Handed to callbacks behind a MATCH handle that lives for one callback.
struct Match {
  std::shared_ptr<Pattern> pattern;
  std::shared_ptr<const CompiledPattern> program;
  Handle graph = 0;
  std::vector<Handle> nodes;     ///< by number of the pattern node
  std::vector<Value> inputs;     ///< by number of the pattern input
  std::vector<Handle> in_order;  ///< matched nodes, producers first
};

HandleTable<Match>& matches();

}  // namespace ge_passes
