// Slots: descriptors and attributes.
#include "ge_ir/slot_support.h"
#include "ge_ir/symbol.h"

using namespace ge_ir;

namespace {

void require_value_scope(const Node& node, uint32_t scope, uint32_t index) {
  require_place({nullptr, const_cast<Node*>(&node)}, scope, index);
  if (scope == GE_IR_SCOPE_SELF) {
    fail(GE_STATUS_INVALID_ARGUMENT, "scope is SELF; a descriptor belongs to an OUTPUT or INPUT of ", describe(node));
  }
}

/// The descriptor of a place: false if there is no such value; a null desc if nothing was said about it.
bool find_desc(const Node& node, uint32_t scope, uint32_t index, const Desc** desc) noexcept {
  *desc = nullptr;
  if (scope == GE_IR_SCOPE_OUTPUT) {
    *desc = node.outputs[index].desc.get();
    return true;
  }
  if (node.extra && index < node.extra->inputs.size()) *desc = node.extra->inputs[index].desc.get();
  if (*desc != nullptr) return true;
  const Input& input = node.inputs[index];
  if (input.producer == kNoNode) return false;
  *desc = node_at(input.producer).outputs[input.output].desc.get();
  return true;
}

}  // namespace

extern "C" int32_t ge_ir_slot_desc_get(uint64_t node, uint32_t scope, uint32_t index, ge_ir_desc* desc,
                                       ge_error* error) noexcept {
  return guarded(error, [&]() -> int32_t {
    const Node& found = require_node(node, "node");
    require_value_scope(found, scope, index);
    const Desc* stored = nullptr;
    if (!find_desc(found, scope, index, &stored)) {
      return ge::abi::set_error(
          error, GE_STATUS_NOT_FOUND,
          cat("input ", index, " of ", describe(found), " is absent and has no descriptor of its own"));
    }
    ge_ir_desc out{};
    if (stored != nullptr) {
      stored->fill(out);
    } else {
      Desc::fill_unset(out);
    }
    ge::abi::write_struct(desc, out, "desc");
    return GE_STATUS_OK;
  });
}

extern "C" int32_t ge_ir_slot_desc_set(uint64_t node, uint32_t scope, uint32_t index, const ge_ir_desc* desc,
                                       ge_error* error) noexcept {
  return guarded(error, [&] {
    Node& found = require_node(node, "node");
    require_value_scope(found, scope, index);
    set_desc(found, scope, index, ge::abi::read_struct(desc, "desc"));
  });
}

extern "C" int32_t ge_ir_slot_attr_get(uint64_t owner, uint32_t scope, uint32_t index, const char* key,
                                       uint64_t key_size, ge_ir_attr* value, ge_error* error) noexcept {
  return guarded(error, [&]() -> int32_t {
    const Owner found = require_owner(owner, "owner");
    require_place(found, scope, index);
    const std::string_view wanted = require_name(key, key_size, "key");
    const AttrMap* map = find_attrs(found.graph, found.node, scope, index);
    const uint32_t symbol = find_symbol(wanted);
    const uint32_t position = map == nullptr || symbol == kNoSymbol ? AttrMap::kNone : map->find(symbol);
    if (position == AttrMap::kNone) {
      const std::string where = found.node != nullptr ? describe(*found.node) : describe(*found.graph);
      const std::string place = scope == GE_IR_SCOPE_SELF ? "" : cat(ge_ir_scope_name(scope), ' ', index, " of ");
      return ge::abi::set_error(error, GE_STATUS_NOT_FOUND, cat(place, where, " has no attribute ", quoted(wanted)));
    }
    ge_ir_attr out{};
    map->at(position).value.fill(out);
    ge::abi::write_struct(value, out, "value");
    return GE_STATUS_OK;
  });
}

extern "C" int32_t ge_ir_slot_attr_set(uint64_t owner, uint32_t scope, uint32_t index, const char* key,
                                       uint64_t key_size, const ge_ir_attr* value, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Owner found = require_owner(owner, "owner");
    require_place(found, scope, index);
    const ge_ir_attr spec = ge::abi::read_struct(value, "value");
    set_attr(found.graph, found.node, scope, index, require_name(key, key_size, "key"), spec);
  });
}

extern "C" int32_t ge_ir_slot_attr_remove(uint64_t owner, uint32_t scope, uint32_t index, const char* key,
                                          uint64_t key_size, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Owner found = require_owner(owner, "owner");
    require_place(found, scope, index);
    remove_attr(found.graph, found.node, scope, index, require_name(key, key_size, "key"));
  });
}

extern "C" int32_t ge_ir_slot_attr_keys(uint64_t owner, uint32_t scope, uint32_t index, uint32_t* symbols,
                                        uint64_t symbols_capacity, uint64_t* symbols_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const Owner found = require_owner(owner, "owner");
    require_place(found, scope, index);
    ge::abi::Buffer<uint32_t> out(symbols, symbols_capacity, symbols_count, "symbols");
    const AttrMap* map = find_attrs(found.graph, found.node, scope, index);
    const uint32_t size = map != nullptr ? map->size() : 0;
    ge::abi::announce(size, out);
    for (uint32_t i = 0; i < size; ++i) out[i] = map->at(i).key;
  });
}
