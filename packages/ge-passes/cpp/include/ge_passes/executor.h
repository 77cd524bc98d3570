// Runs passes over a graph tree.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ge_passes/context.h"
#include "ge_passes/instance.h"
#include "ge_passes/registry.h"

namespace ge_passes {

/// One row of statistics.
struct Statistics {
  std::string name;
  uint32_t stage = 0;
  uint64_t matches = 0;
  uint64_t rewrites = 0;
  uint64_t skipped = 0;
  uint64_t graphs = 0;
  uint64_t nanoseconds = 0;
};

/// One run at a time; a second one, also from a hook, is INVALID_STATE. Instances are made at first use and end with
/// it.
class Executor {
 public:
  ~Executor();
  void set_option(std::string_view key, std::string_view value);
  /// Runs the enabled passes of a stage; true if the root's version moved.
  bool run(Handle root, uint32_t stage);
  /// Runs one pass, whatever its stage and switch.
  bool run_pass(const std::shared_ptr<PassRecord>& record, Handle root);
  size_t stat_count() const;
  /// OUT_OF_RANGE with the number of rows. The name lives as long as the executor.
  const Statistics& stat(uint64_t index) const;
  /// INVALID_STATE while it runs; afterwards nothing runs any more.
  void close();

 private:
  class Busy;
  bool enabled(const PassRecord& record);
  void run_one(const std::shared_ptr<PassRecord>& record, Handle root);
  Instance& instance_of(const std::shared_ptr<PassRecord>& record);
  Statistics& row_of(const PassRecord& record);
  const std::vector<Handle>& tree_of(Handle root);
  uint64_t rewrite_bound(size_t nodes) const;

  mutable std::mutex mutex_;
  bool running_ = false;
  bool closed_ = false;
  Options options_;
  std::map<uint64_t, bool> switches_;  ///< by pass: as it was when this executor first saw it
  std::vector<std::unique_ptr<Instance>> instances_;
  std::deque<Statistics> rows_;
  Handle tree_root_ = 0;
  uint64_t tree_version_ = 0;
  std::vector<Handle> tree_;
};

HandleTable<Executor>& executors();

}  // namespace ge_passes
