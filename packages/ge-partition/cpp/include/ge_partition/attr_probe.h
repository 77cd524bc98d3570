// Which of a few attributes a node has.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace ge::partition {

// Asks one node after another. Asking for an attribute that is absent costs the words of an error; the list of keys, of
// which most nodes have few, costs nearly nothing.
class AttrProbe {
 public:
  // At most 32 keys, known by their places from now on.
  explicit AttrProbe(std::initializer_list<std::string_view> keys);

  // Looks at a node or graph.
  void read(std::uint64_t owner);

  // True if the last node has the key at that place.
  bool has(std::uint32_t key) const { return (found_ >> key & 1u) != 0; }

 private:
  std::vector<std::uint32_t> symbols_;
  std::uint32_t found_ = 0;
};

}  // namespace ge::partition
