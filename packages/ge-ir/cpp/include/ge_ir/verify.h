// Checks every structural rule of a graph tree.
#pragma once

#include <string>

#include "ge_ir/graph.h"

namespace ge_ir {

/// One finding a line, empty when all rules hold.
std::string verify_graph(Graph& graph);

}  // namespace ge_ir
