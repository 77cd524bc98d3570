#include "ge_partition/attr_probe.h"

#include "ge_partition/ir.h"

namespace ge::partition {

AttrProbe::AttrProbe(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) symbols_.push_back(ir::symbol(key));
}

void AttrProbe::read(std::uint64_t owner) {
  found_ = 0;
  for (const std::uint32_t key : ir::attr_keys(owner, GE_IR_SCOPE_SELF, 0)) {
    for (std::size_t at = 0; at < symbols_.size(); ++at) {
      if (symbols_[at] == key) found_ |= 1u << at;
    }
  }
}

}  // namespace ge::partition
