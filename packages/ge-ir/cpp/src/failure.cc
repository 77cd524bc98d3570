#include "ge_ir/failure.h"

#include "ge_ir/handle.h"

namespace ge_ir {
namespace {

constexpr size_t kQuotedLimit = 160;

/// Bytes of the UTF-8 sequence that starts a text, 0 if it is none.
size_t sequence_length(std::string_view text) noexcept {
  const unsigned char lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : (lead & 0xF0) == 0xE0       ? 3
                        : lead < 0xF5                 ? 4
                                                      : 0;
  if (lead >= 0x80 && lead < 0xC2) return 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : length;
}

/// Control bytes and bytes that are not UTF-8 become \xNN, so that every message is printable text.
void append_escaped(std::string& out, std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  while (!text.empty()) {
    const unsigned char byte = static_cast<unsigned char>(text[0]);
    const size_t length = byte < 0x20 || byte == 0x7F ? 0 : sequence_length(text);
    if (length == 0) {
      out.append("\\x");
      out.push_back(digits[byte >> 4]);
      out.push_back(digits[byte & 15]);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

/// Largest length not above `limit` that does not cut a UTF-8 sequence.
size_t code_point_edge(std::string_view text, size_t limit) noexcept {
  if (text.size() <= limit) return text.size();
  size_t length = limit;
  while (length > 0 && limit - length < 4 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  return length;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "'";
  if (text.size() <= kQuotedLimit) {
    append_escaped(out, text);
  } else {
    append_escaped(out, text.substr(0, code_point_edge(text, kQuotedLimit / 2)));
    out.append("...");
    size_t from = text.size() - kQuotedLimit / 2;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    append_escaped(out, text.substr(from));
  }
  out.push_back('\'');
  return out;
}

std::string hex(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) out.push_back(digits[(value >> shift) & 15]);
  return out;
}

const char* handle_type_name(uint8_t type) noexcept {
  static const char* const names[] = {"NONE",    "GRAPH", "NODE",    "TENSOR",   "BLOB",      "PASS",
                                      "PATTERN", "MATCH", "CONTEXT", "EXECUTOR", "PARTITION", "SELECTION"};
  return type < sizeof(names) / sizeof(names[0]) ? names[type] : "no known type";
}

}  // namespace ge_ir
