// The little UTF-8 that manifests and reports need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ge::runtime {

// Length of the valid sequence that starts `text`, or 0 if it starts with none.
std::size_t utf8_sequence(std::string_view text);

// Offset of the first byte that is not part of valid UTF-8, or npos.
std::size_t first_invalid_utf8(std::string_view text);

// `text` with each invalid byte replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// Appends a code point (not a surrogate, at most U+10FFFF).
void append_utf8(std::string& out, std::uint32_t code);

}  // namespace ge::runtime
