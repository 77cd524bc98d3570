#include "ge_ir/text_writer.h"

#include <algorithm>
#include <cstring>

#include "ge_ir/text.h"
#include "ge_ir/text_bytes.h"
#include "ge_ir/text_elements.h"

namespace ge_ir {
namespace text {
namespace {

constexpr int32_t kFormatNd = 2;
constexpr uint64_t kNestedRank = 16;  // constants of more axes are written flat

std::string_view joined_item(const ge_ir_attr& value, uint64_t i) noexcept {
  const auto* bytes = static_cast<const char*>(value.data);
  return std::string_view(bytes + value.offsets[i], value.offsets[i + 1] - value.offsets[i]);
}

template <class T>
T item(const void* data, uint64_t i) noexcept {
  return static_cast<const T*>(data)[i];
}

bool same_dims(uint64_t count_a, const int64_t* a, uint64_t count_b, const int64_t* b) noexcept {
  return count_a == count_b && (count_a == 0 || a == b || std::equal(a, a + count_a, b));
}

bool same_symbols(const ge_ir_desc& a, const ge_ir_desc& b) noexcept {
  if (a.dim_symbols == b.dim_symbols) return true;
  for (uint64_t i = 0; i < a.dim_count; ++i) {
    if ((a.dim_symbols ? a.dim_symbols[i] : 0) != (b.dim_symbols ? b.dim_symbols[i] : 0)) return false;
  }
  return true;
}

std::string_view type_text(const ge_ir_desc& desc) noexcept {
  return std::string_view(reinterpret_cast<const char*>(desc.type_text), desc.type_text_size);
}

const char* list_item_kind(uint32_t kind) noexcept {
  switch (kind) {
    case GE_IR_ATTR_KIND_LIST_INT:
      return "int";
    case GE_IR_ATTR_KIND_LIST_FLOAT:
      return "float";
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
      return "float32";
    case GE_IR_ATTR_KIND_LIST_STRING:
      return "string";
    case GE_IR_ATTR_KIND_LIST_BOOL:
      return "bool";
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      return "dtype";
    case GE_IR_ATTR_KIND_LIST_TENSOR:
      return "tensor";
    case GE_IR_ATTR_KIND_LIST_TYPE:
      return "type";
    default:
      return "[int]";
  }
}

}  // namespace

bool same_desc(const ge_ir_desc& a, const ge_ir_desc& b) noexcept {
  return a.dtype == b.dtype && a.format == b.format && a.origin_format == b.origin_format &&
         a.rank_kind == b.rank_kind && a.origin_rank_kind == b.origin_rank_kind &&
         same_dims(a.dim_count, a.dims, b.dim_count, b.dims) && same_symbols(a, b) &&
         same_dims(a.origin_dim_count, a.origin_dims, b.origin_dim_count, b.origin_dims) &&
         (a.type_text == nullptr) == (b.type_text == nullptr) && type_text(a) == type_text(b);
}

bool is_unset(const ge_ir_desc& desc) noexcept {
  return desc.dtype == GE_IR_DTYPE_UNDEFINED && desc.rank_kind == GE_IR_RANK_KIND_UNSET && desc.format == kFormatNd &&
         desc.origin_format == kFormatNd && desc.origin_rank_kind == GE_IR_RANK_KIND_UNSET && desc.type_text == nullptr;
}

void ValueWriter::dim(int64_t size, uint32_t symbol) {
  if (symbol != 0) append_word(out_, symbol_text(symbol));
  if (size == -1) {
    if (symbol == 0) out_ += '?';
    return;
  }
  if (symbol != 0) out_ += '=';
  append_int(out_, size);
}

void ValueWriter::shape(uint32_t rank_kind, const int64_t* dims, const uint32_t* symbols, uint64_t count) {
  if (rank_kind == GE_IR_RANK_KIND_UNSET) return;
  out_ += '[';
  if (rank_kind == GE_IR_RANK_KIND_UNKNOWN) out_ += '*';
  for (uint64_t i = 0; rank_kind == GE_IR_RANK_KIND_KNOWN && i < count; ++i) {
    if (i != 0) out_ += ", ";
    dim(dims[i], symbols == nullptr ? 0 : symbols[i]);
  }
  out_ += ']';
}

void ValueWriter::dtype(int32_t value) {
  if (const Dtype* known = dtype_of(value)) {
    out_ += known->name;
    return;
  }
  out_ += "dtype(";
  append_int(out_, value);
  out_ += ')';
}

void ValueWriter::format(int32_t value) {
  out_ += '@';
  if (const char* name = format_name(value)) {
    out_ += name;
  } else {
    append_int(out_, value);
  }
}

void ValueWriter::origin(const ge_ir_desc& desc) {
  if (desc.origin_rank_kind == GE_IR_RANK_KIND_UNSET && desc.origin_format == kFormatNd) return;
  out_ += " origin(";
  shape(desc.origin_rank_kind, desc.origin_dims, nullptr, desc.origin_dim_count);
  if (desc.origin_format != kFormatNd) format(desc.origin_format);
  out_ += ')';
}

void ValueWriter::type(const ge_ir_desc& desc) {
  const bool has_text = desc.type_text != nullptr;
  ge_ir_desc tensor_part = desc;
  tensor_part.type_text = nullptr;
  if (!has_text || !is_unset(tensor_part)) {
    if (desc.dtype == GE_IR_DTYPE_UNDEFINED) {
      out_ += '?';
    } else {
      dtype(desc.dtype);
    }
    shape(desc.rank_kind, desc.dims, desc.dim_symbols, desc.dim_count);
    if (desc.format != kFormatNd) format(desc.format);
    origin(desc);
    if (has_text) out_ += ' ';
  }
  if (!has_text) return;
  out_ += "type ";
  append_quoted(out_, type_text(desc));
}

void ValueWriter::kind(int64_t value) {
  if (const char* name = kind_name(value)) {
    out_ += name;
  } else {
    append_int(out_, value);
  }
}

void ValueWriter::string(const ge_ir_attr& value) {
  std::string_view text(static_cast<const char*>(value.data), value.count);
  const bool is_cut = elides() && text.size() > kElidedBytes;
  if (is_cut) text = text.substr(0, abi::cut_length(text, kElidedBytes));
  if (value.kind == GE_IR_ATTR_KIND_BYTES) {
    append_bytes(out_, text);
  } else {
    append_quoted(out_, text);
  }
  if (!is_cut) return;
  out_ += " ... ";
  append_uint(out_, value.count);
  out_ += " bytes ...";
}

void ValueWriter::attribute(const ge_ir_attr& value) {
  switch (value.kind) {
    case GE_IR_ATTR_KIND_NONE:
      out_ += "none";
      return;
    case GE_IR_ATTR_KIND_INT:
      return append_int(out_, value.i);
    case GE_IR_ATTR_KIND_FLOAT:
    case GE_IR_ATTR_KIND_FLOAT32:
      return append_float_attribute(out_, value.f, value.kind == GE_IR_ATTR_KIND_FLOAT32);
    case GE_IR_ATTR_KIND_STRING:
    case GE_IR_ATTR_KIND_BYTES:
      return string(value);
    case GE_IR_ATTR_KIND_BOOL:
      out_ += value.i != 0 ? "true" : "false";
      return;
    case GE_IR_ATTR_KIND_DTYPE:
      return dtype(static_cast<int32_t>(value.i));
    case GE_IR_ATTR_KIND_TENSOR:
      return tensor(static_cast<Handle>(value.i));
    case GE_IR_ATTR_KIND_TYPE:
      out_ += "type ";
      return string(value);
    case GE_IR_ATTR_KIND_REFERENCE:
      out_ += "ref(";
      append_word(out_, std::string_view(static_cast<const char*>(value.data), value.count));
      out_ += ": ";
      kind(value.i);
      out_ += ')';
      return;
    default:
      return list(value);
  }
}

uint64_t ValueWriter::shown(uint64_t count) const noexcept {
  return elides() && count > 2 * kElidedItems ? kElidedItems : count;
}

void ValueWriter::more_items(uint64_t count) {
  out_ += ", ... ";
  append_uint(out_, count);
  out_ += " items ...";
}

void ValueWriter::list(const ge_ir_attr& value) {
  if (value.kind < GE_IR_ATTR_KIND_LIST_INT || value.kind > GE_IR_ATTR_KIND_LIST_FLOAT32) {
    throw abi::Failure(GE_STATUS_INTERNAL, "attribute kind " + std::to_string(value.kind) + " has no text form");
  }
  if (value.count == 0) {
    out_.append("[]: ").append(list_item_kind(value.kind));
    return;
  }
  out_ += '[';
  const uint64_t count = shown(value.count);
  for (uint64_t i = 0; i < count; ++i) {
    if (i != 0) out_ += ", ";
    list_item(value, i);
  }
  if (count < value.count) more_items(value.count);
  out_ += ']';
}

void ValueWriter::list_item(const ge_ir_attr& value, uint64_t i) {
  switch (value.kind) {
    case GE_IR_ATTR_KIND_LIST_INT:
      return append_int(out_, item<int64_t>(value.data, i));
    case GE_IR_ATTR_KIND_LIST_FLOAT:
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
      return append_float_attribute(out_, item<double>(value.data, i), value.kind == GE_IR_ATTR_KIND_LIST_FLOAT32);
    case GE_IR_ATTR_KIND_LIST_BOOL:
      out_ += item<uint8_t>(value.data, i) != 0 ? "true" : "false";
      return;
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      return dtype(item<int32_t>(value.data, i));
    case GE_IR_ATTR_KIND_LIST_TENSOR:
      return tensor(item<uint64_t>(value.data, i));
    case GE_IR_ATTR_KIND_LIST_TYPE:
      out_ += "type ";
      return append_quoted(out_, joined_item(value, i));
    case GE_IR_ATTR_KIND_LIST_STRING:
      return append_quoted(out_, joined_item(value, i));
    default:
      return int_list(static_cast<const int64_t*>(value.data) + value.offsets[i],
                      value.offsets[i + 1] - value.offsets[i]);
  }
}

void ValueWriter::int_list(const int64_t* items, uint64_t count) {
  out_ += '[';
  for (uint64_t i = 0; i < shown(count); ++i) {
    if (i != 0) out_ += ", ";
    append_int(out_, items[i]);
  }
  if (shown(count) < count) more_items(count);
  out_ += ']';
}

void ValueWriter::tensor(Handle tensor) {
  const ge_ir_tensor_info info = tensor_info(tensor);
  dtype(info.dtype);
  if (info.dim_count != 0) shape(GE_IR_RANK_KIND_KNOWN, info.dims, nullptr, info.dim_count);
  if (info.format != kFormatNd) format(info.format);
  out_ += '(';
  const Dtype* known = dtype_of(info.dtype);
  const bool is_hidden = elides() && (flags_ & GE_IR_PRINT_FLAGS_DATA) == 0 && info.element_count > kElidedItems;
  if (is_hidden) {
    out_ += "...";
  } else if (known != nullptr && known->coding == Coding::kString) {
    strings(info);
  } else if (known != nullptr) {
    tensor_data(*known, info);
  } else {
    append_hex(out_, std::string_view(static_cast<const char*>(info.data), info.size));
  }
  out_ += ')';
}

void ValueWriter::strings(const ge_ir_tensor_info& info) {
  const auto* bytes = static_cast<const char*>(info.data);
  for (uint64_t i = 0; i < info.element_count; ++i) {
    if (i != 0) out_ += ", ";
    append_quoted(out_, std::string_view(bytes + info.offsets[i], info.offsets[i + 1] - info.offsets[i]));
  }
}

/// All elements have the same bytes.
bool ValueWriter::is_fill(const Dtype& dtype, const ge_ir_tensor_info& info) const {
  if (dtype.bits < 8 || info.size > kMaxFillBytes || info.element_count < 2) return false;
  const uint64_t step = dtype.bits / 8u;
  const auto* bytes = static_cast<const char*>(info.data);
  return std::memcmp(bytes, bytes + step, info.size - step) == 0;
}

void ValueWriter::tensor_data(const Dtype& dtype, const ge_ir_tensor_info& info) {
  const auto* data = static_cast<const unsigned char*>(info.data);
  const bool is_small = info.element_count <= kReadableElements;
  const bool is_full = (flags_ & GE_IR_PRINT_FLAGS_DATA) != 0;
  if (is_small && info.element_count == 0) return;
  if (is_small && is_readable(dtype, data, info.size, info.element_count)) {
    if (info.dim_count > kNestedRank) {
      rows(dtype, info, info.dim_count - 1, 0, info.element_count);
    } else {
      rows(dtype, info, 0, 0, info.element_count);
    }
  } else if (!is_full && is_readable(dtype, data, info.size, info.element_count) && is_fill(dtype, info)) {
    out_ += "fill ";
    append_element(out_, dtype, data, 0);
  } else {
    append_hex(out_, std::string_view(static_cast<const char*>(info.data), info.size));
  }
}

/// Elements [first, first + count) along the axes from `axis` on; the brackets of `axis` itself are the caller's.
void ValueWriter::rows(const Dtype& dtype, const ge_ir_tensor_info& info, uint64_t axis, uint64_t first,
                       uint64_t count) {
  const auto* data = static_cast<const unsigned char*>(info.data);
  const bool is_last = axis + 1 >= info.dim_count;
  const uint64_t items = is_last ? count : static_cast<uint64_t>(info.dims[axis]);
  for (uint64_t i = 0; i < items; ++i) {
    if (i != 0) out_ += ", ";
    if (is_last) {
      append_element(out_, dtype, data, first + i);
      continue;
    }
    out_ += '[';
    rows(dtype, info, axis + 1, first + i * (count / items), count / items);
    out_ += ']';
  }
}

}  // namespace text
}  // namespace ge_ir
