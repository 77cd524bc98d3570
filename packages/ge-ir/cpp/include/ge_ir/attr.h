// Attribute values and the small ordered map that a graph, a node or a value keeps them in.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ge_ir_api.h"

namespace ge_ir {

/// Payload of the kinds that do not fit in one word. Immutable, shared.
struct AttrBlock {
  std::atomic<uint32_t> references{1};
  uint32_t kind = 0;
  uint64_t count = 0;
  int64_t i = 0;
  uint64_t bytes = 0;         ///< bytes at data()
  uint64_t offset_count = 0;  ///< uint64 entries at offsets()

  const uint64_t* offsets() const noexcept { return reinterpret_cast<const uint64_t*>(this + 1); }
  const uint8_t* data() const noexcept { return reinterpret_cast<const uint8_t*>(offsets() + offset_count); }
  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;
};

/// One attribute value: 16 bytes, copies share. Tensors inside are retained.
class AttrValue {
 public:
  /// The two words of a value, for the undo log.
  struct Raw {
    uint32_t kind;
    uint64_t bits;
  };

  AttrValue() noexcept = default;
  /// Checks and copies a caller's value; the message names `key`.
  static AttrValue make(const ge_ir_attr& spec, std::string_view key);
  AttrValue(const AttrValue& other) noexcept;
  AttrValue(AttrValue&& other) noexcept
      : kind_(std::exchange(other.kind_, 0u)), bits_(std::exchange(other.bits_, 0u)) {}
  AttrValue& operator=(AttrValue other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~AttrValue();

  uint32_t kind() const noexcept { return kind_; }
  /// Fills a caller's struct (struct_size left alone); pointers are borrowed.
  void fill(ge_ir_attr& out) const noexcept;
  /// Same kind and same content, floats compared by their bits.
  bool equals(const AttrValue& other) const noexcept;
  /// Gives the value away as bare words.
  Raw detach() noexcept { return {std::exchange(kind_, 0u), std::exchange(bits_, 0u)}; }
  /// Takes a value over from bare words.
  static AttrValue adopt(Raw raw) noexcept;

 private:
  bool is_block() const noexcept;
  AttrBlock* block() const noexcept { return reinterpret_cast<AttrBlock*>(bits_); }

  uint32_t kind_ = 0;
  uint64_t bits_ = 0;
};

/// Attributes in order of first setting. Linear search while small; an index is built lazily above that.
class AttrMap {
 public:
  struct Entry {
    uint32_t key;
    AttrValue value;
  };
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  AttrMap() = default;
  AttrMap(const AttrMap& other) : entries_(other.entries_) {}
  AttrMap& operator=(const AttrMap& other) {
    entries_ = other.entries_;
    index_.reset();
    return *this;
  }

  /// Position of a key or kNone.
  uint32_t find(uint32_t key) const noexcept;
  uint32_t size() const noexcept { return static_cast<uint32_t>(entries_.size()); }
  Entry& at(uint32_t position) noexcept { return entries_[position]; }
  const Entry& at(uint32_t position) const noexcept { return entries_[position]; }
  /// Makes room for one more entry.
  void reserve_one();
  /// Inserts at a position; room must have been reserved (or the size reached before).
  void insert(uint32_t position, uint32_t key, AttrValue value) noexcept;
  /// Takes the entry at a position out.
  AttrValue erase(uint32_t position) noexcept;

 private:
  static constexpr uint32_t kIndexFrom = 24;
  using Index = std::unordered_map<uint32_t, uint32_t>;

  std::vector<Entry> entries_;
  mutable std::unique_ptr<Index> index_;
};

}  // namespace ge_ir
