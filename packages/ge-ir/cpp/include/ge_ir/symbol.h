// Interned texts: operator types, domains, attribute keys, dimension names. Append-only for the whole process.
// Any function may be the first that makes the table, so any may throw std::bad_alloc.
#pragma once

#include <cstdint>
#include <string_view>

namespace ge_ir {

constexpr uint32_t kNoSymbol = 0xFFFFFFFF;

/// The symbol of a text, created on first use; "" is 0. Any thread. Throws std::bad_alloc.
uint32_t intern(std::string_view text);
/// The symbol of a text or kNoSymbol; never creates one, never locks.
uint32_t find_symbol(std::string_view text);
/// Whether a number is a symbol.
bool is_symbol(uint32_t symbol);
/// Text of a valid symbol; stays for the life of the process. Never locks.
std::string_view symbol_text(uint32_t symbol);
/// Number of symbols, the empty one not counted.
uint64_t symbol_count();

}  // namespace ge_ir
