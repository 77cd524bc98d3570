#include "ge_partition/flat_graph.h"

#include <algorithm>

namespace ge::partition {
namespace {

constexpr std::uint32_t kListOrder = 0;
constexpr std::uint32_t kTopological = 1;

// Symbols of the operator types that a split treats specially.
struct Types {
  std::vector<std::uint32_t> inputs{ir::symbol("Data"), ir::symbol("RefData"), ir::symbol("AippData"),
                                    ir::symbol("AnnData")};
  std::vector<std::uint32_t> constants{ir::symbol("Const"), ir::symbol("Constant"), ir::symbol("ConstantOP")};
  std::uint32_t output = ir::symbol("NetOutput");
};

bool contains(const std::vector<std::uint32_t>& symbols, std::uint32_t symbol) {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

Role role_of(const Types& types, std::uint64_t node, std::uint32_t type, std::uint32_t domain, std::uint64_t inputs) {
  if (domain != 0) return Role::kOperator;
  if (type == types.output) return Role::kOutput;
  if (inputs != 0 || !ir::control_inputs(node).empty()) return Role::kOperator;
  if (contains(types.inputs, type)) return Role::kInput;
  return contains(types.constants, type) ? Role::kConstant : Role::kOperator;
}

void add_nodes(FlatGraph& flat) {
  const Types types;
  std::vector<std::uint32_t> type_symbols, domains;
  ir::columns_ops(flat.graph, flat.nodes, type_symbols, domains);
  flat.number.reserve(flat.size());
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    const std::uint64_t node = flat.nodes[n];
    flat.number.emplace(node, n);
    flat.roles.push_back(role_of(types, node, type_symbols[n], domains[n], ir::input_count(node)));
    flat.has_bodies.push_back(!ir::subgraphs(node).empty());
  }
  for (const std::uint64_t node : ir::nodes(flat.graph, kTopological)) flat.order.push_back(flat.number.at(node));
}

void add_edges_of(FlatGraph& flat, std::uint32_t n, std::vector<Value>& inputs) {
  const std::uint64_t node = flat.nodes[n];
  ir::inputs(node, inputs);
  for (std::uint32_t slot = 0; slot < inputs.size(); ++slot) {
    if (inputs[slot].node == 0) continue;
    flat.edges.push_back({n, flat.number.at(inputs[slot].node), inputs[slot].index, slot});
  }
  if (flat.has_bodies[n]) {
    for (const Capture& capture : captures_of(node, flat.graph)) {
      flat.edges.push_back({n, flat.number.at(capture.value.node), capture.value.index, Edge::kCapture});
    }
  }
  for (const std::uint64_t source : ir::control_inputs(node)) {
    flat.edges.push_back({n, flat.number.at(source), 0, Edge::kControl});
  }
}

}  // namespace

FlatGraph FlatGraph::read(std::uint64_t graph) {
  FlatGraph flat;
  flat.graph = graph;
  add_nodes(flat);
  std::vector<Value> inputs;
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    flat.first_edge.push_back(static_cast<std::uint32_t>(flat.edges.size()));
    add_edges_of(flat, n, inputs);
  }
  flat.first_edge.push_back(static_cast<std::uint32_t>(flat.edges.size()));
  return flat;
}

std::vector<std::uint64_t> bodies_below(std::uint64_t node) {
  std::vector<std::uint64_t> found = ir::subgraphs(node);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::uint64_t inner : ir::nodes(found[i], kListOrder)) {
      for (const std::uint64_t body : ir::subgraphs(inner)) found.push_back(body);
    }
  }
  return found;
}

std::vector<Capture> captures_of(std::uint64_t node, std::uint64_t scope) {
  std::vector<Capture> found;
  std::vector<Value> inputs;
  for (const std::uint64_t body : bodies_below(node)) {
    for (const std::uint64_t inner : ir::nodes(body, kListOrder)) {
      ir::inputs(inner, inputs);
      for (std::uint32_t slot = 0; slot < inputs.size(); ++slot) {
        const Value value = inputs[slot];
        if (value.node != 0 && ir::node_graph(value.node) == scope) found.push_back({inner, slot, value});
      }
    }
  }
  return found;
}

}  // namespace ge::partition
