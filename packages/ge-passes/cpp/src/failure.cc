#include "ge_passes/failure.h"

#include <cstdio>

namespace ge_passes {

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 200;
  std::string out = "'";
  const auto put = [&out](std::string_view part) {
    for (const char c : part) {
      const unsigned char byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && byte != 0x7f) {
        out.push_back(c);
        continue;
      }
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      out += escaped;
    }
  };
  if (text.size() <= kLongest) {
    put(text);
  } else {
    put(text.substr(0, ge::abi::cut_length(text, kLongest / 2)));
    out += "...";
    size_t tail = text.size() - kLongest / 4;
    while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0u) == 0x80u) ++tail;
    put(text.substr(tail));
  }
  return out + "'";
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const char* handle_type_name(uint64_t handle) noexcept {
  static const char* const names[] = {"NONE",    "GRAPH", "NODE",    "TENSOR",   "BLOB",      "PASS",
                                      "PATTERN", "MATCH", "CONTEXT", "EXECUTOR", "PARTITION", "SELECTION"};
  const uint32_t type = GE_HANDLE_TYPE(handle);
  return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

}  // namespace ge_passes
