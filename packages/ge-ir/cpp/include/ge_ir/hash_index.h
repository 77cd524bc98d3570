// Text -> 32-bit reference, open addressing, where the text itself is kept by the referred object.
// Eight bytes an entry; erasing shifts back instead of leaving tombstones, so that a long edit session stays fast.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ge_ir {

/// Hash of a text; the same in every process (listings never depend on it, tests may).
uint32_t hash_text(std::string_view text) noexcept;

/// Traits must offer `static std::string_view text(uint32_t reference) noexcept`.
template <class Traits>
class HashIndex {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  /// The reference under a text, or kNone.
  uint32_t find(std::string_view text) const noexcept {
    if (entries_.empty()) return kNone;
    const uint32_t hash = hash_text(text);
    for (uint32_t at = hash & mask();; at = (at + 1) & mask()) {
      const Entry& entry = entries_[at];
      if (entry.reference == kNone) return kNone;
      if (entry.hash == hash && Traits::text(entry.reference) == text) return entry.reference;
    }
  }

  /// Makes room for one more entry. Throws std::bad_alloc and changes nothing then.
  void reserve_one() {
    if ((count_ + 1) * 4 <= entries_.size() * 3) return;
    std::vector<Entry> old(entries_.empty() ? 8 : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.reference != kNone) place(entry);
    }
  }

  /// Adds an entry; room must have been reserved and the text must be free.
  void insert(uint32_t reference) noexcept {
    place({hash_text(Traits::text(reference)), reference});
    ++count_;
  }

  /// Removes the entry of a reference, if it is there; its text must be what it was at insert().
  void erase(uint32_t reference) noexcept {
    if (entries_.empty()) return;
    uint32_t hole = hash_text(Traits::text(reference)) & mask();
    while (entries_[hole].reference != reference) {
      if (entries_[hole].reference == kNone) return;
      hole = (hole + 1) & mask();
    }
    for (uint32_t at = (hole + 1) & mask(); entries_[at].reference != kNone; at = (at + 1) & mask()) {
      const uint32_t home = entries_[at].hash & mask();
      if (((at - home) & mask()) >= ((at - hole) & mask())) {
        entries_[hole] = entries_[at];
        hole = at;
      }
    }
    entries_[hole] = Entry{};
    --count_;
  }

  uint32_t count() const noexcept { return count_; }

 private:
  struct Entry {
    uint32_t hash = 0;
    uint32_t reference = kNone;
  };

  uint32_t mask() const noexcept { return static_cast<uint32_t>(entries_.size()) - 1; }
  void place(Entry entry) noexcept {
    uint32_t at = entry.hash & mask();
    while (entries_[at].reference != kNone) at = (at + 1) & mask();
    entries_[at] = entry;
  }

  std::vector<Entry> entries_;
  uint32_t count_ = 0;
};

}  // namespace ge_ir
