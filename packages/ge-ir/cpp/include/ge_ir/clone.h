// Deep copy of a graph with its subgraphs.
#pragma once

#include <string_view>

#include "ge_ir/graph.h"

namespace ge_ir {

/// A root copy: same list order, use order, attribute order and names. REFUSED if something inside reads a value of a
/// graph around `graph`.
Graph& clone_graph(Graph& graph, std::string_view name);

/// A node of the tree below `top` that reads a value from outside it, or null; `slot` says by which input.
const Node* find_capture(Graph& top, uint32_t* slot) noexcept;

}  // namespace ge_ir
