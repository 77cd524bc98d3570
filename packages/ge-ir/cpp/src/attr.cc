#include "ge_ir/attr.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "ge_ir/desc.h"
#include "ge_ir/failure.h"
#include "ge_ir/tensor.h"
#include "ge_ir_slots.h"

namespace ge_ir {
namespace {

/// Checks one attribute spec and knows the sizes of its payload.
class SpecReader {
 public:
  SpecReader(const ge_ir_attr& spec, std::string_view key) : spec_(spec), key_(key) {}

  template <class... Parts>
  [[noreturn]] void refuse(int32_t status, const Parts&... parts) const {
    fail(status, "attribute ", quoted(key_), " of kind ", ge_ir_attr_kind_name(spec_.kind), ": ", parts...);
  }

  template <class T>
  const T* items(uint64_t count) const {
    if (count > static_cast<uint64_t>(PTRDIFF_MAX) / sizeof(T)) {
      refuse(GE_STATUS_OUT_OF_RANGE, "count ", count, " is more than memory can hold");
    }
    if (spec_.data == nullptr && count != 0) {
      refuse(GE_STATUS_INVALID_ARGUMENT, "data is null but the count is ", count);
    }
    if (reinterpret_cast<uintptr_t>(spec_.data) % alignof(T) != 0) {
      refuse(GE_STATUS_INVALID_ARGUMENT, "data is not aligned to ", uint64_t{alignof(T)}, " bytes");
    }
    return static_cast<const T*>(spec_.data);
  }

  /// Checks the offsets of a joined list and returns the number of joined items.
  uint64_t joined() const {
    if (spec_.offsets == nullptr) refuse(GE_STATUS_INVALID_ARGUMENT, "offsets is null; expected count + 1 entries");
    if (spec_.count >= static_cast<uint64_t>(PTRDIFF_MAX) / 8) {
      refuse(GE_STATUS_OUT_OF_RANGE, "count ", spec_.count, " is more than memory can hold");
    }
    ge::abi::require_elements(spec_.offsets, spec_.count + 1, "offsets");
    if (spec_.offsets[0] != 0) refuse(GE_STATUS_INVALID_ARGUMENT, "offsets[0] is ", spec_.offsets[0], "; expected 0");
    for (uint64_t i = 0; i < spec_.count; ++i) {
      if (spec_.offsets[i + 1] < spec_.offsets[i]) {
        refuse(GE_STATUS_INVALID_ARGUMENT, "offsets[", i + 1, "] is ", spec_.offsets[i + 1], ", below offsets[", i,
               "] = ", spec_.offsets[i]);
      }
    }
    return spec_.offsets[spec_.count];
  }

  void dtype(int64_t value) const {
    if (!is_dtype(value)) refuse(GE_STATUS_INVALID_ARGUMENT, value, " is no value of ge_ir_dtype");
  }
  void boolean(int64_t value) const {
    if (value != 0 && value != 1) refuse(GE_STATUS_INVALID_ARGUMENT, "the value is ", value, "; expected 0 or 1");
  }
  void float32(double value) const {
    // A NaN is a float32 NaN; anything else must survive the round trip.
    if (value == value && static_cast<double>(static_cast<float>(value)) != value) {
      refuse(GE_STATUS_INVALID_ARGUMENT, std::to_string(value), " is not exactly representable as float32");
    }
  }

  /// Bytes of the payload at spec.data, after checking every item; offset entries go to `offsets`.
  uint64_t payload(uint64_t* offsets) const;

