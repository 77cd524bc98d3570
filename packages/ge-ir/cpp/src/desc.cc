#include "ge_ir/desc.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "ge_ir/failure.h"
#include "ge_ir/symbol.h"
#include "ge_ir_slots.h"

namespace ge_ir {
namespace {

constexpr int32_t kFormatNd = 2;
constexpr uint64_t kMaxTypeText = 1u << 20;

void check_shape(uint32_t rank_kind, const int64_t* dims, uint64_t count, const char* what) {
  ge_ir_rank_kind_require(rank_kind, what);
  if (rank_kind != GE_IR_RANK_KIND_KNOWN) {
    if (count != 0) {
      fail(GE_STATUS_INVALID_ARGUMENT, what, " has ", count, " dimensions although its rank kind is ",
           ge_ir_rank_kind_name(rank_kind));
    }
    return;
  }
  if (count > kMaxRank) fail(GE_STATUS_OUT_OF_RANGE, what, " has ", count, " dimensions; at most ", kMaxRank);
  ge::abi::require_elements(dims, count, what);
  for (uint64_t i = 0; i < count; ++i) {
    if (dims[i] < -1) {
      fail(GE_STATUS_INVALID_ARGUMENT, "dimension ", i, " of ", what, " is ", dims[i], "; expected a size or -1");
    }
  }
}

void check_spec(const ge_ir_desc& spec) {
  ge_ir_dtype_require(spec.dtype, "desc.dtype");
  check_shape(spec.rank_kind, spec.dims, spec.dim_count, "desc.dims");
  check_shape(spec.origin_rank_kind, spec.origin_dims, spec.origin_dim_count, "desc.origin_dims");
  if (spec.dim_symbols != nullptr) {
    ge::abi::require_elements(spec.dim_symbols, spec.dim_count, "desc.dim_symbols");
    for (uint64_t i = 0; i < spec.dim_count; ++i) {
      if (!is_symbol(spec.dim_symbols[i])) {
        fail(GE_STATUS_OUT_OF_RANGE, "desc.dim_symbols[", i, "] is ", spec.dim_symbols[i], ", which is no symbol");
      }
    }
  }
  if (spec.type_text == nullptr && spec.type_text_size != 0) {
    fail(GE_STATUS_INVALID_ARGUMENT, "desc.type_text is null but its size is ", spec.type_text_size);
  }
  if (spec.type_text_size > kMaxTypeText) {
    fail(GE_STATUS_OUT_OF_RANGE, "desc.type_text has ", spec.type_text_size, " bytes; at most ", kMaxTypeText);
  }
}

bool any_symbol(const ge_ir_desc& spec) noexcept {
  if (spec.dim_symbols == nullptr) return false;
  for (uint64_t i = 0; i < spec.dim_count; ++i) {
    if (spec.dim_symbols[i] != 0) return true;
  }
  return false;
}

}  // namespace

Ref<const Desc> Desc::make(const ge_ir_desc& spec) {
  check_spec(spec);
  const bool symbols = any_symbol(spec);
  const size_t bytes = (spec.dim_count + spec.origin_dim_count) * sizeof(int64_t) +
                       (symbols ? spec.dim_count * sizeof(uint32_t) : 0) + spec.type_text_size;
  void* memory = std::malloc(sizeof(Desc) + bytes);
  if (memory == nullptr) throw std::bad_alloc();
  Desc* desc = new (memory) Desc;
  desc->dtype_ = spec.dtype;
  desc->format_ = spec.format;
  desc->origin_format_ = spec.origin_format;
  desc->rank_kind_ = static_cast<uint8_t>(spec.rank_kind);
  desc->origin_rank_kind_ = static_cast<uint8_t>(spec.origin_rank_kind);
  desc->dim_count_ = static_cast<uint16_t>(spec.dim_count);
  desc->origin_dim_count_ = static_cast<uint16_t>(spec.origin_dim_count);
  desc->has_symbols_ = symbols ? 1 : 0;
  desc->has_type_text_ = spec.type_text != nullptr ? 1 : 0;
  desc->type_text_size_ = static_cast<uint32_t>(spec.type_text_size);
  const auto put = [](const void* target, const void* source, size_t size) {
    if (size != 0) std::memcpy(const_cast<void*>(target), source, size);
  };
  put(desc->dims(), spec.dims, spec.dim_count * sizeof(int64_t));
  put(desc->origin_dims(), spec.origin_dims, spec.origin_dim_count * sizeof(int64_t));
  if (symbols) put(desc->symbols(), spec.dim_symbols, spec.dim_count * sizeof(uint32_t));
  put(desc->type_text(), spec.type_text, spec.type_text_size);
  return Ref<const Desc>(desc);
}

void Desc::fill(ge_ir_desc& out) const noexcept {
  out.dtype = dtype_;
  out.format = format_;
  out.origin_format = origin_format_;
  out.rank_kind = rank_kind_;
  out.origin_rank_kind = origin_rank_kind_;
  out.dims = dim_count_ != 0 ? dims() : nullptr;
  out.dim_symbols = has_symbols_ != 0 ? symbols() : nullptr;
  out.dim_count = dim_count_;
  out.origin_dims = origin_dim_count_ != 0 ? origin_dims() : nullptr;
  out.origin_dim_count = origin_dim_count_;
  out.type_text = has_type_text_ != 0 ? type_text() : nullptr;
  out.type_text_size = type_text_size_;
}

void Desc::fill_unset(ge_ir_desc& out) noexcept {
  const uint32_t size = out.struct_size;
  out = ge_ir_desc{};
  out.struct_size = size;
  out.dtype = GE_IR_DTYPE_UNDEFINED;
  out.format = kFormatNd;
  out.origin_format = kFormatNd;
}

uint64_t Desc::payload_bytes() const noexcept {
  return (uint64_t{dim_count_} + origin_dim_count_) * sizeof(int64_t) +
         (has_symbols_ != 0 ? dim_count_ * sizeof(uint32_t) : 0) + type_text_size_;
}

bool Desc::equals(const Desc& other) const noexcept {
  return dtype_ == other.dtype_ && format_ == other.format_ && origin_format_ == other.origin_format_ &&
         dim_count_ == other.dim_count_ && origin_dim_count_ == other.origin_dim_count_ &&
         rank_kind_ == other.rank_kind_ && origin_rank_kind_ == other.origin_rank_kind_ &&
         has_symbols_ == other.has_symbols_ && has_type_text_ == other.has_type_text_ &&
         type_text_size_ == other.type_text_size_ &&
         std::memcmp(this + 1, &other + 1, static_cast<size_t>(payload_bytes())) == 0;
}

void Desc::release() const noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(const_cast<Desc*>(this));
}

