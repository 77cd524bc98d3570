#include "ge_partition/node_compare.h"

#include <algorithm>
#include <cstring>

#include "ge_partition/ir.h"
#include "ge_partition/node_mover.h"

namespace ge::partition {
namespace {

bool same_bytes(const void* a, const void* b, std::uint64_t size) {
  if (size == 0 || a == b) return true;
  return a != nullptr && b != nullptr && std::memcmp(a, b, size) == 0;
}

// Borders of the items of a list of texts; null where items have one size.
bool same_offsets(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t count) {
  if (a == nullptr || b == nullptr) return a == b;
  return same_bytes(a, b, (count + 1) * sizeof(std::uint64_t));
}

bool same_tensor(std::uint64_t a, std::uint64_t b) {
  if (a == b) return true;
  if (a == 0 || b == 0) return false;
  const ge_ir_tensor_info one = ir::tensor(a);
  const ge_ir_tensor_info two = ir::tensor(b);
  return one.dtype == two.dtype && one.format == two.format && one.dim_count == two.dim_count &&
         same_bytes(one.dims, two.dims, one.dim_count * sizeof(std::int64_t)) && one.size == two.size &&
         same_offsets(one.offsets, two.offsets, one.element_count) && same_bytes(one.data, two.data, one.size);
}

// Bytes of one item at `data`; lists of lists and of texts have their number of items in the offsets.
std::uint64_t item_size(std::uint32_t kind) {
  switch (kind) {
    case GE_IR_ATTR_KIND_LIST_INT:
    case GE_IR_ATTR_KIND_LIST_FLOAT:
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
    case GE_IR_ATTR_KIND_LIST_LIST_INT:
      return 8;
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      return 4;
    default:
      return 1;
  }
}

bool same_tensors(const ge_ir_attr& a, const ge_ir_attr& b) {
  const auto* one = static_cast<const std::uint64_t*>(a.data);
  const auto* two = static_cast<const std::uint64_t*>(b.data);
  return std::equal(one, one + a.count, two, same_tensor);
}

bool same_attr(const ge_ir_attr& a, const ge_ir_attr& b) {
  if (a.kind != b.kind || a.count != b.count) return false;
  if (a.kind == GE_IR_ATTR_KIND_TENSOR) {
    return same_tensor(static_cast<std::uint64_t>(a.i), static_cast<std::uint64_t>(b.i));
  }
  if (a.i != b.i || !same_bytes(&a.f, &b.f, sizeof(a.f))) return false;
  if (!same_offsets(a.offsets, b.offsets, a.count)) return false;
  if (a.kind == GE_IR_ATTR_KIND_LIST_TENSOR) return same_tensors(a, b);
  const std::uint64_t items = a.offsets == nullptr ? a.count : a.offsets[a.count];
  return same_bytes(a.data, b.data, items * item_size(a.kind));
}

bool same_attributes(std::uint64_t a, std::uint64_t b, std::uint32_t scope) {
  const std::vector<std::uint32_t> keys = ir::attr_keys(a, scope, 0);
  if (keys != ir::attr_keys(b, scope, 0)) return false;
  for (const std::uint32_t symbol : keys) {
    const std::string key = ir::symbol_text(symbol);
    if (!same_attr(ir::attr(a, scope, 0, key), ir::attr(b, scope, 0, key))) return false;
  }
  return true;
}

}  // namespace

bool same_constant(std::uint64_t a, std::uint64_t b) {
  const Op one = ir::node_op(a);
  const Op two = ir::node_op(b);
  return one.same_operator(two) && one.version == two.version && same_attributes(a, b, GE_IR_SCOPE_SELF) &&
         same_attributes(a, b, GE_IR_SCOPE_OUTPUT) &&
         same_desc(ir::desc(a, GE_IR_SCOPE_OUTPUT, 0), ir::desc(b, GE_IR_SCOPE_OUTPUT, 0)) &&
         ir::value_name({a, 0}) == ir::value_name({b, 0});
}

}  // namespace ge::partition
