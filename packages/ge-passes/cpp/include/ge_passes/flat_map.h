// A small open-addressing map from handles to numbers, for tables that are filled and thrown away often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ge_passes {

/// Keys are handles, never 0. Insertion order does not matter for anything, so results never depend on it.
class FlatMap {
 public:
  /// The value of a key, or null.
  const uint64_t* find(uint64_t key) const noexcept {
    if (count_ == 0) return nullptr;
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      if (entries_[i].key == key) return &entries_[i].value;
      if (entries_[i].key == 0) return nullptr;
    }
  }

  /// Sets the value of a key; true if the key is new.
  bool set(uint64_t key, uint64_t value) {
    if ((count_ + 1) * 2 > entries_.size()) grow(entries_.empty() ? 16 : entries_.size() * 2);
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      if (entries_[i].key == key) {
        entries_[i].value = value;
        return false;
      }
      if (entries_[i].key != 0) continue;
      entries_[i] = {key, value};
      ++count_;
      return true;
    }
  }

  void reserve(size_t count) {
    size_t size = 16;
    while (size < count * 2) size *= 2;
    if (size > entries_.size()) grow(size);
  }
  void clear() noexcept {
    if (count_ != 0) entries_.assign(entries_.size(), Entry{});
    count_ = 0;
  }
  bool contains(uint64_t key) const noexcept { return find(key) != nullptr; }
  size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

 private:
  struct Entry {
    uint64_t key = 0;
    uint64_t value = 0;
  };
  size_t place(uint64_t key) const noexcept { return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & mask_; }
  void grow(size_t size) {
    std::vector<Entry> old;
    old.swap(entries_);
    entries_.resize(size);
    mask_ = size - 1;
    count_ = 0;
    for (const Entry& entry : old) {
      if (entry.key != 0) set(entry.key, entry.value);
    }
  }
  std::vector<Entry> entries_;
  size_t mask_ = 0;
  size_t count_ = 0;
};

}  // namespace ge_passes