 private:
  const ge_ir_attr& spec_;
  std::string_view key_;
};

uint64_t SpecReader::payload(uint64_t* offsets) const {
  *offsets = 0;
  const uint64_t count = spec_.count;
  switch (spec_.kind) {
    case GE_IR_ATTR_KIND_REFERENCE:
      ge_ir_attr_kind_require(spec_.i, "attr.i of a REFERENCE");
      [[fallthrough]];
    case GE_IR_ATTR_KIND_STRING:
    case GE_IR_ATTR_KIND_BYTES:
    case GE_IR_ATTR_KIND_TYPE:
      items<uint8_t>(count);
      return count;
    case GE_IR_ATTR_KIND_LIST_INT:
      items<int64_t>(count);
      return count * 8;
    case GE_IR_ATTR_KIND_LIST_FLOAT:
      items<double>(count);
      return count * 8;
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
      for (uint64_t i = 0; i < count; ++i) float32(items<double>(count)[i]);
      return count * 8;
    case GE_IR_ATTR_KIND_LIST_BOOL:
      for (uint64_t i = 0; i < count; ++i) boolean(items<uint8_t>(count)[i]);
      return count;
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      for (uint64_t i = 0; i < count; ++i) dtype(items<int32_t>(count)[i]);
      return count * 4;
    case GE_IR_ATTR_KIND_LIST_TENSOR:
      items<uint64_t>(count);
      return count * 8;
    case GE_IR_ATTR_KIND_LIST_STRING:
    case GE_IR_ATTR_KIND_LIST_TYPE: {
      const uint64_t bytes = joined();
      items<uint8_t>(bytes);
      *offsets = count + 1;
      return bytes;
    }
    default: {  // LIST_LIST_INT
      const uint64_t values = joined();
      items<int64_t>(values);
      *offsets = count + 1;
      return values * 8;
    }
  }
}

AttrBlock* new_block(const ge_ir_attr& spec, uint64_t bytes, uint64_t offset_count) {
  if (bytes > static_cast<uint64_t>(PTRDIFF_MAX) - sizeof(AttrBlock) - offset_count * 8) throw std::bad_alloc();
  void* memory = std::malloc(sizeof(AttrBlock) + offset_count * 8 + bytes);
  if (memory == nullptr) throw std::bad_alloc();
  AttrBlock* block = new (memory) AttrBlock;
  block->kind = spec.kind;
  block->count = spec.count;
  block->i = spec.kind == GE_IR_ATTR_KIND_REFERENCE ? spec.i : 0;
  block->bytes = bytes;
  block->offset_count = offset_count;
  if (offset_count != 0) std::memcpy(const_cast<uint64_t*>(block->offsets()), spec.offsets, offset_count * 8);
  if (bytes != 0) std::memcpy(const_cast<uint8_t*>(block->data()), spec.data, bytes);
  return block;
}

void retain_all(const AttrBlock& block, const SpecReader& reader) {
  const uint64_t* handles = reinterpret_cast<const uint64_t*>(block.data());
  for (uint64_t i = 0; i < block.count; ++i) {
    if (tensors().retain(handles[i]) != nullptr) continue;
    while (i-- > 0) release_tensor(handles[i]);
    reader.refuse(GE_STATUS_STALE_HANDLE, "an item is no live tensor");
  }
}

uint64_t scalar_bits(const ge_ir_attr& spec, const SpecReader& reader) {
  uint64_t bits = static_cast<uint64_t>(spec.i);
  switch (spec.kind) {
    case GE_IR_ATTR_KIND_FLOAT32:
      reader.float32(spec.f);
      [[fallthrough]];
    case GE_IR_ATTR_KIND_FLOAT:
      std::memcpy(&bits, &spec.f, sizeof bits);
      return bits;
    case GE_IR_ATTR_KIND_BOOL:
      reader.boolean(spec.i);
      return bits;
    case GE_IR_ATTR_KIND_DTYPE:
      reader.dtype(spec.i);
      return bits;
    case GE_IR_ATTR_KIND_TENSOR:
      if (handle_type(bits) != static_cast<uint8_t>(HandleType::kTensor)) {
        reader.refuse(GE_STATUS_WRONG_TYPE, "the handle ", hex(bits), " is of type ",
                      handle_type_name(handle_type(bits)), "; expected TENSOR");
      }
      if (tensors().retain(bits) == nullptr) {
        reader.refuse(GE_STATUS_STALE_HANDLE, "the tensor ", hex(bits), " is gone");
      }
      return bits;
    case GE_IR_ATTR_KIND_NONE:
      return 0;
    default:
      return bits;
  }
}

bool is_scalar(uint32_t kind) noexcept {
  switch (kind) {
    case GE_IR_ATTR_KIND_NONE:
    case GE_IR_ATTR_KIND_INT:
    case GE_IR_ATTR_KIND_FLOAT:
    case GE_IR_ATTR_KIND_FLOAT32:
    case GE_IR_ATTR_KIND_BOOL:
    case GE_IR_ATTR_KIND_DTYPE:
    case GE_IR_ATTR_KIND_TENSOR:
      return true;
    default:
      return false;
  }
}

}  // namespace

void AttrBlock::release() noexcept {
  if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (kind == GE_IR_ATTR_KIND_LIST_TENSOR) {
    const uint64_t* handles = reinterpret_cast<const uint64_t*>(data());
    for (uint64_t i = 0; i < count; ++i) release_tensor(handles[i]);
  }
  std::free(this);
}

AttrValue AttrValue::make(const ge_ir_attr& spec, std::string_view key) {
  ge_ir_attr_kind_require(spec.kind, "attr.kind");
  const SpecReader reader(spec, key);
  AttrValue value;
  if (is_scalar(spec.kind)) {
    value.bits_ = scalar_bits(spec, reader);
    value.kind_ = spec.kind;
    return value;
  }
  uint64_t offsets = 0;
  const uint64_t bytes = reader.payload(&offsets);
  AttrBlock* block = new_block(spec, bytes, offsets);
  if (spec.kind == GE_IR_ATTR_KIND_LIST_TENSOR) {
    try {
      retain_all(*block, reader);
    } catch (...) {
      std::free(block);
      throw;
    }
  }
  value.kind_ = spec.kind;
  value.bits_ = reinterpret_cast<uint64_t>(block);
  return value;
}

bool AttrValue::is_block() const noexcept { return !is_scalar(kind_); }

AttrValue::AttrValue(const AttrValue& other) noexcept : kind_(other.kind_), bits_(other.bits_) {
  if (is_block()) {
    block()->retain();
  } else if (kind_ == GE_IR_ATTR_KIND_TENSOR) {
    // Fails only if the caller released references that were not its own; the handle then stays stale for ever.
    tensors().retain(bits_);
  }
}

AttrValue::~AttrValue() {
  if (is_block()) {
    block()->release();
  } else if (kind_ == GE_IR_ATTR_KIND_TENSOR) {
    release_tensor(bits_);
  }
}

AttrValue AttrValue::adopt(Raw raw) noexcept {
  AttrValue value;
  value.kind_ = raw.kind;
  value.bits_ = raw.bits;
  return value;
}

void AttrValue::fill(ge_ir_attr& out) const noexcept {
  out.kind = kind_;
  out.i = 0;
  out.f = 0;
  out.data = nullptr;
  out.offsets = nullptr;
  out.count = 0;
  if (is_block()) {
    out.i = block()->i;
    out.data = block()->bytes != 0 ? block()->data() : nullptr;
    out.offsets = block()->offset_count != 0 ? block()->offsets() : nullptr;
    out.count = block()->count;
  } else if (kind_ == GE_IR_ATTR_KIND_FLOAT || kind_ == GE_IR_ATTR_KIND_FLOAT32) {
    std::memcpy(&out.f, &bits_, sizeof out.f);
  } else {
    out.i = static_cast<int64_t>(bits_);
  }
}

bool AttrValue::equals(const AttrValue& other) const noexcept {
  if (kind_ != other.kind_) return false;
  if (bits_ == other.bits_) return true;
  if (!is_block()) return false;
  const AttrBlock& a = *block();
  const AttrBlock& b = *other.block();
  return a.count == b.count && a.i == b.i && a.bytes == b.bytes && a.offset_count == b.offset_count &&
         std::memcmp(a.offsets(), b.offsets(), a.offset_count * 8 + a.bytes) == 0;
}

uint32_t AttrMap::find(uint32_t key) const noexcept {
  if (size() < kIndexFrom) {
    for (uint32_t i = 0; i < size(); ++i) {
      if (entries_[i].key == key) return i;
    }
    return kNone;
  }
  if (!index_) {
    try {
      std::unique_ptr<Index> fresh(new Index);
      fresh->reserve(size() + size() / 2);
      for (uint32_t i = 0; i < size(); ++i) fresh->emplace(entries_[i].key, i);
      index_ = std::move(fresh);
    } catch (const std::bad_alloc&) {  // the index only saves time
      for (uint32_t i = 0; i < size(); ++i) {
        if (entries_[i].key == key) return i;
      }
      return kNone;
    }
  }
  const auto found = index_->find(key);
  return found == index_->end() ? kNone : found->second;
}

void AttrMap::reserve_one() {
  if (entries_.size() < entries_.capacity()) return;
  entries_.reserve(entries_.empty() ? 2 : entries_.size() * 2);
}

void AttrMap::insert(uint32_t position, uint32_t key, AttrValue value) noexcept {
  const bool appended = position == size();
  entries_.insert(entries_.begin() + position, Entry{key, std::move(value)});
  if (!index_) return;
  try {
    if (appended) {
      index_->emplace(key, position);
      return;
    }
  } catch (const std::bad_alloc&) {  // rebuilt at the next search
  }
  index_.reset();
}

AttrValue AttrMap::erase(uint32_t position) noexcept {
  AttrValue value = std::move(entries_[position].value);
  if (index_ && position + 1 == size()) {
    index_->erase(entries_[position].key);
  } else {
    index_.reset();
  }
  entries_.erase(entries_.begin() + position);
  return value;
}

}  // namespace ge_ir
