#include <memory>
#include <utility>

#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/symbol.h"
#include "ge_ir/undo.h"
#include "ge_ir_slots.h"

namespace ge_ir {
namespace {

/// The own parts of all inputs, made on first use.
InputExtra& need_input_extra(Node& node, uint32_t index) {
  NodeExtra& extra = node.need_extra();
  if (extra.inputs.size() <= index) extra.inputs.resize(node.inputs.size());
  return extra.inputs[index];
}

AttrMap& need_attrs(Graph* graph, Node* node, uint32_t scope, uint32_t index) {
  if (node == nullptr) return graph->attrs;
  std::unique_ptr<AttrMap>& map = scope == GE_IR_SCOPE_SELF     ? node->attrs
                                  : scope == GE_IR_SCOPE_OUTPUT ? node->outputs[index].attrs
                                                                : need_input_extra(*node, index).attrs;
  if (!map) map.reset(new AttrMap);
  return *map;
}

std::string describe_owner(const Graph* graph, const Node* node, uint32_t scope, uint32_t index) {
  if (node == nullptr) return describe(*graph);
  if (scope == GE_IR_SCOPE_SELF) return describe(*node);
  return cat(scope == GE_IR_SCOPE_OUTPUT ? "output " : "input ", index, " of ", describe(*node));
}

}  // namespace

void set_desc(Node& node, uint32_t scope, uint32_t index, const ge_ir_desc& spec) {
  Ref<const Desc> fresh = Desc::make(spec);
  const bool output = scope == GE_IR_SCOPE_OUTPUT;
  Ref<const Desc>& place = output ? node.outputs[index].desc : need_input_extra(node, index).desc;
  if (place && place->equals(*fresh.get())) return;
  Edit edit(*node.graph, 1);
  Record record(output ? Step::kOutputDescSet : Step::kInputDescSet, node.graph, &node, index);
  record.p.pointer = const_cast<Desc*>(place.detach());
  place = std::move(fresh);
  edit.done(record);
}

void set_value_name(Node& node, uint32_t index, std::string_view name) {
  if (node.outputs[index].name.view() == name) return;
  SmallString fresh(name);
  Edit edit(*node.graph, 1);
  node.outputs[index].name.swap(fresh);
  Record record(Step::kValueRenamed, node.graph, &node, index);
  record.put_text(std::move(fresh));
  edit.done(record);
}

AttrMap* find_attrs(Graph* graph, Node* node, uint32_t scope, uint32_t index) noexcept {
  if (node == nullptr) return &graph->attrs;
  if (scope == GE_IR_SCOPE_SELF) return node->attrs.get();
  if (scope == GE_IR_SCOPE_OUTPUT) return node->outputs[index].attrs.get();
  return node->extra && index < node->extra->inputs.size() ? node->extra->inputs[index].attrs.get() : nullptr;
}

void set_attr(Graph* graph, Node* node, uint32_t scope, uint32_t index, std::string_view key, const ge_ir_attr& spec) {
  if (key.empty()) {
    fail(GE_STATUS_INVALID_ARGUMENT, "the key of an attribute of ", describe_owner(graph, node, scope, index),
         " is empty");
  }
  AttrValue value = AttrValue::make(spec, key);
  const uint32_t symbol = intern(key);
  AttrMap& map = need_attrs(graph, node, scope, index);
  Graph* home = node != nullptr ? node->graph : graph;
  const uint32_t position = map.find(symbol);
  const bool replaces = position != AttrMap::kNone;
  if (replaces && map.at(position).value.equals(value)) return;
  if (!replaces) map.reserve_one();
  Edit edit(*home, 1);
  Record record(replaces ? Step::kAttrReplaced : Step::kAttrAdded, home, node, index);
  record.scope = static_cast<uint8_t>(scope);
  record.attr.position = replaces ? position : map.size();
  record.attr.key = symbol;
  if (replaces) {
    const AttrValue::Raw old = map.at(position).value.detach();
    record.attr.kind = old.kind;
    record.attr.bits = old.bits;
    map.at(position).value = std::move(value);
  } else {
    map.insert(map.size(), symbol, std::move(value));
  }
  edit.done(record);
}

void remove_attr(Graph* graph, Node* node, uint32_t scope, uint32_t index, std::string_view key) {
  AttrMap* map = find_attrs(graph, node, scope, index);
  const uint32_t symbol = find_symbol(key);
  const uint32_t position = map == nullptr || symbol == kNoSymbol ? AttrMap::kNone : map->find(symbol);
  if (position == AttrMap::kNone) {
    fail(GE_STATUS_NOT_FOUND, describe_owner(graph, node, scope, index), " has no attribute ", quoted(key));
  }
  Graph* home = node != nullptr ? node->graph : graph;
  Edit edit(*home, 1);
  Record record(Step::kAttrRemoved, home, node, index);
  record.scope = static_cast<uint8_t>(scope);
  record.attr.position = position;
  record.attr.key = symbol;
  const AttrValue::Raw old = map->erase(position).detach();
  record.attr.kind = old.kind;
  record.attr.bits = old.bits;
  edit.done(record);
}

}  // namespace ge_ir
