#include "ge_partition/flat_graph.h"

#include <algorithm>

namespace ge::partition {
namespace {

constexpr std::uint32_t kListOrder = 0;
constexpr std::uint32_t kTopological = 1;

bool contains(const std::vector<std::uint32_t>& symbols, std::uint32_t symbol) {
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

void add_nodes(FlatGraph& flat) {
  const Roles roles;
  std::vector<std::uint32_t> type_symbols, domains;
  ir::columns_ops(flat.graph, flat.nodes, type_symbols, domains);
  flat.number.reserve(flat.size());
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    const std::uint64_t node = flat.nodes[n];
    flat.number.emplace(node, n);
    flat.roles.push_back(roles.of(node, type_symbols[n], domains[n]));
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

Role Roles::of(std::uint64_t node, std::uint32_t type, std::uint32_t domain) const {
  if (domain != 0) return Role::kOperator;
  if (type == output_) return Role::kOutput;
  const bool constant = contains(constants_, type);
  if (!constant && !contains(inputs_, type)) return Role::kOperator;
  if (ir::input_count(node) != 0 || ir::output_count(node) != 1) return Role::kOperator;
  if (!constant) return Role::kInput;
  return ir::control_inputs(node).empty() ? Role::kConstant : Role::kOperator;
}

Role Roles::of(std::uint64_t node) const {
  const Op op = ir::node_op(node);
  return of(node, op.type, op.domain);
}

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

void require_inner_orders(const FlatGraph& flat) {
  for (const Edge& edge : flat.edges) {
    const bool after_output = flat.roles[edge.producer] == Role::kOutput;
    const bool before_input = flat.roles[edge.user] == Role::kInput && flat.roles[edge.producer] == Role::kOperator;
    if (!after_output && !before_input) continue;
    throw abi::Failure(
        GE_STATUS_UNIMPLEMENTED,
        "graph '" + ir::graph_name(flat.graph) + "': the edge from '" + ir::node_name(flat.nodes[edge.producer]) +
            "' to '" + ir::node_name(flat.nodes[edge.user]) + "' puts " +
            (after_output ? "a node behind an output of the graph" : "an input of the graph behind an operator") +
            "; splitting such a graph is not implemented yet, remove the edge first");
  }
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
