// A graph: nodes in list order, names, attributes, owned library subgraphs, and the links of the tree.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ge_ir/chunk.h"
#include "ge_ir/hash_index.h"
#include "ge_ir/node.h"
#include "ge_ir/ref_table.h"

namespace ge_ir {

class UndoLog;

/// Traits of the node name index.
struct NodeNameTraits {
  static std::string_view text(uint32_t id) noexcept { return node_at(id).name.view(); }
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// The graph around this one, or null for a root.
  Graph* parent() const noexcept { return owner_node != nullptr ? owner_node->graph : owner_graph; }
  /// The topmost graph of the tree. Walks up: cost is the nesting depth.
  Graph& root() noexcept;
  /// Whether this graph is `inner` or around it.
  bool encloses(const Graph& inner) const noexcept;
  /// Direct node of a name or null.
  Node* find(std::string_view node_name) const noexcept;
  Node* first_node() const noexcept { return head == kNoNode ? nullptr : &node_at(head); }
  static Node* next_node(const Node& node) noexcept { return node.next == kNoNode ? nullptr : &node_at(node.next); }

  // --- raw list and storage operations, for edit.cc, undo.cc and clone.cc

  /// Makes room for one more node: storage and name index. Throws std::bad_alloc.
  void reserve_node();
  /// Constructs a node in reserved storage; it is live but not yet linked nor named.
  Node& construct_node() noexcept;
  /// Destroys an unlinked node without edges; its handle ends.
  void destroy_node(Node& node) noexcept;
  /// Links a node before another one, or at the end for kNoNode.
  void link(Node& node, uint32_t before) noexcept;
  /// Takes a node out of the list.
  void unlink(Node& node) noexcept;

  uint64_t handle = 0;
  SmallString name;
  uint64_t version = 0;
  Node* owner_node = nullptr;
  Graph* owner_graph = nullptr;
  SmallString key;  ///< under which the owner holds it; stays after detaching, so that undo finds it
  Graph* previous_sibling = nullptr;
  Graph* next_sibling = nullptr;
  SubgraphSet library;
  uint32_t head = kNoNode;
  uint32_t tail = kNoNode;
  uint64_t count = 0;
  HashIndex<NodeNameTraits> names;
  AttrMap attrs;
  std::unordered_map<std::string, uint64_t> name_counters;  ///< next number to try for a base that was taken
  std::string unique_name;                                  ///< last answer of the unique name slot

  std::unique_ptr<UndoLog> log;  ///< of a root graph, when it ever had a transaction
  Graph* log_home = nullptr;     ///< a root detached inside an open transaction: the graph whose log covers it

  // scratch of tree walks; a walk never allocates, so that ending a tree cannot fail
  Graph* walk_next = nullptr;
  uint64_t walk_index = 0;
  uint64_t stamp = 0;
  Node* host = nullptr;

 private:
  Chunk* chunks_ = nullptr;
  uint32_t fresh_ = kChunkNodes;  ///< first place of chunks_ that was never used
  uint32_t free_ = kNoNode;       ///< ended ids, linked through their storage
};

using GraphTable = RefTable<Graph, HandleType::kGraph>;
/// The process's graphs; never destroyed.
GraphTable& graphs() noexcept;

/// Calls visit(Graph&) for a graph and every graph below it, owners first. Neither recursive nor allocating.
template <class Visit>
void for_each_graph(Graph& top, Visit visit) {
  Graph* stack = &top;
  top.walk_next = nullptr;
  while (stack != nullptr) {
    Graph& graph = *stack;
    stack = graph.walk_next;
    const auto push_all = [&stack](Graph* child) {
      for (; child != nullptr; child = child->next_sibling) {
        child->walk_next = stack;
        stack = child;
      }
    };
    push_all(graph.library.first);
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      push_all(node->first_subgraph());
    }
    visit(graph);
  }
}

/// As for_each_graph, for the graphs below one node.
template <class Visit>
void for_each_graph_below(const Node& node, Visit visit) {
  for (Graph* child = node.first_subgraph(); child != nullptr; child = child->next_sibling) {
    for_each_graph(*child, visit);
  }
}

/// An unused stamp for marking graphs of a walk.
uint64_t new_stamp() noexcept;

/// Ends a tree of graphs for good. No value outside may be read from inside any more. Never fails.
void destroy_tree(Graph& top) noexcept;

/// The subgraphs of a node that owns none are this empty set.
SubgraphSet* subgraphs_of(Graph* graph, Node* node) noexcept;

}  // namespace ge_ir
