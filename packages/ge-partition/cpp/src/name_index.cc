#include "ge_partition/name_index.h"

namespace ge::partition {

std::uint64_t NameIndex::find(const std::vector<std::string>& names, std::string_view name) const {
  std::call_once(state_->once, [&] {
    std::unordered_map<std::string_view, std::uint64_t> places;
    places.reserve(names.size());
    for (std::uint64_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
    state_->places = std::move(places);
  });
  const auto found = state_->places.find(name);
  return found == state_->places.end() ? kMissing : found->second;
}

}  // namespace ge::partition
