#include "ge_passes/registry.h"

#include <algorithm>

namespace ge_passes {

Registry& registry() {
  // Never destroyed: the process may end while passes are registered.
  static auto* instance = new Registry;
  return *instance;
}

uint64_t Registry::add(std::shared_ptr<PassRecord> record) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (down_)
    fail(GE_STATUS_SHUTDOWN, "the pass library was shut down; ", quoted(record->name), " cannot be registered");
  for (const auto& other : order_) {
    if (other->name == record->name) {
      fail(GE_STATUS_ALREADY_EXISTS, "a pass named ", quoted(record->name), " is registered already, with the key ",
           quoted(other->key), "; the new one has the key ", quoted(record->key));
    }
    if (other->key == record->key) {
      fail(GE_STATUS_ALREADY_EXISTS, "the descriptor key ", quoted(record->key), " is taken by pass ",
           quoted(other->name), "; the new one is named ", quoted(record->name));
    }
  }
  order_.reserve(order_.size() + 1);
  record->handle = table_.insert(record);
  order_.push_back(record);
  return record->handle;
}

void Registry::remove(uint64_t handle) {
  const std::shared_ptr<PassRecord> record = require(handle);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (record->users != 0) {
      fail(GE_STATUS_INVALID_STATE, "pass ", quoted(record->name), " has ", record->users,
           " objects in executors; release those first");
    }
    if (table_.take(handle) == nullptr) fail(GE_STATUS_STALE_HANDLE, "pass ", hex(handle), " is gone");
    order_.erase(std::find(order_.begin(), order_.end(), record));
  }
  if (record->callbacks.drop != nullptr) record->callbacks.drop(const_cast<void*>(record->callbacks.user));
}

std::shared_ptr<PassRecord> Registry::find(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& record : order_) {
    if (record->name == name) return record;
  }
  fail(GE_STATUS_NOT_FOUND, "no pass is named ", quoted(name), " (", uint64_t{order_.size()},
       " passes are registered)");
}

std::vector<std::shared_ptr<PassRecord>> Registry::list() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return order_;
}

bool Registry::enabled(const PassRecord& record) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return record.enabled;
}

void Registry::set_enabled(PassRecord& record, bool enabled) {
  std::lock_guard<std::mutex> lock(mutex_);
  record.enabled = enabled;
}

void Registry::acquire(PassRecord& record) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (down_) fail(GE_STATUS_SHUTDOWN, "the pass library was shut down");
  const auto same = [&record](const std::shared_ptr<PassRecord>& other) { return other.get() == &record; };
  if (std::none_of(order_.begin(), order_.end(), same)) {
    fail(GE_STATUS_STALE_HANDLE, "pass ", quoted(record.name), " was unregistered");
  }
  ++record.users;
}

void Registry::release(PassRecord& record) noexcept {
  bool drop = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // A pass that was in use at shutdown is dropped with its last object.
    drop = --record.users == 0 && down_;
  }
  if (drop && record.callbacks.drop != nullptr) record.callbacks.drop(const_cast<void*>(record.callbacks.user));
}

void Registry::shutdown() {
  std::vector<std::shared_ptr<PassRecord>> dropped;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    down_ = true;
    dropped.swap(order_);
    const auto in_use = [](const std::shared_ptr<PassRecord>& record) { return record->users != 0; };
    for (const auto& record : dropped) table_.take(record->handle);
    dropped.erase(std::remove_if(dropped.begin(), dropped.end(), in_use), dropped.end());
  }
  for (const auto& record : dropped) {
    if (record->callbacks.drop != nullptr) record->callbacks.drop(const_cast<void*>(record->callbacks.user));
  }
}

bool Registry::is_shut_down() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return down_;
}

void Registry::require_running() const {
  if (is_shut_down()) fail(GE_STATUS_SHUTDOWN, "the pass library was shut down");
}

}  // namespace ge_passes
