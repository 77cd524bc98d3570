#include "ge_ir/order.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>

#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/undo.h"

namespace ge_ir {
namespace {

/// Finds the direct node of one graph that a graph below lies under; remembers the way, so that all climbs together
/// cost no more than the number of graphs below.
class HostFinder {
 public:
  explicit HostFinder(const Graph& level) : level_(level), stamp_(new_stamp()) {}

  Node* find(Graph& inner) noexcept {
    Graph* top = &inner;
    while (top->stamp != stamp_ && top->parent() != &level_) top = top->parent();
    // A library subgraph has no host; it cannot capture either, because no node of its owner runs it.
    Node* host = top->stamp == stamp_ ? top->host : top->owner_node;
    for (Graph* at = &inner; at != top; at = at->parent()) {
      at->stamp = stamp_;
      at->host = host;
    }
    top->stamp = stamp_;
    top->host = host;
    return host;
  }

 private:
  const Graph& level_;
  uint64_t stamp_;
};

/// Calls visit(Node&) for every node that must follow `node`, once for each reason.
template <class Visit>
void for_each_successor(Node& node, HostFinder& hosts, Visit visit) {
  for (Output& output : node.outputs) {
    for (Use use = output.first; use.present();) {
      Node& reader = node_at(use.node);
      use = reader.inputs[use.slot].next;
      Node* successor = reader.graph == node.graph ? &reader : hosts.find(*reader.graph);
      if (successor != nullptr) visit(*successor);
    }
  }
  for (ControlEdge* edge = node.first_control_out(); edge != nullptr; edge = edge->next_out) visit(*edge->target);
}

/// Walks backwards along unmet dependencies until a node repeats. `waiting[i]` counts what node i still waits for.
std::vector<uint32_t> find_cycle(const std::vector<uint32_t>& list, const std::vector<uint32_t>& waiting,
                                 HostFinder& hosts) {
  std::vector<uint32_t> waits_for(list.size(), kNoNode);
  for (size_t i = 0; i < list.size(); ++i) {
    if (waiting[i] == 0) continue;
    for_each_successor(node_at(list[i]), hosts, [&waits_for, i](Node& successor) {
      if (waits_for[successor.mark] == kNoNode) waits_for[successor.mark] = static_cast<uint32_t>(i);
    });
  }
  uint32_t at = 0;
  while (waiting[at] == 0) ++at;
  std::vector<bool> seen(list.size(), false);
  while (!seen[at]) {
    seen[at] = true;
    at = waits_for[at];
  }
  std::vector<uint32_t> cycle;
  const uint32_t start = at;
  do {
    cycle.push_back(list[at]);
    at = waits_for[at];
  } while (at != start);
  std::reverse(cycle.begin(), cycle.end());
  // Start with the node that is first in the list, so that the message does not depend on where the walk began.
  const auto first = std::min_element(cycle.begin(), cycle.end(),
                                      [](uint32_t a, uint32_t b) { return node_at(a).mark < node_at(b).mark; });
  std::rotate(cycle.begin(), first, cycle.end());
  return cycle;
}

}  // namespace

Topology order_nodes(Graph& graph) {
  Topology result;
  std::vector<uint32_t> list;
  list.reserve(graph.count);
  for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) {
    node->mark = static_cast<uint32_t>(list.size());
    list.push_back(node->id);
  }
  HostFinder hosts(graph);
  std::vector<uint32_t> waiting(list.size(), 0);
  bool ordered = true;
  for (const uint32_t id : list) {
    Node& node = node_at(id);
    for_each_successor(node, hosts, [&](Node& successor) {
      ++waiting[successor.mark];
      ordered = ordered && node.mark < successor.mark;
    });
  }
  if (ordered) {
    result.order = std::move(list);
    result.already_ordered = true;
    return result;
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>> ready;
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  result.order.reserve(list.size());
  while (!ready.empty()) {
    const uint32_t position = ready.top();
    ready.pop();
    result.order.push_back(list[position]);
    for_each_successor(node_at(list[position]), hosts, [&](Node& successor) {
      if (--waiting[successor.mark] == 0) ready.push(successor.mark);
    });
  }
  if (result.order.size() != list.size()) {
    result.order.clear();
    result.cycle = find_cycle(list, waiting, hosts);
  }
  return result;
}

std::string describe_cycle(const Topology& topology) {
  std::string text;
  const size_t shown = std::min<size_t>(topology.cycle.size(), 5);
  for (size_t i = 0; i < shown; ++i) text += quoted(node_at(topology.cycle[i]).name.view()) + " -> ";
  if (shown < topology.cycle.size()) text += cat("... (", uint64_t{topology.cycle.size() - shown}, " more) -> ");
  return text + quoted(node_at(topology.cycle.front()).name.view());
}

void sort_graph(Graph& graph) {
  const Topology topology = order_nodes(graph);
  if (!topology.cycle.empty()) {
    fail(GE_STATUS_CYCLE, describe(graph), " has a cycle of ", uint64_t{topology.cycle.size()},
         " nodes: ", describe_cycle(topology));
  }
  if (topology.already_ordered) return;
  Edit edit(graph, 1);
  std::unique_ptr<std::vector<uint32_t>> old(new std::vector<uint32_t>);
  old->reserve(graph.count);
  for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) old->push_back(node->id);
  for (const uint32_t id : topology.order) {
    graph.unlink(node_at(id));
    graph.link(node_at(id), kNoNode);
  }
  Record record(Step::kListReordered, &graph);
  record.p.pointer = old.release();
  edit.done(record);
}

}  // namespace ge_ir
