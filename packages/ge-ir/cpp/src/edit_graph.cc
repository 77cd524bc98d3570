#include <memory>
#include <utility>

#include "ge_ir/clone.h"
#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/undo.h"

namespace ge_ir {
namespace {

std::string describe_holder(const Graph* graph, const Node* node) {
  return node != nullptr ? describe(*node) : describe(*graph);
}

void check_attachable(Graph& home, const Graph* graph, const Node* node, std::string_view key, Graph& child) {
  if (key.empty()) {
    fail(GE_STATUS_INVALID_ARGUMENT, "the key of a subgraph of ", describe_holder(graph, node), " is empty");
  }
  if (const Graph* owner = child.parent()) {
    fail(GE_STATUS_INVALID_STATE, describe(child), " is already owned, by ",
         child.owner_node != nullptr ? describe(*child.owner_node) : describe(*owner), "; detach it first");
  }
  if (&home.root() == &child) {
    fail(GE_STATUS_INVALID_STATE, describe(child), " is around ", describe_holder(graph, node),
         " and cannot become its subgraph");
  }
  if (child.log && child.log->active()) {
    fail(GE_STATUS_INVALID_STATE, describe(child), " has an open transaction; commit or roll it back first");
  }
  if (child.log_home != nullptr && child.log_home != &log_root(home)) {
    fail(GE_STATUS_INVALID_STATE, describe(child), " was detached inside the open transaction of ",
         describe(*child.log_home), "; end that first");
  }
}

UndoLog& require_open(Graph& graph) {
  if (graph.parent() != nullptr) {
    fail(GE_STATUS_INVALID_STATE, describe(graph), " is a subgraph; transactions are those of its root, ",
         describe(graph.root()));
  }
  if (!graph.log || !graph.log->active()) {
    fail(GE_STATUS_INVALID_STATE, describe(graph), " has no open transaction");
  }
  return *graph.log;
}

}  // namespace

Graph& create_graph(std::string_view name) {
  std::unique_ptr<Graph> graph(new Graph);
  graph->name = SmallString(name);
  graph->handle = graphs().insert(graph.get());
  return *graph.release();
}

void release_graph(Graph& graph) {
  if (graph.parent() != nullptr) {
    fail(GE_STATUS_INVALID_STATE, describe(graph), " is owned by ",
         graph.owner_node != nullptr ? describe(*graph.owner_node) : describe(*graph.owner_graph),
         "; detach it before releasing it");
  }
  if (graph.log_home == nullptr) return destroy_tree(graph);
  // Detached inside an open transaction: a rollback may need it, so it only disappears from sight.
  Edit edit(graph, 1);
  Record record(Step::kTreeReleased, nullptr);
  record.p.pointer = &graph;
  park_tree(graph);
  edit.done(record);
}

void rename_graph(Graph& graph, std::string_view name) {
  if (graph.name.view() == name) return;
  SmallString fresh(name);
  Edit edit(graph, 1);
  graph.name.swap(fresh);
  Record record(Step::kGraphRenamed, &graph);
  record.put_text(std::move(fresh));
  edit.done(record);
}

void link_subgraph(SubgraphSet& set, Graph& child) noexcept {
  child.previous_sibling = set.last;
  child.next_sibling = nullptr;
  (set.last != nullptr ? set.last->next_sibling : set.first) = &child;
  set.last = &child;
  ++set.count;
  set.index.insert(handle_index(child.handle));
}

void unlink_subgraph(SubgraphSet& set, Graph& child) noexcept {
  set.index.erase(handle_index(child.handle));
  (child.previous_sibling != nullptr ? child.previous_sibling->next_sibling : set.first) = child.next_sibling;
  (child.next_sibling != nullptr ? child.next_sibling->previous_sibling : set.last) = child.previous_sibling;
  --set.count;
}

void attach_subgraph(Graph* graph, Node* node, std::string_view key, Graph& child) {
  Graph& home = node != nullptr ? *node->graph : *graph;
  check_attachable(home, graph, node, key, child);
  if (find_subgraph(graph, node, key) != nullptr) {
    fail(GE_STATUS_ALREADY_EXISTS, describe_holder(graph, node), " already has a subgraph under ", quoted(key));
  }
  SmallString fresh(key);
  if (node != nullptr) node->need_extra();
  SubgraphSet& set = *subgraphs_of(graph, node);
  set.index.reserve_one();
  Edit edit(home, 1);
  child.key.swap(fresh);
  child.owner_node = node;
  child.owner_graph = node == nullptr ? graph : nullptr;
  link_subgraph(set, child);
  Record record(Step::kSubgraphAttached, &home, node);
  record.text.pointer = &child;
  record.put_text(std::move(fresh));
  edit.done(record);
}

Graph& detach_subgraph(Graph* graph, Node* node, std::string_view key) {
  Graph* child = find_subgraph(graph, node, key);
  if (child == nullptr) {
    fail(GE_STATUS_NOT_FOUND, describe_holder(graph, node), " has no subgraph under ", quoted(key));
  }
  uint32_t slot = 0;
  if (const Node* reader = find_capture(*child, &slot)) {
    const Input& input = reader->inputs[slot];
    fail(GE_STATUS_INVALID_STATE, describe(*child), " cannot be detached: input ", slot, " of ", describe(*reader),
         " reads output ", input.output, " of ", describe(node_at(input.producer)));
  }
  Graph& home = node != nullptr ? *node->graph : *graph;
  Edit edit(home, 1);
  Record record(Step::kSubgraphDetached, &home, node);
  record.siblings = {child, child->previous_sibling, child->next_sibling};
  if (edit.logged() && child->log_home == nullptr) {
    child->log_home = &log_root(home);
    record.scope = 1;
  }
  unlink_subgraph(*subgraphs_of(graph, node), *child);
  child->owner_node = nullptr;
  child->owner_graph = nullptr;
  edit.done(record);
  return *child;
}

Graph* find_subgraph(Graph* graph, Node* node, std::string_view key) noexcept {
  const SubgraphSet* set = subgraphs_of(graph, node);
  if (set == nullptr) return nullptr;
  const uint32_t index = set->index.find(key);
  return index == HashIndex<GraphKeyTraits>::kNone ? nullptr : graphs().at(index);
}

void park_tree(Graph& top) noexcept {
  for_each_graph(top, [](Graph& graph) {
    graphs().park(graph.handle);
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) park_node(*node);
  });
}

void unpark_tree(Graph& top) noexcept {
  for_each_graph(top, [](Graph& graph) {
    graphs().unpark(graph.handle);
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) unpark_node(*node);
  });
}

void begin_transaction(Graph& graph, uint32_t* depth) {
  if (graph.parent() != nullptr) {
    fail(GE_STATUS_INVALID_STATE, describe(graph), " is a subgraph; begin the transaction on its root, ",
         describe(graph.root()));
  }
  if (graph.log_home != nullptr) {
    fail(GE_STATUS_INVALID_STATE, describe(graph), " was detached inside the open transaction of ",
         describe(*graph.log_home), "; end that first");
  }
  if (!graph.log) graph.log.reset(new UndoLog);
  graph.log->begin();
  *depth = graph.log->depth();
}

void commit_transaction(Graph& graph) { require_open(graph).commit(); }

void rollback_transaction(Graph& graph) { require_open(graph).rollback(); }

}  // namespace ge_ir
