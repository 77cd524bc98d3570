#include "ge_passes/provenance.h"

#include <algorithm>

namespace ge_passes {
namespace {

constexpr size_t kMostNames = 16;
constexpr size_t kLongestBase = 96;

}  // namespace

void Provenance::Names::add(std::string_view name) {
  if (items.size() >= kMostNames || std::find(items.begin(), items.end(), name) != items.end()) return;
  items.emplace_back(name);
}

void Provenance::Names::seal() {
  offsets.push_back(0);
  for (const std::string& item : items) {
    joined += item;
    offsets.push_back(joined.size());
  }
}

ge_ir_attr Provenance::Names::attribute() const {
  ge_ir_attr value{};
  value.struct_size = sizeof value;
  value.kind = GE_IR_ATTR_KIND_LIST_STRING;
  value.data = joined.data();
  value.offsets = offsets.data();
  value.count = items.size();
  return value;
}

void Provenance::collect(Names& names, Handle node, uint32_t key) {
  const ge_ir_attr value = get_attr(node, GE_IR_SCOPE_SELF, 0, key);
  if (value.kind != GE_IR_ATTR_KIND_LIST_STRING) return;
  const char* data = static_cast<const char*>(value.data);
  for (uint64_t i = 0; i < value.count; ++i) {
    names.add({data + value.offsets[i], static_cast<size_t>(value.offsets[i + 1] - value.offsets[i])});
  }
}

Provenance::Provenance(const std::vector<Handle>& nodes, std::string_view pass_name) {
  std::vector<uint32_t> keys;
  const auto has = [&keys](uint32_t key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  for (const Handle node : nodes) {
    read_keys(node, GE_IR_SCOPE_SELF, 0, keys);
    if (has(symbols().origin_nodes)) {
      collect(origins_, node, symbols().origin_nodes);
    } else {
      origins_.add(node_name(node));
    }
    if (has(symbols().pass_names)) collect(passes_, node, symbols().pass_names);
  }
  if (!pass_name.empty()) passes_.add(pass_name);
  origins_.seal();
  passes_.seal();
}

std::string Provenance::name_for(uint32_t type) const {
  std::string_view base = origins_.items.empty() ? std::string_view("node") : std::string_view(origins_.items.front());
  base = base.substr(0, ge::abi::cut_length(base, kLongestBase));
  return cat(base, "_", symbol_text(type).substr(0, kLongestBase));
}

void Provenance::mark(Handle node) const {
  set_attr(node, GE_IR_SCOPE_SELF, 0, symbols().origin_nodes, origins_.attribute());
  if (!passes_.items.empty()) set_attr(node, GE_IR_SCOPE_SELF, 0, symbols().pass_names, passes_.attribute());
}

}  // namespace ge_passes
