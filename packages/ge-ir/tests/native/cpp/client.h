// What the C++ programs of these tests share: the table, node creation in one line, memory of the process.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ge_abi_support.hpp"
#include "ge_ir_stubs.h"

using ge::abi::call;
using Ir = ge::abi::Table<ge_ir_api>;

/// Opens the library and binds its table; ends the program if that fails.
inline ge_abi_getter open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return reinterpret_cast<ge_abi_getter>(dlsym(library, "ge_ir_get_api"));
}

/// Interns a text.
inline uint32_t symbol(const Ir& ir, const char* text) {
  uint32_t out = 0;
  call(ir->symbol_intern, text, uint64_t{std::strlen(text)}, &out);
  return out;
}

/// Creates an empty graph.
inline uint64_t new_graph(const Ir& ir, const char* name) {
  uint64_t out = 0;
  call(ir->graph_create, name, uint64_t{std::strlen(name)}, &out);
  return out;
}

/// Creates a node that reads output 0 of each producer.
inline uint64_t new_node(const Ir& ir, uint64_t graph, uint32_t type, const std::string& name,
                         const std::vector<uint64_t>& producers, uint64_t outputs = 1, uint64_t before = 0) {
  const std::vector<uint32_t> indices(producers.size(), 0);
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof spec;
  spec.type_symbol = type;
  spec.name = reinterpret_cast<const uint8_t*>(name.data());
  spec.name_size = name.size();
  spec.input_nodes = producers.data();
  spec.input_indices = indices.data();
  spec.input_count = producers.size();
  spec.output_count = outputs;
  spec.before = before;
  uint64_t out = 0;
  call(ir->node_create, graph, static_cast<const ge_ir_node_spec*>(&spec), &out);
  return out;
}

/// Resident bytes of the process.
inline uint64_t resident_bytes() {
  unsigned long size = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lu %lu", &size, &resident) != 2) std::exit(2);
  std::fclose(file);
  return static_cast<uint64_t>(resident) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}
