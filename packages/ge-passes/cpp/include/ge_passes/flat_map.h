// A small open-addressing map from handles to numbers, for tables that are filled and thrown away often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ge_passes {

/// Keys are handles, never 0. Insertion order does not matter for anything, so results never depend on it. The first
/// few entries lie in the object and are searched one by one: most maps stay that small, and cost no memory then.
class FlatMap {
 public:
  /// The value of a key, or null.
  const uint64_t* find(uint64_t key) const noexcept {
    if (entries_.empty()) {
      for (size_t i = 0; i < count_; ++i) {
        if (few_[i].key == key) return &few_[i].value;
      }
      return nullptr;
    }
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      if (entries_[i].key == key) return &entries_[i].value;
      if (entries_[i].key == 0) return nullptr;
    }
  }

  /// Sets the value of a key; true if the key is new.
  bool set(uint64_t key, uint64_t value) {
    if (entries_.empty()) {
      for (size_t i = 0; i < count_; ++i) {
        if (few_[i].key != key) continue;
        few_[i].value = value;
        return false;
      }
      if (count_ < kFew) {
        few_[count_++] = {key, value};
        return true;
      }
      grow(kFew * 4);
    } else if ((count_ + 1) * 2 > entries_.size()) {
      grow(entries_.size() * 2);
    }
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
    if (count <= kFew) return;
    size_t size = kFew * 4;
    while (size < count * 2) size *= 2;
    if (size > entries_.size()) grow(size);
  }
  void clear() noexcept {
    if (count_ != 0 && !entries_.empty()) entries_.assign(entries_.size(), Entry{});
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
  static constexpr size_t kFew = 8;
  size_t place(uint64_t key) const noexcept { return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & mask_; }
  void grow(size_t size) {
    std::vector<Entry> old(size);
    old.swap(entries_);
    const Entry* first = old.empty() ? few_ : old.data();
    const size_t held = old.empty() ? count_ : old.size();
    mask_ = size - 1;
    count_ = 0;
    for (size_t i = 0; i < held; ++i) {
      if (first[i].key != 0) set(first[i].key, first[i].value);
    }
  }
  Entry few_[kFew];
  std::vector<Entry> entries_;
  size_t mask_ = 0;
  size_t count_ = 0;
};

}  // namespace ge_passes
