#pragma once

/* Elements of constants: bits in a buffer to readable text and back. */

#include <cstdint>
#include <string>
#include <string_view>

#include "ge_ir/text_tables.h"

namespace ge_ir {
namespace text {

/// A number as written: `text` is the decimal part with its sign, for `inf` and `nan` see the flags.
struct Number {
  enum class Kind : uint8_t { kInteger, kDecimal, kInfinity, kNan, kNanBits };
  std::string_view text;
  Kind kind = Kind::kInteger;
  bool is_negative = false;
  bool has_suffix = false;  ///< `f`: a float32 attribute
  uint64_t bits = 0;        ///< of kNanBits
};

/// Bytes that `count` elements take; sub-byte types are packed, low bits first.
uint64_t packed_bytes(const Dtype& dtype, uint64_t count) noexcept;

/// Bits of element `index`, at most 64.
uint64_t load_bits(const unsigned char* data, uint8_t bits, uint64_t index) noexcept;

/// Sets element `index`; the buffer must be zero there.
void store_bits(unsigned char* data, uint8_t bits, uint64_t index, uint64_t value) noexcept;

/// True if every element can be written readably and reads back to the same bytes.
bool is_readable(const Dtype& dtype, const unsigned char* data, uint64_t size, uint64_t count) noexcept;

/// Writes element `index`. The type must be readable and no string.
void append_element(std::string& out, const Dtype& dtype, const unsigned char* data, uint64_t index);

/// Bits of a number in a type (not bool, complex, string); returns an error text, empty if all is well.
std::string encode_number(const Dtype& dtype, const Number& number, uint64_t* bits);

/// The float type of one component of a complex type.
Dtype component_of(const Dtype& complex) noexcept;

/// Value of an attribute number; false if it is not finite in a double.
bool decode_attribute(const Number& number, double* value) noexcept;

}  // namespace text
}  // namespace ge_ir
