#pragma once

/* Writing of names, strings, bytes and numbers. Whatever the bytes are, what is written reads back as the same bytes.
 */

#include <cstdint>
#include <string>
#include <string_view>

namespace ge_ir {
namespace text {

/// Characters of a word (operator types, keys, symbols): letters, digits, `_`, `.`; not a digit or dot first.
bool is_word_start(char c) noexcept;
bool is_word_char(char c) noexcept;
bool is_word(std::string_view text) noexcept;

/// Characters of a bare name (after `%`, `@`, `as`): those of a word, `/`, `-`, `$`.
bool is_name_char(char c) noexcept;
bool is_name(std::string_view text) noexcept;

/// Length of the well-formed UTF-8 sequence at `offset`; 0 if there is none. `code` gets the code point.
size_t utf8_length(std::string_view text, size_t offset, uint32_t* code) noexcept;

/// "text" with escapes. Valid UTF-8 that is safe to look at stays as it is, other bytes become escapes.
void append_quoted(std::string& out, std::string_view text);

/// A bare name where that is possible, else quoted.
void append_name(std::string& out, std::string_view text);

/// A word where that is possible, else quoted.
void append_word(std::string& out, std::string_view text);

/// b"..." for text, hex"..." for anything else.
void append_bytes(std::string& out, std::string_view bytes);

/// hex"..." with two digits a byte.
void append_hex(std::string& out, std::string_view bytes);

void append_int(std::string& out, int64_t value);
void append_uint(std::string& out, uint64_t value);

/// Shortest decimal that reads back as the same number, always with a point or exponent. Not for NaN and infinity.
void append_float64(std::string& out, double value);
void append_float32(std::string& out, float value);

/// `nan(0x<bits>)`: a NaN that is not the usual one.
void append_nan_bits(std::string& out, uint64_t bits, int digits);

/// An attribute number: as append_float64, with inf, nan, -nan and nan(0x...). Float32 values get the suffix `f`.
void append_float_attribute(std::string& out, double value, bool is_float32);

}  // namespace text
}  // namespace ge_ir
