#include "ge_ir/failure.h"

#include "ge_ir/handle.h"

namespace ge_ir {
namespace {

constexpr size_t kQuotedLimit = 160;

void append_escaped(std::string& out, std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      out.push_back(c);
    } else {
      out.append("\\x");
      out.push_back(digits[byte >> 4]);
      out.push_back(digits[byte & 15]);
    }
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
