#include "ge_ir/graph.h"

#include <cstring>
#include <new>
#include <type_traits>

#include "ge_ir/undo.h"

namespace ge_ir {

NodeExtra& Node::need_extra() {
  if (!extra) extra.reset(new NodeExtra);
  return *extra;
}

std::string_view GraphKeyTraits::text(uint32_t graph_index) noexcept { return graphs().at(graph_index)->key.view(); }

GraphTable& graphs() noexcept {
  // Initialised by the compiler and never destroyed: usable before main() and while the process ends.
  static GraphTable table;
  static_assert(std::is_trivially_destructible_v<GraphTable>);
  return table;
}

uint64_t new_stamp() noexcept {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

SubgraphSet* subgraphs_of(Graph* graph, Node* node) noexcept {
  if (node == nullptr) return &graph->library;
  return node->extra ? &node->extra->subgraphs : nullptr;
}

Graph::Graph() = default;

Graph::~Graph() {
  while (chunks_ != nullptr) {
    Chunk* following = chunks_->next;
    release_chunk(chunks_);
    chunks_ = following;
  }
}

Graph& Graph::root() noexcept {
  Graph* top = this;
  while (Graph* above = top->parent()) top = above;
  return *top;
}

bool Graph::encloses(const Graph& inner) const noexcept {
  const Graph* at = &inner;
  while (at != nullptr && at != this) at = at->parent();
  return at == this;
}

Node* Graph::find(std::string_view node_name) const noexcept {
  const uint32_t id = names.find(node_name);
  return id == kNoNode ? nullptr : &node_at(id);
}

void Graph::reserve_node() {
  names.reserve_one();
  if (free_ != kNoNode) return;
  for (;;) {
    while (fresh_ < kChunkNodes && !is_usable(*chunks_, fresh_)) ++fresh_;
    if (fresh_ < kChunkNodes) return;
    Chunk* chunk = acquire_chunk();
    chunk->next = chunks_;
    chunks_ = chunk;
    fresh_ = 0;
  }
}

Node& Graph::construct_node() noexcept {
  uint32_t id = free_;
  if (id != kNoNode) {
    std::memcpy(&free_, static_cast<void*>(&node_at(id)), sizeof(free_));
  } else {
    id = (chunks_->id << kChunkBits) | fresh_++;
  }
  Node& node = *new (static_cast<void*>(&node_at(id))) Node;
  node.graph = this;
  node.id = id;
  node.generation = start_node(id);
  return node;
}

void Graph::destroy_node(Node& node) noexcept {
  const uint32_t id = node.id;
  while (ControlEdge* edge = node.first_control_out()) {
    node.extra->first_out = edge->next_out;
    delete edge;
  }
  node.~Node();
  if (end_node(id)) {
    std::memcpy(static_cast<void*>(&node_at(id)), &free_, sizeof(free_));
    free_ = id;
  }
}

void Graph::link(Node& node, uint32_t before) noexcept {
  node.next = before;
  node.previous = before == kNoNode ? tail : node_at(before).previous;
  (node.previous == kNoNode ? head : node_at(node.previous).next) = node.id;
  (before == kNoNode ? tail : node_at(before).previous) = node.id;
  ++count;
}

void Graph::unlink(Node& node) noexcept {
  (node.previous == kNoNode ? head : node_at(node.previous).next) = node.next;
  (node.next == kNoNode ? tail : node_at(node.next).previous) = node.previous;
  --count;
}

void destroy_tree(Graph& top) noexcept {
  if (top.log) top.log->close();
  for_each_graph(top, [](Graph& graph) {
    for (Node* node = graph.first_node(); node != nullptr;) {
      Node* following = Graph::next_node(*node);
      graph.destroy_node(*node);
      node = following;
    }
    graphs().drop(graph.handle);
    delete &graph;
  });
}

}  // namespace ge_ir
