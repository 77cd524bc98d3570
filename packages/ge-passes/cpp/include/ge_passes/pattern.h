// A pattern: its graph, its flags and captures, and the program that finds it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ge_passes/compiled_pattern.h"
#include "ge_passes/handle_table.h"
#include "ge_passes/ir.h"

namespace ge_passes {

/// Owns a pattern graph. Everything the matcher needs is copied out of it, so matching never reads it.
class Pattern {
 public:
  /// Checks the rules of patterns and takes the graph. On a Failure the graph stays the caller's.
  static std::shared_ptr<Pattern> create(Handle graph);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  Handle graph() const noexcept { return graph_; }
  const std::string& name() const noexcept { return name_; }
  void set_flags(uint32_t flags);
  /// Appends a capture. FOREIGN if the node is not of the pattern, OUT_OF_RANGE if it has no such output.
  void capture(Handle node, uint32_t index);
  std::vector<Value> captures() const;
  /// The program for the present flags.
  std::shared_ptr<const CompiledPattern> program();

  /// Given to an executor: release by the author is refused from then on.
  bool owned = false;
  uint64_t handle = 0;

 private:
  Pattern(Handle graph, std::string name, std::shared_ptr<const CompiledPattern> program);
  Handle graph_;
  std::string name_;
  mutable std::mutex mutex_;
  uint32_t flags_ = 0;
  uint32_t program_flags_ = 0;
  std::shared_ptr<const CompiledPattern> program_;
  std::vector<Value> captures_;
};

/// Whether a graph belongs to a pattern.
bool is_pattern_graph(Handle graph);

/// Handles of patterns.
HandleTable<Pattern>& patterns();

}  // namespace ge_passes
