// Handles of partitions: {type:8|generation:24|index:32}, checked on every use.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ge_partition/dynamic_shape.h"

namespace ge::partition {

// Process-wide table of partitions. A slot whose generation is used up is retired, so no handle ever comes
// back.
class PartitionTable {
 public:
  // The table of this process; never destroyed.
  static PartitionTable& instance();

  // Takes a partition in and returns its handle.
  std::uint64_t add(Partition partition);

  // The partition behind a handle, kept alive by the pointer; Failure{WRONG_TYPE or STALE_HANDLE} otherwise.
  std::shared_ptr<const Partition> get(std::uint64_t handle);

  // Ends a partition; the same failures as get.
  void release(std::uint64_t handle);

 private:
  struct Slot {
    std::shared_ptr<const Partition> partition;
    std::uint32_t generation = 1;
  };

  Slot& find(std::uint64_t handle);

  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ge::partition
