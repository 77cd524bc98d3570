// Handles of selections: {type:8|generation:24|index:32}, checked on every use.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ge_runtime/selector.h"

namespace ge::runtime {

// Process-wide table of selections. A slot whose generation is used up is retired, so no handle ever comes
// back.
class SelectionTable {
 public:
  // The table of this process; never destroyed.
  static SelectionTable& instance();

  // Takes a selection in and returns its handle.
  std::uint64_t add(Selection selection);

  // The selection behind a handle, kept alive by the pointer; Failure{WRONG_TYPE or STALE_HANDLE} otherwise.
  std::shared_ptr<const Selection> get(std::uint64_t handle);

  // Ends a selection; the same failures as get.
  void release(std::uint64_t handle);

 private:
  struct Slot {
    std::shared_ptr<const Selection> selection;
    std::uint32_t generation = 1;
  };

  Slot& find(std::uint64_t handle);

  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ge::runtime