bool is_dtype(int64_t value) noexcept { return ge_ir_dtype_name(value) != nullptr; }

uint32_t dtype_bits(int32_t dtype) noexcept {
  switch (dtype) {
    case GE_IR_DTYPE_UINT1:
      return 1;
    case GE_IR_DTYPE_INT2:
    case GE_IR_DTYPE_UINT2:
      return 2;
    case GE_IR_DTYPE_INT4:
    case GE_IR_DTYPE_UINT4:
    case GE_IR_DTYPE_FLOAT4_E2M1:
    case GE_IR_DTYPE_FLOAT4_E1M2:
    case GE_IR_DTYPE_HIFLOAT4:
      return 4;
    case GE_IR_DTYPE_FLOAT6_E3M2:
    case GE_IR_DTYPE_FLOAT6_E2M3:
      return 6;
    case GE_IR_DTYPE_INT8:
    case GE_IR_DTYPE_UINT8:
    case GE_IR_DTYPE_BOOL:
    case GE_IR_DTYPE_DUAL_SUB_INT8:
    case GE_IR_DTYPE_DUAL_SUB_UINT8:
    case GE_IR_DTYPE_QINT8:
    case GE_IR_DTYPE_QUINT8:
    case GE_IR_DTYPE_HIFLOAT8:
    case GE_IR_DTYPE_FLOAT8_E5M2:
    case GE_IR_DTYPE_FLOAT8_E4M3FN:
    case GE_IR_DTYPE_FLOAT8_E8M0:
    case GE_IR_DTYPE_FLOAT8_E4M3FNUZ:
    case GE_IR_DTYPE_FLOAT8_E5M2FNUZ:
      return 8;
    case GE_IR_DTYPE_FLOAT16:
    case GE_IR_DTYPE_BF16:
    case GE_IR_DTYPE_INT16:
    case GE_IR_DTYPE_UINT16:
    case GE_IR_DTYPE_QINT16:
    case GE_IR_DTYPE_QUINT16:
      return 16;
    case GE_IR_DTYPE_FLOAT:
    case GE_IR_DTYPE_INT32:
    case GE_IR_DTYPE_UINT32:
    case GE_IR_DTYPE_QINT32:
    case GE_IR_DTYPE_COMPLEX32:
      return 32;
    case GE_IR_DTYPE_DUAL:
      return 40;  // a float and a byte, not padded
    case GE_IR_DTYPE_INT64:
    case GE_IR_DTYPE_UINT64:
    case GE_IR_DTYPE_DOUBLE:
    case GE_IR_DTYPE_COMPLEX64:
      return 64;
    case GE_IR_DTYPE_COMPLEX128:
      return 128;
    default:
      return 0;
  }
}

}  // namespace ge_ir
