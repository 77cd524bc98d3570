// A native program without Python that runs Python passes: it starts the interpreter through the bridge.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "ge_abi_support.hpp"
#include "ge_bridge_stubs.h"
#include "ge_ir_stubs.h"
#include "ge_passes_stubs.h"

using ge::abi::call;
using ge::abi::Failure;
using ge::abi::Table;

namespace {

ge_abi_getter getter(const char* path, const char* symbol, int flags = RTLD_NOW | RTLD_LOCAL) {
  void* library = dlopen(path, flags);
  void* found = library != nullptr ? dlsym(library, symbol) : nullptr;
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(3);
  }
  return reinterpret_cast<ge_abi_getter>(found);
}

struct Libraries {
  Table<ge_ir_api> ir;
  Table<ge_passes_api> passes;
  Table<ge_bridge_api> bridge;
};

ge_bridge_info info(const Libraries& lib) {
  ge_bridge_info found{};
  found.struct_size = sizeof(found);
  call(lib.bridge->info, &found);
  return found;
}

// Runs the passes of the first stage over a graph of one operator; its text afterwards.
std::string run(const Libraries& lib) {
  std::uint64_t graph = 0, executor = 0, node = 0;
  std::uint32_t changed = 0, type = 0, domain = 0;
  std::int32_t version = 0;
  call(lib.ir->graph_create, "g", std::uint64_t{1}, &graph);
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof(spec);
  spec.output_count = 1;
  call(lib.ir->symbol_intern, "Relu", std::uint64_t{4}, &spec.type_symbol);
  call(lib.ir->node_create, graph, static_cast<const ge_ir_node_spec*>(&spec), &node);
  call(lib.passes->executor_create, &executor);
  call(lib.passes->executor_run, executor, graph, std::uint32_t{GE_PASSES_STAGE_BEFORE_INFER_SHAPE}, &changed);
  call(lib.passes->executor_release, executor);
  const char* name = nullptr;
  std::uint64_t size = 0;
  call(lib.ir->node_op, node, &type, &domain, &version);
  call(lib.ir->symbol_text, type, &name, &size);
  std::string found(name, size);
  call(lib.ir->graph_release, graph);
  return found;
}

void attempt(const char* what, int32_t (*slot)(ge_error*)) {
  try {
    call(slot);
    std::printf("%s: ok\n", what);
  } catch (const Failure& failure) {
    std::printf("%s: status %d: %s\n", what, failure.status, failure.what());
  }
}

}  // namespace

// host LIBPYTHON BRIDGE NATIVE EXECUTABLE LIBGE_IR LIBGE_PASSES
int main(int, char** arguments) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  Libraries lib;
  const ge_abi_getter ir = getter(arguments[5], "ge_ir_get_api"), passes = getter(arguments[6], "ge_passes_get_api");
  lib.ir.bind(ir);
  lib.passes.bind(passes);
  call(lib.passes->bind_ir, ir);
  std::printf("before Python: %s\n", run(lib).c_str());
  getter(arguments[1], "Py_GetVersion", RTLD_NOW | RTLD_GLOBAL);
  lib.bridge.bind(getter(arguments[2], "ge_bridge_get_api"));

  ge_bridge_config config{};
  config.struct_size = sizeof(config);
  const std::string native = arguments[3], executable = arguments[4];
  config.native_module_path = reinterpret_cast<const uint8_t*>(native.data());
  config.native_module_path_size = native.size();
  call(lib.bridge->configure, static_cast<const ge_bridge_config*>(&config));
  attempt("start without an executable", lib.bridge->start);
  config.python_executable = reinterpret_cast<const uint8_t*>(executable.data());
  config.python_executable_size = executable.size();
  call(lib.bridge->configure, static_cast<const ge_bridge_config*>(&config));
  call(lib.bridge->start);
  call(lib.bridge->start);
  const ge_bridge_info running = info(lib);
  std::printf("started: initialized %u owned %u same %d\n", running.initialized, running.owned,
              running.built_minor == running.running_minor);

  std::uint64_t registered = 0;
  call(lib.bridge->register_passes, ir, passes, std::uint32_t{0}, &registered);
  std::printf("registered: %llu\n", static_cast<unsigned long long>(registered));
  std::printf("main thread: %s\n", run(lib).c_str());
  std::string other[4];
  std::thread threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = std::thread([&, i] { other[i] = run(lib); });
  for (std::thread& thread : threads) thread.join();
  std::printf("other threads: %s %s %s %s\n", other[0].c_str(), other[1].c_str(), other[2].c_str(), other[3].c_str());

  call(lib.bridge->reset);
  std::printf("after reset: %s, %u passes\n", run(lib).c_str(), info(lib).passes);
  call(lib.bridge->register_passes, ir, passes, std::uint32_t{0}, &registered);
  std::printf("registered again: %llu: %s\n", static_cast<unsigned long long>(registered), run(lib).c_str());
  attempt("shutdown", lib.bridge->shutdown);
  attempt("shutdown", lib.bridge->shutdown);
  attempt("start", lib.bridge->start);
  std::printf("after Python: %s, initialized %u\n", run(lib).c_str(), info(lib).initialized);
  return 0;
}
