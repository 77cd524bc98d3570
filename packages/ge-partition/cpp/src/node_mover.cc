#include "ge_partition/node_mover.h"

#include <cstring>
#include <string>

namespace ge::partition {
namespace {

void copy_attributes(std::uint64_t from, std::uint64_t to, std::uint32_t scope, std::uint32_t index) {
  for (const std::uint32_t symbol : ir::attr_keys(from, scope, index)) {
    const std::string key = ir::symbol_text(symbol);
    ge_ir_attr value = ir::attr(from, scope, index, key);
    value.struct_size = sizeof(value);
    ir::set_attr(to, scope, index, key, value);
  }
}

template <class T>
bool same_items(const T* a, const T* b, std::uint64_t count) {
  if (a == nullptr || b == nullptr) return a == b || count == 0;
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

// An input's own descriptor is one that differs from its producer's.
void copy_input(std::uint64_t from, std::uint64_t to, std::uint32_t slot, Value producer) {
  copy_attributes(from, to, GE_IR_SCOPE_INPUT, slot);
  ge_ir_desc own = ir::desc(from, GE_IR_SCOPE_INPUT, slot);
  if (own.struct_size == 0) return;
  if (producer.node != 0 && same_desc(own, ir::desc(producer.node, GE_IR_SCOPE_OUTPUT, producer.index))) return;
  own.struct_size = sizeof(own);
  ir::set_desc(to, GE_IR_SCOPE_INPUT, slot, own);
}

void copy_output(std::uint64_t from, std::uint64_t to, std::uint32_t index) {
  copy_attributes(from, to, GE_IR_SCOPE_OUTPUT, index);
  ge_ir_desc desc = ir::desc(from, GE_IR_SCOPE_OUTPUT, index);
  desc.struct_size = sizeof(desc);
  ir::set_desc(to, GE_IR_SCOPE_OUTPUT, index, desc);
  const std::string name = ir::value_name({from, index});
  if (!name.empty()) ir::set_value_name({to, index}, name);
}

}  // namespace

bool same_desc(const ge_ir_desc& a, const ge_ir_desc& b) {
  return a.dtype == b.dtype && a.format == b.format && a.origin_format == b.origin_format &&
         a.rank_kind == b.rank_kind && a.origin_rank_kind == b.origin_rank_kind && a.dim_count == b.dim_count &&
         a.origin_dim_count == b.origin_dim_count && a.type_text_size == b.type_text_size &&
         same_items(a.dims, b.dims, a.dim_count) && same_items(a.dim_symbols, b.dim_symbols, a.dim_count) &&
         same_items(a.origin_dims, b.origin_dims, a.origin_dim_count) &&
         same_items(a.type_text, b.type_text, a.type_text_size);
}

std::uint64_t copy_node(std::uint64_t node, std::uint64_t graph, std::string_view name,
                        const std::vector<Value>& inputs) {
  const std::uint32_t outputs = ir::output_count(node);
  const std::uint64_t copy = ir::create_node(graph, ir::node_op(node), name, inputs, outputs);
  copy_attributes(node, copy, GE_IR_SCOPE_SELF, 0);
  const std::vector<Value> old_inputs = ir::inputs(node);
  for (std::uint32_t slot = 0; slot < old_inputs.size(); ++slot) copy_input(node, copy, slot, old_inputs[slot]);
  for (std::uint32_t index = 0; index < outputs; ++index) copy_output(node, copy, index);
  return copy;
}

}  // namespace ge::partition
