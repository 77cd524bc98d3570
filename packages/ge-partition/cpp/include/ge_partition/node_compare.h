// Whether two nodes hold the same; for copies of one constant that may have been edited apart.
#pragma once

#include <cstdint>

namespace ge::partition {

// True if operator, attributes and the output of two nodes without inputs are equal. Tensors are equal if they are the
// same object or share their bytes; the bytes themselves are not compared.
bool same_constant(std::uint64_t a, std::uint64_t b);

}  // namespace ge::partition
