// Where new nodes come from: names and attributes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ge_passes/ir.h"

namespace ge_passes {

/// Origins and pass names that the nodes made by one rewrite are marked with. Both lists are bounded: after many
/// rewrites they keep the first names and stop growing.
class Provenance {
 public:
  /// Collects from the nodes that are replaced: their own marks, else their names.
  Provenance(const std::vector<Handle>& nodes, std::string_view pass_name);
  /// Base of the name of a new node of a type.
  std::string name_for(uint32_t type) const;
  /// Sets the marks on a new node.
  void mark(Handle node) const;

 private:
  struct Names {
    std::vector<std::string> items;
    std::string joined;
    std::vector<uint64_t> offsets;
    void add(std::string_view name);
    void seal();
    ge_ir_attr attribute() const;
  };
  static void collect(Names& names, Handle node, uint32_t key);
  Names origins_;
  Names passes_;
};

}  // namespace ge_passes
