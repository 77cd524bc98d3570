// Whether two nodes hold the same; for copies of one constant that may have been edited apart.
#pragma once

#include <cstdint>

namespace ge::partition {

// True if operator, attributes and the output of two nodes without inputs are equal. Shared tensors cost nothing,
// others are compared byte by byte: a graph that was written and read again has lost the sharing.
bool same_constant(std::uint64_t a, std::uint64_t b);

}  // namespace ge::partition
