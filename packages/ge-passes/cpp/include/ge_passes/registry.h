// Registered passes, in order of registration.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ge_passes/handle_table.h"
#include "ge_passes/ir.h"
#include "ge_passes_api.h"

namespace ge_passes {

/// Who a pass is and what to call. Texts live as long as the record; `enabled` and `users` are guarded by the registry.
struct PassRecord {
  uint64_t handle = 0;
  uint32_t kind = 0;
  uint32_t stage = 0;
  std::string name;
  std::string key;
  std::vector<uint32_t> op_types;
  ge_passes_callbacks callbacks{};
  bool enabled = true;
  uint64_t users = 0;  ///< live instances
};

/// Thread-safe. No lock is held while a callback runs.
class Registry {
 public:
  /// ALREADY_EXISTS naming the holder, SHUTDOWN after shutdown().
  uint64_t add(std::shared_ptr<PassRecord> record);
  /// Removes a pass and calls its drop; INVALID_STATE while it has instances.
  void remove(uint64_t handle);
  std::shared_ptr<PassRecord> require(uint64_t handle) const { return table_.require(handle, "pass"); }
  std::shared_ptr<PassRecord> find(std::string_view name) const;
  std::vector<std::shared_ptr<PassRecord>> list() const;
  bool enabled(const PassRecord& record) const;
  void set_enabled(PassRecord& record, bool enabled);
  /// Counts an instance in; SHUTDOWN or STALE_HANDLE if the pass is going.
  void acquire(PassRecord& record);
  void release(PassRecord& record) noexcept;
  /// Refuses everything from now on; drops all passes that have no instances. Idempotent.
  void shutdown();
  bool is_shut_down() const;
  void require_running() const;

 private:
  mutable std::mutex mutex_;
  bool down_ = false;
  std::vector<std::shared_ptr<PassRecord>> order_;
  HandleTable<PassRecord> table_{GE_HANDLE_TYPE_PASS, "PASS", GE_STATUS_STALE_HANDLE};
};

Registry& registry();

}  // namespace ge_passes
