#include "ge_ir/hash_index.h"

#include <cstring>

namespace ge_ir {

uint32_t hash_text(std::string_view text) noexcept {
  // Eight bytes a step; good enough for names and without a seed, so that runs can be compared.
  uint64_t hash = 0x9E3779B97F4A7C15ull ^ (text.size() * 0xFF51AFD7ED558CCDull);
  const char* at = text.data();
  size_t left = text.size();
  while (left >= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xC4CEB9FE1A85EC53ull;
    hash ^= hash >> 29;
    at += 8;
    left -= 8;
  }
  uint64_t rest = 0;
  if (left != 0) std::memcpy(&rest, at, left);
  hash = (hash ^ rest) * 0xFF51AFD7ED558CCDull;
  hash ^= hash >> 32;
  hash *= 0xC4CEB9FE1A85EC53ull;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace ge_ir
