// The edits of a graph. Each one checks first, reserves memory next, and then cannot fail: an exception leaves the
// graph as it was. An edit that would change nothing does nothing, so that the version tells the truth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ge_ir/graph.h"
#include "ge_ir_api.h"

namespace ge_ir {

/// A producer output, or absent when node is null.
struct Value {
  Node* node = nullptr;
  uint32_t index = 0;
};

/// What create_node needs; handles already resolved by the caller.
struct NodeSpec {
  uint32_t type = 0;
  uint32_t domain = 0;
  int32_t op_version = 0;
  std::string_view name;
  const Value* inputs = nullptr;
  uint32_t input_count = 0;
  uint32_t output_count = 0;
  Node* before = nullptr;
};

// edit_node.cc
Node& create_node(Graph& graph, const NodeSpec& spec);
void remove_node(Node& node, bool drop_uses);
void rename_node(Node& node, std::string_view name);
void set_op(Node& node, uint32_t type, uint32_t domain, int32_t op_version);
void move_before(Node& node, Node* anchor);
void set_arity(Node& node, uint64_t inputs, uint64_t outputs);
/// A free node name; advances the counter of the base past names that are taken, reserves nothing.
std::string make_unique_name(Graph& graph, std::string_view base);

// edit_edge.cc
void set_input(Node& node, uint32_t slot, Value value);
void replace_uses(Node& node, uint32_t index, Node& new_node, uint32_t new_index);
void add_control(Node& source, Node& target);
void remove_control(Node& source, Node& target);
/// FOREIGN unless a reader in `reader` may see values of `producer`'s graph.
void check_visible(const Node& producer, const Graph& reader);
/// Whether a node is `owner` itself or lies in one of its subgraphs.
bool is_within(const Node& node, const Node& owner) noexcept;
/// Unchecked primitives that the undo log uses as well.
void link_use(Node& reader, uint32_t slot) noexcept;
void unlink_use(Node& reader, uint32_t slot) noexcept;
/// Replaces what an input reads as one step of a bigger edit.
class Edit;
void change_input(Edit& edit, Node& reader, uint32_t slot, Value value) noexcept;
void link_control(ControlEdge& edge) noexcept;
void unlink_control(ControlEdge& edge) noexcept;

// edit_desc_attr.cc
void set_desc(Node& node, uint32_t scope, uint32_t index, const ge_ir_desc& spec);
void set_value_name(Node& node, uint32_t index, std::string_view name);
/// Map of attributes of an owner, or null when it has none yet.
AttrMap* find_attrs(Graph* graph, Node* node, uint32_t scope, uint32_t index) noexcept;
void set_attr(Graph* graph, Node* node, uint32_t scope, uint32_t index, std::string_view key, const ge_ir_attr& spec);
void remove_attr(Graph* graph, Node* node, uint32_t scope, uint32_t index, std::string_view key);

// edit_graph.cc
Graph& create_graph(std::string_view name);
void release_graph(Graph& graph);
void rename_graph(Graph& graph, std::string_view name);
void attach_subgraph(Graph* graph, Node* node, std::string_view key, Graph& child);
Graph& detach_subgraph(Graph* graph, Node* node, std::string_view key);
Graph* find_subgraph(Graph* graph, Node* node, std::string_view key) noexcept;
/// Makes the handles of a tree stale for the time being, and back.
void park_tree(Graph& top) noexcept;
void unpark_tree(Graph& top) noexcept;
void link_subgraph(SubgraphSet& set, Graph& child) noexcept;
void unlink_subgraph(SubgraphSet& set, Graph& child) noexcept;
void begin_transaction(Graph& graph, uint32_t* depth);
void commit_transaction(Graph& graph);
void rollback_transaction(Graph& graph);

/// "node 'a' of graph 'g'" for messages.
std::string describe(const Node& node);
/// "graph 'g'" for messages.
std::string describe(const Graph& graph);

}  // namespace ge_ir
