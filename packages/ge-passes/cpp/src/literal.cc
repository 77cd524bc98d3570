#include "ge_passes/literal.h"

#include <algorithm>
#include <cstring>

namespace ge_passes {
namespace {

bool is_provenance(uint32_t key) noexcept { return key == symbols().origin_nodes || key == symbols().pass_names; }

uint32_t float_class(uint32_t kind) noexcept {
  if (kind == GE_IR_ATTR_KIND_FLOAT32) return GE_IR_ATTR_KIND_FLOAT;
  return kind == GE_IR_ATTR_KIND_LIST_FLOAT32 ? uint32_t{GE_IR_ATTR_KIND_LIST_FLOAT} : kind;
}

/// Bytes of one item at `data`; 0 if items are measured by offsets or there are none.
size_t item_bytes(uint32_t kind) noexcept {
  switch (kind) {
    case GE_IR_ATTR_KIND_LIST_INT:
    case GE_IR_ATTR_KIND_LIST_FLOAT:
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
    case GE_IR_ATTR_KIND_LIST_LIST_INT:
      return 8;
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      return 4;
    case GE_IR_ATTR_KIND_LIST_TENSOR:
      return 0;
    default:
      return 1;
  }
}

bool has_offsets(uint32_t kind) noexcept {
  return kind == GE_IR_ATTR_KIND_LIST_STRING || kind == GE_IR_ATTR_KIND_LIST_TYPE ||
         kind == GE_IR_ATTR_KIND_LIST_LIST_INT;
}

/// Bytes that an attribute value holds behind `data`.
std::string_view data_of(const ge_ir_attr& value) noexcept {
  if (value.data == nullptr) return {};
  const uint64_t items = has_offsets(value.kind) && value.offsets != nullptr ? value.offsets[value.count] : value.count;
  return {static_cast<const char*>(value.data), static_cast<size_t>(items) * item_bytes(value.kind)};
}

TensorLiteral copy_tensor(Handle tensor) {
  const ge_ir_tensor_info info = tensor_info(tensor);
  TensorLiteral literal;
  literal.dtype = info.dtype;
  if (info.dim_count != 0) literal.dims.assign(info.dims, info.dims + info.dim_count);
  if (info.size != 0) literal.bytes.assign(static_cast<const char*>(info.data), static_cast<size_t>(info.size));
  if (info.offsets != nullptr) literal.offsets.assign(info.offsets, info.offsets + info.element_count + 1);
  return literal;
}

bool same_tensor(Handle tensor, const TensorLiteral& literal) {
  const ge_ir_tensor_info info = tensor_info(tensor);
  if (info.dtype != literal.dtype || info.dim_count != literal.dims.size() || info.size != literal.bytes.size()) {
    return false;
  }
  if (!std::equal(literal.dims.begin(), literal.dims.end(), info.dims)) return false;
  if (info.size != 0 && std::memcmp(info.data, literal.bytes.data(), literal.bytes.size()) != 0) return false;
  const size_t offsets = info.offsets == nullptr ? 0 : static_cast<size_t>(info.element_count) + 1;
  return offsets == literal.offsets.size() && std::equal(literal.offsets.begin(), literal.offsets.end(), info.offsets);
}

/// value_int, value_float and their lists, as ONNX defines them: int64 and float32, rank 0 or 1.
bool read_short_form(Handle node, uint32_t key, TensorLiteral& literal) {
  const ge_ir_attr value = get_attr(node, GE_IR_SCOPE_SELF, 0, key);
  const bool list = key == symbols().value_ints || key == symbols().value_floats;
  const bool floats = key == symbols().value_float || key == symbols().value_floats;
  literal.dtype = floats ? GE_IR_DTYPE_FLOAT : GE_IR_DTYPE_INT64;
  literal.dims.clear();
  if (list) literal.dims.push_back(static_cast<int64_t>(value.count));
  literal.bytes.clear();
  const size_t count = list ? static_cast<size_t>(value.count) : 1;
  for (size_t i = 0; i < count; ++i) {
    if (floats) {
      const float item = static_cast<float>(list ? static_cast<const double*>(value.data)[i] : value.f);
      literal.bytes.append(reinterpret_cast<const char*>(&item), sizeof item);
    } else {
      const int64_t item = list ? static_cast<const int64_t*>(value.data)[i] : value.i;
      literal.bytes.append(reinterpret_cast<const char*>(&item), sizeof item);
    }
  }
  return true;
}

/// Tensor of the attribute `value`, 0 if there is none.
Handle value_tensor(Handle node) {
  if (!has_key(node, symbols().value)) return 0;
  const ge_ir_attr value = get_attr(node, GE_IR_SCOPE_SELF, 0, symbols().value);
  return value.kind == GE_IR_ATTR_KIND_TENSOR ? static_cast<Handle>(value.i) : 0;
}

bool same_value(const ge_ir_attr& value, const AttrLiteral& literal) {
  if (float_class(value.kind) != literal.kind) return false;
  if (value.kind == GE_IR_ATTR_KIND_TENSOR) return same_tensor(static_cast<Handle>(value.i), literal.tensors.front());
  if (value.kind == GE_IR_ATTR_KIND_LIST_TENSOR) {
    if (value.count != literal.tensors.size()) return false;
    const Handle* tensors = static_cast<const Handle*>(value.data);
    for (size_t i = 0; i < literal.tensors.size(); ++i) {
      if (!same_tensor(tensors[i], literal.tensors[i])) return false;
    }
    return true;
  }
  // Bits, not values: a NaN equals itself, and -0.0 is not 0.0.
  if (value.i != literal.i || std::memcmp(&value.f, &literal.f, sizeof value.f) != 0) return false;
  if (data_of(value) != literal.bytes) return false;
  const size_t offsets = has_offsets(value.kind) && value.offsets != nullptr ? static_cast<size_t>(value.count) + 1 : 0;
  return offsets == literal.offsets.size() && std::equal(literal.offsets.begin(), literal.offsets.end(), value.offsets);
}

AttrLiteral copy_attribute(Handle node, uint32_t key) {
  const ge_ir_attr value = get_attr(node, GE_IR_SCOPE_SELF, 0, key);
  AttrLiteral literal;
  literal.key = key;
  literal.kind = float_class(value.kind);
  if (value.kind == GE_IR_ATTR_KIND_TENSOR) {
    literal.tensors.push_back(copy_tensor(static_cast<Handle>(value.i)));
    return literal;
  }
  literal.i = value.i;
  literal.f = value.f;
  if (value.kind == GE_IR_ATTR_KIND_LIST_TENSOR) {
    const Handle* tensors = static_cast<const Handle*>(value.data);
    for (uint64_t i = 0; i < value.count; ++i) literal.tensors.push_back(copy_tensor(tensors[i]));
    return literal;
  }
  literal.bytes = data_of(value);
  if (has_offsets(value.kind) && value.offsets != nullptr) {
    literal.offsets.assign(value.offsets, value.offsets + value.count + 1);
  }
  return literal;
}

}  // namespace

bool read_constant(Handle node, TensorLiteral& literal) {
  if (const Handle tensor = value_tensor(node)) {
    literal = copy_tensor(tensor);
    return true;
  }
  const Symbols& s = symbols();
  for (const uint32_t key : {s.value_int, s.value_ints, s.value_float, s.value_floats}) {
    if (has_key(node, key)) return read_short_form(node, key, literal);
  }
  return false;
}

bool equals_constant(Handle node, const TensorLiteral& literal) {
  if (const Handle tensor = value_tensor(node)) return same_tensor(tensor, literal);
  TensorLiteral found;
  return read_constant(node, found) && found.dtype == literal.dtype && found.dims == literal.dims &&
         found.bytes == literal.bytes && found.offsets == literal.offsets;
}

std::vector<AttrLiteral> read_attributes(Handle node) {
  std::vector<uint32_t> keys;
  read_keys(node, GE_IR_SCOPE_SELF, 0, keys);
  std::sort(keys.begin(), keys.end());
  std::vector<AttrLiteral> literals;
  for (const uint32_t key : keys) {
    if (!is_provenance(key)) literals.push_back(copy_attribute(node, key));
  }
  return literals;
}

bool equals_attributes(Handle node, const std::vector<AttrLiteral>& literals) {
  thread_local std::vector<uint32_t> keys;
  read_keys(node, GE_IR_SCOPE_SELF, 0, keys);
  keys.erase(std::remove_if(keys.begin(), keys.end(), is_provenance), keys.end());
  if (keys.size() != literals.size()) return false;
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != literals[i].key) return false;
  }
  for (const AttrLiteral& literal : literals) {
    if (!same_value(get_attr(node, GE_IR_SCOPE_SELF, 0, literal.key), literal)) return false;
  }
  return true;
}

}  // namespace ge_passes
