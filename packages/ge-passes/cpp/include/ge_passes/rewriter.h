// Puts a copy of a replacement graph in the place of a region.
#pragma once

#include <string>
#include <vector>

#include "ge_passes/cycle.h"
#include "ge_passes/region.h"
#include "ge_passes/transaction.h"

namespace ge_passes {

/// A node that a rewrite made.
struct Created {
  Handle node = 0;
  uint64_t key = 0;  ///< class_key of its operator
};

/// Replaces, inside the given transaction. Everything that can be refused is refused before the first edit.
///
/// * The replacement must have one Data per input and one NetOutput slot per output: INVALID_ARGUMENT with both counts.
/// * Readers of an old output, captures and NetOutput included, read the new value; the value's name moves along, and
/// so
///   does its type if the replacement gives none. An output that is a Data of the replacement stands for that input.
/// * Names of new nodes are `<first origin>_<type>`, made unique; `_origin_nodes` and `_pass_names` say where a node
///   comes from. Both are bounded.
/// * Control edges: what had to run before the old nodes runs before each new node that no other new node precedes;
/// what
///   had to run after them runs after each new node that no other new node follows. New nodes in between are not
///   touched. Without new nodes, sources and targets are connected directly.
/// * Old nodes go; constants stay if somebody else reads them.
///
/// Returns the new direct nodes, producers first. The replacement is only read.
std::vector<Created> replace_region(const Region& region, const Placement& placement, Handle replacement,
                                    std::string_view pass_name, Transaction& transaction);

}  // namespace ge_passes
