// A process-wide table of reference-counted objects behind generation-checked handles.
//
// State of an entry is one atomic word {generation:24|references:40}, so that retain, release and the stale check are
// single compare-and-swaps: two threads that release the same handle can never free twice. Entries live for ever in
// segments; only creation and the last release take the lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>

#include "ge_ir/handle.h"

namespace ge_ir {

template <class T, HandleType kType>
class RefTable {
 public:
  /// Registers an object with one reference and returns its handle. Throws std::bad_alloc; takes nothing then.
  uint64_t insert(T* object) {
    std::lock_guard<std::mutex> lock(mutex_);
    uint32_t index = take_index();
    Entry& entry = *find(index);
    entry.object.store(object, std::memory_order_relaxed);
    const uint64_t generation = entry.state.load(std::memory_order_relaxed) >> kReferenceBits;
    entry.state.store((generation << kReferenceBits) | 1, std::memory_order_release);
    live_.fetch_add(1, std::memory_order_relaxed);
    return make_handle(kType, static_cast<uint32_t>(generation), index);
  }

  /// The live object of a handle of this type, else null. Does not keep it alive.
  T* peek(uint64_t handle) const noexcept {
    Entry* entry = find_typed(handle);
    if (entry == nullptr) return nullptr;
    return live_state(entry->state.load(std::memory_order_acquire), handle)
               ? entry->object.load(std::memory_order_relaxed)
               : nullptr;
  }

  /// The object at an index known to be in use (parked or live).
  T* at(uint32_t index) const noexcept { return find(index)->object.load(std::memory_order_relaxed); }

  /// Adds a reference; null if the handle is not live.
  T* retain(uint64_t handle) noexcept {
    Entry* entry = find_typed(handle);
    if (entry == nullptr) return nullptr;
    uint64_t state = entry->state.load(std::memory_order_acquire);
    while (live_state(state, handle)) {
      if (entry->state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) {
        return entry->object.load(std::memory_order_relaxed);
      }
    }
    return nullptr;
  }

  /// Takes a reference away. Returns false for a handle that is not live; sets `last` to the object that nobody
  /// refers to any more (the caller destroys it, outside the lock), else to null.
  bool release(uint64_t handle, T** last) noexcept {
    *last = nullptr;
    Entry* entry = find_typed(handle);
    if (entry == nullptr) return false;
    uint64_t state = entry->state.load(std::memory_order_acquire);
    while (live_state(state, handle)) {
      const bool ends = (state & kReferenceMask) == 1;
      const uint64_t next = ends ? ((state >> kReferenceBits) + 1) << kReferenceBits : state - 1;
      if (!entry->state.compare_exchange_weak(state, next, std::memory_order_acq_rel)) continue;
      if (ends) {
        *last = entry->object.load(std::memory_order_relaxed);
        recycle(*entry, handle);
      }
      return true;
    }
    return false;
  }

  /// References of a live handle, 0 otherwise.
  uint64_t references(uint64_t handle) const noexcept {
    Entry* entry = find_typed(handle);
    if (entry == nullptr) return 0;
    const uint64_t state = entry->state.load(std::memory_order_acquire);
    return live_state(state, handle) ? state & kReferenceMask : 0;
  }

  /// Makes a live handle stale without freeing its entry, so that unpark() can bring it back.
  void park(uint64_t handle) noexcept { set_references(handle, 0); }
  /// Brings a parked handle back.
  void unpark(uint64_t handle) noexcept { set_references(handle, 1); }
  /// Ends a live or parked entry whatever its references.
  void drop(uint64_t handle) noexcept {
    Entry* entry = find_typed(handle);
    entry->state.store(static_cast<uint64_t>(handle_generation(handle) + 1) << kReferenceBits,
                       std::memory_order_release);
    recycle(*entry, handle);
  }

  /// Number of entries in use.
  uint64_t live() const noexcept { return live_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kReferenceBits = 40;
  static constexpr uint64_t kReferenceMask = (uint64_t{1} << kReferenceBits) - 1;
  static constexpr uint32_t kSegmentBits = 12;
  static constexpr uint32_t kSegmentSize = 1u << kSegmentBits;
  static constexpr uint32_t kSegments = 1u << 16;
  static constexpr uint32_t kNoIndex = 0xFFFFFFFF;

  struct Entry {
    std::atomic<uint64_t> state{uint64_t{1} << kReferenceBits};
    std::atomic<T*> object{nullptr};
    uint32_t next_free = kNoIndex;
  };

  static bool live_state(uint64_t state, uint64_t handle) noexcept {
    return (state >> kReferenceBits) == handle_generation(handle) && (state & kReferenceMask) != 0;
  }

  Entry* find_typed(uint64_t handle) const noexcept {
    return handle_type(handle) == static_cast<uint8_t>(kType) ? find(handle_index(handle)) : nullptr;
  }

  Entry* find(uint32_t index) const noexcept {
    if ((index >> kSegmentBits) >= kSegments) return nullptr;
    Entry* segment = segments_[index >> kSegmentBits].load(std::memory_order_acquire);
    return segment == nullptr ? nullptr : segment + (index & (kSegmentSize - 1));
  }

  void set_references(uint64_t handle, uint64_t references) noexcept {
    Entry* entry = find_typed(handle);
    entry->state.store((static_cast<uint64_t>(handle_generation(handle)) << kReferenceBits) | references,
                       std::memory_order_release);
  }

  uint32_t take_index() {
    if (free_ != kNoIndex) {
      const uint32_t index = free_;
      free_ = find(index)->next_free;
      return index;
    }
    if ((next_ & (kSegmentSize - 1)) == 0) {
      if ((next_ >> kSegmentBits) >= kSegments) throw std::bad_alloc();
      segments_[next_ >> kSegmentBits].store(new Entry[kSegmentSize], std::memory_order_release);
    }
    return next_++;
  }

  void recycle(Entry& entry, uint64_t handle) noexcept {
    live_.fetch_sub(1, std::memory_order_relaxed);
    // After the last generation the word wrapped to 0, which is live for no handle; the entry is never used again.
    if (handle_generation(handle) == kMaxGeneration) return;
    std::lock_guard<std::mutex> lock(mutex_);
    entry.next_free = free_;
    free_ = handle_index(handle);
  }

  mutable std::atomic<Entry*> segments_[kSegments] = {};
  std::mutex mutex_;
  uint32_t free_ = kNoIndex;
  uint32_t next_ = 0;
  std::atomic<uint64_t> live_{0};
};

}  // namespace ge_ir
