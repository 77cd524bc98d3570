// Puts the parts of a split back in place.
#pragma once

#include <cstdint>

namespace ge::partition {

// Inlines every call that a split made in a root graph; names, list order, edges, attributes and bodies are as before
// the split. Returns the number of calls inlined. The caller holds a transaction.
std::uint64_t flatten(std::uint64_t graph);

}  // namespace ge::partition
