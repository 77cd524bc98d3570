// Fails the n-th allocation of every edit, for all n: the edit must return NO_MEMORY and leave the graph as it was.
// usage: malloc_failure LIBRARY; prints the number of failures that were survived.
#include <functional>

#include "client.h"

extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* block, size_t size);

namespace {

long countdown = -1;  // allocations until one fails; negative: none fails

bool fails_now() { return countdown >= 0 && countdown-- == 0; }

}  // namespace

// These replace the C library's for the whole process, the library under test and its operator new included.
extern "C" void* malloc(size_t size) { return fails_now() ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(size_t count, size_t size) { return fails_now() ? nullptr : __libc_calloc(count, size); }
extern "C" void* realloc(void* block, size_t size) { return fails_now() ? nullptr : __libc_realloc(block, size); }

namespace {

class Sweep {
 public:
  explicit Sweep(const Ir& ir) : ir_(ir) {}

  /// Runs an edit with every allocation failing once; then it must succeed. Ends the program on any other outcome.
  void run(const char* name, uint64_t graph, const std::function<int32_t()>& edit) {
    for (long n = 0;; ++n) {
      const std::string before = state(graph);
      countdown = n;
      const int32_t status = edit();
      const bool failed = countdown < 0;
      countdown = -1;
      if (status == GE_STATUS_OK && !failed) return;
      if (status == GE_STATUS_OK) continue;  // the allocation was one that may fail, such as a search index
      if (status != GE_STATUS_NO_MEMORY || state(graph) != before) {
        std::fprintf(stderr, "%s, allocation %ld: status %d, state %s\n", name, n, status,
                     state(graph) == before ? "kept" : "changed");
        std::exit(1);
      }
      ++survived_;
    }
  }
  long survived() const { return survived_; }

 private:
  std::string state(uint64_t graph) {
    if (graph == 0) return "";
    uint64_t blob = 0, size = 0, version = 0, report = 0;
    const void* data = nullptr;
    call(ir_->graph_print, graph, 0u, &blob);
    call(ir_->blob_view, blob, &data, &size);
    std::string text(static_cast<const char*>(data), size);
    call(ir_->blob_release, blob);
    call(ir_->graph_version, graph, &version);
    call(ir_->graph_verify, graph, &report);
    call(ir_->blob_release, report);
    return text + std::to_string(version);
  }

  const Ir& ir_;
  long survived_ = 0;
};

/// A node spec with all its memory.
struct Spec {
  std::string name;
  std::vector<uint64_t> nodes;
  std::vector<uint32_t> indices;
  ge_ir_node_spec spec{};

  Spec(uint32_t type, std::string its_name, std::vector<uint64_t> inputs)
      : name(its_name), nodes(inputs), indices(inputs.size()) {
    spec.struct_size = sizeof spec;
    spec.type_symbol = type;
    spec.name = reinterpret_cast<const uint8_t*>(name.data());
    spec.name_size = name.size();
    spec.input_nodes = nodes.data();
    spec.input_indices = indices.data();
    spec.input_count = nodes.size();
    spec.output_count = 3;
  }
};

void sweep_edits(const Ir& ir, Sweep& sweep, bool transaction) {
  const uint32_t type = symbol(ir, "Op");
  const uint64_t graph = new_graph(ir, "graph");
  const uint64_t a = new_node(ir, graph, type, "a", {});
  const uint64_t owner = new_node(ir, graph, type, "owner", {a, a, a});
  uint32_t depth = 0;
  if (transaction) sweep.run("begin", graph, [&] { return ir->transaction_begin(graph, &depth, nullptr); });
  uint64_t node = 0;
  for (int i = 0; i < 40; ++i) {
    const Spec spec(type, i % 2 ? "" : "a name that is long enough " + std::to_string(i), {a, a, a});
    sweep.run("node_create", graph, [&] { return ir->node_create(graph, &spec.spec, &node, nullptr); });
    const std::string key = "attribute key number " + std::to_string(i) + (transaction ? "t" : "");
    ge_ir_attr attr{};
    attr.struct_size = sizeof attr;
    attr.kind = GE_IR_ATTR_KIND_STRING;
    attr.data = key.data();
    attr.count = key.size();
    for (const uint64_t target : {graph, owner}) {
      sweep.run("attr_set", graph, [&] { return ir->attr_set(target, 0, 0, key.data(), key.size(), &attr, nullptr); });
    }
  }
  sweep.run("set_name", graph, [&] { return ir->node_set_name(a, "quite a long new name", 21, nullptr); });
  sweep.run("set_arity up", graph, [&] { return ir->node_set_arity(owner, 50, 60, nullptr); });
  int64_t dims[] = {1, 2, 3};
  ge_ir_desc desc{};
  desc.struct_size = sizeof desc;
  desc.rank_kind = GE_IR_RANK_KIND_KNOWN;
  desc.dims = dims;
  desc.dim_count = 3;
  sweep.run("desc_set out", graph, [&] { return ir->desc_set(owner, GE_IR_SCOPE_OUTPUT, 5, &desc, nullptr); });
  sweep.run("desc_set in", graph, [&] { return ir->desc_set(owner, GE_IR_SCOPE_INPUT, 45, &desc, nullptr); });
  sweep.run("value_name", graph, [&] { return ir->value_set_name(owner, 7, "a long name of a value", 22, nullptr); });
  sweep.run("set_arity down", graph, [&] { return ir->node_set_arity(owner, 2, 3, nullptr); });
  sweep.run("control", graph, [&] { return ir->control_add(a, owner, nullptr); });
  sweep.run("move", graph, [&] { return ir->node_move_before(owner, a, nullptr); });
  sweep.run("sort", graph, [&] { return ir->graph_sort(graph, nullptr); });
  sweep.run("replace_uses", graph, [&] { return ir->value_replace_uses(a, 0, node, 1, nullptr); });
  const uint64_t child = new_graph(ir, "child");
  sweep.run("attach", graph, [&] { return ir->subgraph_attach(owner, "a rather long key", 17, child, nullptr); });
  new_node(ir, child, type, "reader", {node});
  uint64_t copy = 0;
  sweep.run("clone", graph, [&] { return ir->graph_clone(graph, "copy", 4, &copy, nullptr); });
  call(ir->graph_release, copy);
  sweep.run("remove", graph, [&] { return ir->node_remove(owner, 0, nullptr); });
  sweep.run("remove uses", graph, [&] { return ir->node_remove(node, 1, nullptr); });
  if (transaction) {
    // Taking back and freeing must not need memory at all.
    countdown = 0;
    const int32_t status = ir->transaction_rollback(graph, nullptr);
    if (status != 0 || countdown != 0) {
      countdown = -1;
      std::fprintf(stderr, "rollback allocates or fails: status %d\n", status);
      std::exit(1);
    }
    countdown = -1;
    call(ir->graph_release, child);  // a root again
  }
  countdown = 0;
  const int32_t status = ir->graph_release(graph, nullptr);
  if (status != 0 || countdown != 0) {
    countdown = -1;
    std::fprintf(stderr, "graph_release allocates or fails: status %d\n", status);
    std::exit(1);
  }
  countdown = -1;
}

void sweep_objects(const Ir& ir, Sweep& sweep) {
  uint64_t handle = 0;
  sweep.run("graph_create", 0, [&] { return ir->graph_create("a long name of a graph", 22, &handle, nullptr); });
  call(ir->graph_release, handle);
  const int64_t dims[] = {4, 1000};
  std::vector<uint8_t> data(16000);
  ge_ir_tensor_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dims = dims;
  spec.dim_count = 2;
  spec.data = data.data();
  spec.size = data.size();
  sweep.run("tensor_create", 0, [&] { return ir->tensor_create(&spec, &handle, nullptr); });
  call(ir->tensor_release, handle);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "symbol number " + std::to_string(i);
    uint32_t out = 0;
    sweep.run("symbol_intern", 0, [&] { return ir->symbol_intern(text.data(), text.size(), &out, nullptr); });
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const Ir ir(open_library(arguments[1]));
  Sweep sweep(ir);
  sweep_objects(ir, sweep);
  sweep_edits(ir, sweep, false);
  sweep_edits(ir, sweep, true);
  ge_ir_stats stats{};
  stats.struct_size = sizeof stats;
  call(ir->library_stats, &stats);
  if (stats.graphs + stats.nodes + stats.tensors + stats.blobs + stats.tensor_bytes != 0) {
    std::fprintf(stderr, "something is left behind\n");
    return 1;
  }
  std::printf("%ld\n", sweep.survived());
  return 0;
}
