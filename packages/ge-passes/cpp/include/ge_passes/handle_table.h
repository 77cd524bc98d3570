// Objects of this library behind generation-checked handles.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ge_passes/failure.h"

namespace ge_passes {

/// Thread-safe. Lookups hand out shared ownership, so an object that is taken out of the table while a call uses it
/// lives until that call ends. `ended` is the status of a handle whose object is gone: STALE_HANDLE or EXPIRED.
template <class T>
class HandleTable {
 public:
  HandleTable(uint32_t type, const char* what, int32_t ended) : type_(type), what_(what), ended_(ended) {}

  uint64_t insert(std::shared_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex_);
    uint32_t index = 0;
    if (free_.empty()) {
      index = static_cast<uint32_t>(entries_.size());
      free_.reserve(entries_.size() + 1);
      entries_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Entry& entry = entries_[index];
    entry.object = std::move(object);
    return GE_HANDLE_MAKE(type_, entry.generation, index);
  }

  /// The live object; WRONG_TYPE or the status of an ended one, naming the argument and the number.
  std::shared_ptr<T> require(uint64_t handle, const char* argument) const {
    if (GE_HANDLE_TYPE(handle) != type_) {
      fail(GE_STATUS_WRONG_TYPE, argument, " ", hex(handle), " is a handle of type ", handle_type_name(handle),
           "; expected ", what_);
    }
    std::lock_guard<std::mutex> lock(mutex_);
    const uint32_t index = GE_HANDLE_INDEX(handle);
    if (index >= entries_.size() || entries_[index].generation != GE_HANDLE_GENERATION(handle) ||
        entries_[index].object == nullptr) {
      fail(ended_, argument, " ", hex(handle), ended_ == GE_STATUS_EXPIRED ? " has expired" : " is gone", ": no live ",
           what_);
    }
    return entries_[index].object;
  }

  /// Takes an object out; null if the handle is not live.
  std::shared_ptr<T> take(uint64_t handle) noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint32_t index = GE_HANDLE_INDEX(handle);
    if (GE_HANDLE_TYPE(handle) != type_ || index >= entries_.size()) return nullptr;
    Entry& entry = entries_[index];
    if (entry.generation != GE_HANDLE_GENERATION(handle) || entry.object == nullptr) return nullptr;
    std::shared_ptr<T> object = std::move(entry.object);
    entry.object = nullptr;
    // After the last generation the entry is never used again: no handle may come back to life.
    if (++entry.generation <= 0xFFFFFF) free_.push_back(index);
    return object;
  }

  /// All live objects.
  std::vector<std::shared_ptr<T>> all() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<T>> found;
    for (const Entry& entry : entries_) {
      if (entry.object != nullptr) found.push_back(entry.object);
    }
    return found;
  }

 private:
  struct Entry {
    uint32_t generation = 1;
    std::shared_ptr<T> object;
  };
  uint32_t type_;
  const char* what_;
  int32_t ended_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
};

/// A handle that lives as long as this object: for what is valid during one callback.
template <class T>
class Lease {
 public:
  Lease(HandleTable<T>& table, const std::shared_ptr<T>& object) : table_(table), handle_(table.insert(object)) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { table_.take(handle_); }
  uint64_t handle() const noexcept { return handle_; }

 private:
  HandleTable<T>& table_;
  uint64_t handle_;
};

}  // namespace ge_passes
