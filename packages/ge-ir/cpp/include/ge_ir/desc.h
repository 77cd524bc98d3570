// Descriptor of a value: element type, format, shape, origin shape, or the text of a non-tensor type.
// Immutable and shared: setting one replaces the reference, so undo and clone cost a pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "ge_ir/ref.h"
#include "ge_ir_api.h"

namespace ge_ir {

constexpr uint64_t kMaxRank = 1024;  ///< more dimensions than any tool has; keeps hostile counts out

class Desc {
 public:
  /// Checks and copies a caller's descriptor. INVALID_ARGUMENT / OUT_OF_RANGE with the field and its value.
  static Ref<const Desc> make(const ge_ir_desc& spec);

  /// Fills a caller's struct (struct_size left alone); pointers are borrowed from this object.
  void fill(ge_ir_desc& out) const noexcept;
  /// Fills the descriptor that an output has before anything was said about it.
  static void fill_unset(ge_ir_desc& out) noexcept;
  /// Same content.
  bool equals(const Desc& other) const noexcept;

  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept;

  int32_t dtype() const noexcept { return dtype_; }

 private:
  Desc() = default;
  const int64_t* dims() const noexcept { return reinterpret_cast<const int64_t*>(this + 1); }
  const int64_t* origin_dims() const noexcept { return dims() + dim_count_; }
  const uint32_t* symbols() const noexcept {
    return reinterpret_cast<const uint32_t*>(origin_dims() + origin_dim_count_);
  }
  const uint8_t* type_text() const noexcept {
    return reinterpret_cast<const uint8_t*>(symbols() + (has_symbols_ != 0 ? dim_count_ : 0));
  }
  uint64_t payload_bytes() const noexcept;

  mutable std::atomic<uint32_t> references_{1};
  int32_t dtype_ = 0;
  int32_t format_ = 0;
  int32_t origin_format_ = 0;
  uint16_t dim_count_ = 0;
  uint16_t origin_dim_count_ = 0;
  uint8_t rank_kind_ = 0;
  uint8_t origin_rank_kind_ = 0;
  uint8_t has_symbols_ = 0;
  uint8_t has_type_text_ = 0;
  uint32_t type_text_size_ = 0;
  uint32_t unused_ = 0;
};
static_assert(sizeof(Desc) % alignof(int64_t) == 0);

/// Whether a number is an element type.
bool is_dtype(int64_t value) noexcept;
/// Bits of one element, 0 for types without a fixed size (STRING, RESOURCE, ...).
uint32_t dtype_bits(int32_t dtype) noexcept;

}  // namespace ge_ir
