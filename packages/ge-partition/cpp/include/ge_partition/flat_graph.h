// A graph read once into arrays: nodes by number, edges by number, nothing of the graph library in the way.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ge_partition/ir.h"

namespace ge::partition {

// What a node is to a split.
enum class Role : std::uint8_t { kOperator, kInput, kConstant, kOutput };

// One reading of a value: by an input slot, by a body below the node (a capture), or only an order (control).
struct Edge {
  static constexpr std::uint32_t kCapture = 0xffffffffu;
  static constexpr std::uint32_t kControl = 0xfffffffeu;

  std::uint32_t user = 0;
  std::uint32_t producer = 0;
  std::uint32_t index = 0;  // output of the producer
  std::uint32_t slot = 0;   // input of the user, kCapture or kControl
};

// Tells the roles of nodes apart. An input or a constant has no data inputs and at least one output; a constant that
// waits for somebody is an operator like all.
class Roles {
 public:
  Role of(std::uint64_t node, std::uint32_t type, std::uint32_t domain) const;
  Role of(std::uint64_t node) const;

 private:
  std::vector<std::uint32_t> inputs_{ir::symbol("Data"), ir::symbol("RefData"), ir::symbol("AippData"),
                                     ir::symbol("AnnData")};
  std::vector<std::uint32_t> constants_{ir::symbol("Const"), ir::symbol("Constant"), ir::symbol("ConstantOP")};
  std::uint32_t output_ = ir::symbol("NetOutput");
};

// Direct nodes of a root graph, numbered in list order.
struct FlatGraph {
  std::uint64_t graph = 0;
  std::vector<std::uint64_t> nodes;
  std::vector<Role> roles;
  std::vector<bool> has_bodies;
  std::vector<std::uint32_t> order;  // numbers, producers first
  std::vector<Edge> edges;           // grouped by user: edges[first_edge[n]] to edges[first_edge[n + 1] - 1]
  std::vector<std::uint32_t> first_edge;
  std::unordered_map<std::uint64_t, std::uint32_t> number;

  // Reads a graph. Failure{CYCLE} if it has no order.
  static FlatGraph read(std::uint64_t graph);

  std::size_t size() const { return nodes.size(); }
};

// Failure{UNIMPLEMENTED} for an edge that no frame can keep: inputs and outputs stay in the root, so an operator before
// an input, or a node after an output, could put the root's calls in a cycle.
void require_inner_orders(const FlatGraph& flat);

// Readings of outer values by the nodes of all bodies below a node: body node, its slot, and the value.
struct Capture {
  std::uint64_t user = 0;
  std::uint32_t slot = 0;
  Value value;
};

// Captures of values of `scope`'s direct nodes by the bodies of a node, in order of the body nodes.
std::vector<Capture> captures_of(std::uint64_t node, std::uint64_t scope);

// Graphs below a node, outer ones first.
std::vector<std::uint64_t> bodies_below(std::uint64_t node);

}  // namespace ge::partition
