// 'any' slots from many threads, each with graphs of its own; for a build with -fsanitize=thread.
// usage: threads LIBRARY; prints the number of rounds.
#include <atomic>
#include <thread>

#include "client.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 400;

uint64_t make_tensor(const Ir& ir) {
  const float data[] = {1, 2};
  const int64_t dims[] = {2};
  ge_ir_tensor_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dims = dims;
  spec.dim_count = 1;
  spec.data = data;
  spec.size = sizeof data;
  uint64_t out = 0;
  call(ir->tensor_create, static_cast<const ge_ir_tensor_spec*>(&spec), &out);
  return out;
}

/// What all threads see of each other: handles that may end at any moment.
struct Shared {
  uint64_t tensor = 0;
  std::atomic<uint64_t> node{0};
  std::atomic<uint64_t> doomed{0};
};

void one_round(const Ir& ir, Shared& shared, int round) {
  const uint64_t graph = new_graph(ir, "g");
  const uint32_t type = symbol(ir, ("type " + std::to_string(round)).c_str());
  uint64_t last = new_node(ir, graph, type, "", {});
  for (int i = 0; i < 20; ++i) last = new_node(ir, graph, type, "", {last});
  ge_ir_attr attr{};
  attr.struct_size = sizeof attr;
  attr.kind = GE_IR_ATTR_KIND_TENSOR;
  attr.i = static_cast<int64_t>(shared.tensor);
  call(ir->attr_set, last, 0u, 0u, "value", uint64_t{5}, static_cast<const ge_ir_attr*>(&attr));
  shared.node.store(last);
  uint32_t live = 0;
  call(ir->node_is_live, shared.node.load(), &live);
  const uint64_t old = shared.doomed.exchange(make_tensor(ir));
  if (old != 0) call(ir->tensor_release, old);
  ge_ir_tensor_info info{};
  info.struct_size = sizeof info;
  ir->tensor_info(shared.doomed.load(), &info, nullptr);
  const char* text = nullptr;
  uint64_t size = 0;
  call(ir->symbol_text, type, &text, &size);
  uint64_t copy = 0;
  call(ir->graph_clone, graph, "c", uint64_t{1}, &copy);
  call(ir->graph_release, graph);
  call(ir->graph_release, copy);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const Ir ir(open_library(arguments[1]));
  Shared shared;
  shared.tensor = make_tensor(ir);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) one_round(ir, shared, round);
    });
  }
  for (std::thread& thread : threads) thread.join();
  call(ir->tensor_release, shared.doomed.load());
  call(ir->tensor_release, shared.tensor);
  ge_ir_stats stats{};
  stats.struct_size = sizeof stats;
  call(ir->library_stats, &stats);
  if (stats.graphs + stats.nodes + stats.tensors + stats.blobs != 0) return 1;
  std::printf("%d\n", kThreads * kRounds);
  return 0;
}
