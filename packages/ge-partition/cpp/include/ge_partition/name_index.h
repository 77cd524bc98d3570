// Finds a node of a split by name without walking over all names each time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ge::partition {

// Numbers by name, made on the first search, from whatever thread that comes. Most splits are never asked.
class NameIndex {
 public:
  static constexpr std::uint64_t kMissing = ~std::uint64_t{0};

  // Place of a name in `names`, kMissing if it is not there. `names` must be the same, unchanged, in every call.
  std::uint64_t find(const std::vector<std::string>& names, std::string_view name) const;

 private:
  // On the heap, because a flag cannot move and a result of a split does.
  struct State {
    std::once_flag once;
    std::unordered_map<std::string_view, std::uint64_t> places;
  };

  std::unique_ptr<State> state_ = std::make_unique<State>();
};

}  // namespace ge::partition
