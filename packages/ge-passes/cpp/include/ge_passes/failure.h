// Errors inside the library: helpers that build the sentence of a Failure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ge_abi_support.hpp"

namespace ge_passes {

using ge::abi::Failure;

namespace detail {
inline void append(std::string& out, std::string_view part) { out.append(part); }
inline void append(std::string& out, const char* part) { out.append(part); }
inline void append(std::string& out, int64_t part) { out.append(std::to_string(part)); }
inline void append(std::string& out, uint32_t part) { out.append(std::to_string(part)); }
inline void append(std::string& out, uint64_t part) { out.append(std::to_string(part)); }
}  // namespace detail

/// Joins texts and numbers into one string.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

/// Throws a Failure built from the parts.
template <class... Parts>
[[noreturn]] void fail(int32_t status, const Parts&... parts) {
  throw Failure(status, cat(parts...));
}

/// A text in single quotes, control bytes escaped, shortened in the middle when very long.
std::string quoted(std::string_view text);

/// A handle in hexadecimal.
std::string hex(uint64_t value);

/// Name of a handle type, for messages.
const char* handle_type_name(uint64_t handle) noexcept;

}  // namespace ge_passes
