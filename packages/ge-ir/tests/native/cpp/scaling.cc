// Times of the operations that must stay near-linear, for one size. usage: scaling LIBRARY NODES
// Prints one line per measurement: name, nanoseconds per item (or bytes per node).
#include <malloc.h>

#include <algorithm>
#include <chrono>

#include "client.h"

namespace {

using Clock = std::chrono::steady_clock;

class Bench {
 public:
  Bench(const Ir& ir, uint64_t size) : ir_(ir), size_(size), type_(symbol(ir, "Add")) {}

  template <class Body>
  void time(const char* name, uint64_t items, Body body) {
    const auto start = Clock::now();
    body();
    const double nanoseconds = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    std::printf("%-34s %10.1f ns per item\n", name, nanoseconds / static_cast<double>(items));
  }

  void chain() {
    const uint64_t before = resident_bytes();
    uint64_t graph = new_graph(ir_, "chain");
    std::vector<uint64_t> nodes;
    nodes.reserve(size_);
    time("node_create, chain of 2 inputs", size_, [&] { grow(graph, nodes); });
    const double bytes = static_cast<double>(resident_bytes() - before - size_ * 8) / static_cast<double>(size_);
    std::printf("%-34s %10.1f bytes per node\n", "memory, 2 inputs, 1 output, named", bytes);
    time("graph_nodes list", size_, [&] { list(graph, GE_IR_ORDER_LIST); });
    time("graph_nodes topological, in order", size_, [&] { list(graph, GE_IR_ORDER_TOPOLOGICAL); });
    time("node_move_before", size_, [&] {
      for (size_t i = 1; i < size_; ++i) call(ir_->node_move_before, nodes[i], nodes[i - 1]);
    });
    time("graph_sort, reversed list", size_, [&] { call(ir_->graph_sort, graph); });
    time("graph_verify", size_, [&] {
      uint64_t report = 0;
      call(ir_->graph_verify, graph, &report);
      call(ir_->blob_release, report);
    });
    time("set_input in a transaction", size_, [&] { edit(graph, nodes); });
    time("rollback of it", size_, [&] { call(ir_->transaction_rollback, graph); });
    uint64_t copy = 0;
    time("graph_clone", size_, [&] { call(ir_->graph_clone, graph, "copy", uint64_t{4}, &copy); });
    time("graph_release", size_, [&] { call(ir_->graph_release, copy); });
    time("node_remove from the end", size_, [&] {
      for (size_t i = size_; i-- > 0;) call(ir_->node_remove, nodes[i], 0u);
    });
    call(ir_->graph_release, graph);
  }

  void star() {
    uint64_t graph = new_graph(ir_, "star");
    const uint64_t a = new_node(ir_, graph, type_, "a", {});
    const uint64_t b = new_node(ir_, graph, type_, "b", {});
    std::vector<uint64_t> leaves;
    time("node_create, all read one value", size_, [&] {
      for (uint64_t i = 0; i < size_; ++i) leaves.push_back(new_node(ir_, graph, type_, "", {a}));
    });
    time("value_replace_uses", size_, [&] { call(ir_->value_replace_uses, a, 0u, b, 0u); });
    time("set_input away from many uses", size_, [&] {
      for (size_t i = 0; i < size_; ++i) call(ir_->node_set_input, leaves[(i * 7919) % size_], 0u, a, 0u);
    });
    time("control_add to one target", size_, [&] {
      for (size_t i = 0; i < size_; ++i) call(ir_->control_add, leaves[i], b);
    });
    time("control_remove from one target", size_, [&] {
      for (size_t i = 0; i < size_; ++i) call(ir_->control_remove, leaves[i], b);
    });
    time("remove and create by type name", size_, [&] {
      for (size_t i = 0; i < size_; ++i) {
        call(ir_->node_remove, leaves[i], 0u);
        leaves[i] = new_node(ir_, graph, type_, "", {a});
      }
    });
    call(ir_->graph_release, graph);
  }

  void nest() {
    uint64_t inner = new_graph(ir_, "inner");
    uint64_t depth = std::min<uint64_t>(size_, 100000);
    time("subgraph_attach, ever deeper", depth, [&] {
      for (uint64_t i = 0; i < depth; ++i) {
        const uint64_t outer = new_graph(ir_, "outer");
        const uint64_t owner = new_node(ir_, outer, type_, "owner", {});
        call(ir_->subgraph_attach, owner, "body", uint64_t{4}, inner);
        inner = outer;
      }
    });
    time("graph_release, deep nest", depth, [&] { call(ir_->graph_release, inner); });
  }

 private:
  void grow(uint64_t graph, std::vector<uint64_t>& nodes) {
    nodes.push_back(new_node(ir_, graph, type_, "encoder/layer/0", {}));
    while (nodes.size() < size_) {
      const std::string name = "encoder/layer/" + std::to_string(nodes.size());
      nodes.push_back(new_node(ir_, graph, type_, name, {nodes.back(), nodes[nodes.size() / 2]}));
    }
  }
  void list(uint64_t graph, uint32_t order) {
    std::vector<uint64_t> nodes(size_);
    uint64_t count = 0;
    call(ir_->graph_nodes, graph, order, nodes.data(), size_, &count);
  }
  void edit(uint64_t graph, const std::vector<uint64_t>& nodes) {
    uint32_t depth = 0;
    call(ir_->transaction_begin, graph, &depth);
    for (size_t i = 1; i < size_; ++i) call(ir_->node_set_input, nodes[i], 1u, nodes[0], 0u);
  }

  const Ir& ir_;
  uint64_t size_;
  uint32_t type_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const Ir ir(open_library(arguments[1]));
  Bench bench(ir, std::strtoull(arguments[2], nullptr, 10));
  bench.chain();
  bench.star();
  bench.nest();
  return 0;
}
