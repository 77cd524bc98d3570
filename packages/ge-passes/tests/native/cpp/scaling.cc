// Times one pattern pass with C callbacks on a chain of Relu(Add(MatMul(x, w), b)).
// usage: scaling LIBGE_IR LIBGE_PASSES NODES
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ge_abi_support.hpp"
#include "ge_ir_stubs.h"
#include "ge_passes_stubs.h"

namespace {

using ge::abi::call;
ge::abi::Table<ge_ir_api> ir;
ge::abi::Table<ge_passes_api> passes;

ge_abi_getter open_getter(const char* path, const char* name) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return reinterpret_cast<ge_abi_getter>(dlsym(library, name));
}

uint32_t symbol(const char* text) {
  uint32_t out = 0;
  call(ir->symbol_intern, text, uint64_t{std::strlen(text)}, &out);
  return out;
}

uint64_t parse(const std::string& text) {
  uint64_t out = 0;
  call(ir->graph_parse, text.data(), uint64_t{text.size()}, "bench", uint64_t{5}, &out);
  return out;
}

uint64_t node(uint64_t graph, const char* type, std::vector<uint64_t> inputs, uint64_t outputs = 1) {
  const std::vector<uint32_t> indices(inputs.size(), 0);
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof spec;
  spec.type_symbol = symbol(type);
  spec.input_nodes = inputs.data();
  spec.input_indices = indices.data();
  spec.input_count = inputs.size();
  spec.output_count = outputs;
  uint64_t out = 0;
  call(ir->node_create, graph, static_cast<const ge_ir_node_spec*>(&spec), &out);
  return out;
}

uint64_t chain(size_t nodes, const char* second) {
  uint64_t graph = 0;
  call(ir->graph_create, "chain", uint64_t{5}, &graph);
  uint64_t x = node(graph, "Data", {});
  const uint64_t w = node(graph, "Const", {});
  const uint64_t b = node(graph, "Const", {});
  for (size_t i = 0; i < nodes / 3; ++i) {
    x = node(graph, "MatMul", {x, w});
    x = node(graph, second, {x, b});
    x = node(graph, "Relu", {x});
  }
  node(graph, "NetOutput", {x}, 0);
  return graph;
}

/// What the pass of one measurement looks for and puts there.
struct Work {
  const char* pattern;
  uint64_t replacement;  ///< cloned for each match
  bool accept;
};

int32_t on_create(void*, uint64_t, uint64_t* instance, ge_error*) {
  *instance = 1;
  return 0;
}
void on_destroy(void*, uint64_t) {}
int32_t on_patterns(void* user, uint64_t, uint64_t context, ge_error* error) {
  uint64_t pattern = 0;
  call(passes->pattern_create, parse(static_cast<Work*>(user)->pattern), &pattern);
  return passes->context_add_pattern(context, pattern, error);
}
int32_t on_meet(void* user, uint64_t, uint64_t, uint64_t, uint32_t* accepted, ge_error*) {
  *accepted = static_cast<Work*>(user)->accept ? 1 : 0;
  return 0;
}
int32_t on_replacement(void* user, uint64_t, uint64_t, uint64_t, uint64_t* out, ge_error* error) {
  return ir->graph_clone(static_cast<Work*>(user)->replacement, "r", 1, out, error);
}

void measure(const char* what, uint64_t graph, size_t nodes, Work work) {
  ge_passes_callbacks callbacks{};
  callbacks.struct_size = sizeof callbacks;
  callbacks.user = &work;
  callbacks.create = on_create;
  callbacks.destroy = on_destroy;
  callbacks.patterns = on_patterns;
  callbacks.meet_requirements = on_meet;
  callbacks.replacement = on_replacement;
  ge_passes_pass_desc desc{};
  desc.struct_size = sizeof desc;
  desc.kind = GE_PASSES_KIND_PATTERN_FUSION;
  desc.stage = GE_PASSES_STAGE_BEFORE_INFER_SHAPE;
  desc.enabled = 1;
  desc.name = desc.descriptor_key = reinterpret_cast<const uint8_t*>(what);
  desc.name_size = desc.descriptor_key_size = std::strlen(what);
  uint64_t pass = 0, executor = 0;
  uint32_t changed = 0;
  call(passes->pass_register, static_cast<const ge_passes_pass_desc*>(&desc),
       static_cast<const ge_passes_callbacks*>(&callbacks), &pass);
  call(passes->executor_create, &executor);
  const auto start = std::chrono::steady_clock::now();
  call(passes->executor_run_pass, executor, pass, graph, &changed);
  const double passed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  ge_passes_stat stat{};
  stat.struct_size = sizeof stat;
  call(passes->executor_stat, executor, uint64_t{0}, &stat);
  std::printf("%-28s %8.1f ns a node, %8.1f ns a match (%llu matches, %llu rewrites)\n", what, passed / nodes,
              stat.matches == 0 ? 0.0 : passed / stat.matches, static_cast<unsigned long long>(stat.matches),
              static_cast<unsigned long long>(stat.rewrites));
  call(passes->executor_release, executor);
  call(passes->pass_unregister, pass);
  call(ir->graph_release, graph);
}

}  // namespace

int main(int, char** argv) {
  const ge_abi_getter getter = open_getter(argv[1], "ge_ir_get_api");
  ir.bind(getter);
  passes.bind(open_getter(argv[2], "ge_passes_get_api"));
  call(passes->bind_ir, getter);
  const size_t nodes = std::strtoull(argv[3], nullptr, 10);
  const char* fuse = "graph @p (%x, %w, %b) { %m = MatMul(%x, %w) %y = Add(%m, %b) return %y }";
  const char* two = "graph @p (%x, %w, %b) { %m = MatMul(%x, %w) %y = Add(%m, %b) %r = Relu(%y) return %r, %y }";
  const char* relu = "graph @p (%x) { %y = Relu(%x) return %y }";
  const uint64_t gemm = parse("graph (%x, %w, %b) { %g = Gemm(%x, %w, %b) return %g }");
  const uint64_t pair = parse("graph (%x, %w, %b) { %g: (?, ?) = Both(%x, %w, %b) return %g[0], %g[1] }");
  const uint64_t four = parse("graph (%x) { %a = A(%x) %b = B(%a) %c = C(%b, %a) %d = D(%c) return %d }");
  measure("none", chain(nodes, "Sub"), nodes, {fuse, gemm, true});
  measure("all rejected", chain(nodes, "Add"), nodes, {fuse, gemm, false});
  measure("all", chain(nodes, "Add"), nodes, {fuse, gemm, true});
  measure("two outputs", chain(nodes, "Add"), nodes, {two, pair, true});
  measure("one to four", chain(nodes, "Add"), nodes, {relu, four, true});
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < nodes / 3; ++i) {
    uint64_t copy = 0;
    call(ir->graph_clone, gemm, "r", uint64_t{1}, &copy);
    call(ir->graph_release, copy);
  }
  const double passed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-28s %8.1f ns a match\n", "(of it: clone and release)", passed / (nodes / 3));
  call(ir->graph_release, gemm);
  call(ir->graph_release, pair);
  call(ir->graph_release, four);
  return 0;
}
