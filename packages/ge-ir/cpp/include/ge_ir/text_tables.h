#pragma once

/* Words of the text form: element types, formats, attribute kinds; and the nearest word to a mistyped one. */

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ge_ir {
namespace text {

/// How the elements of a constant are written.
enum class Coding : uint8_t {
  kSigned,
  kUnsigned,
  kBool,
  kFloat,    ///< 16 bits and fewer: decoded by MiniFloat; 32 and 64: as the machine has them
  kComplex,  ///< two floats of half the bits
  kString,
  kRaw,  ///< no readable form: always hex
};

/// Special values of a floating point format.
enum class Specials : uint8_t {
  kIeee,  ///< infinities and NaNs in the highest exponent
  kFn,    ///< no infinity; NaN is all ones, of either sign
  kFnuz,  ///< no infinity, no -0; NaN is the bit pattern of -0
  kNone,  ///< numbers alone
  kE8M0,  ///< powers of two, unsigned, no zero; NaN is all ones
};

/// An element type.
struct Dtype {
  int32_t value;
  const char* name;
  Coding coding;
  uint8_t bits;
  uint8_t exponent;  ///< exponent bits of a float of at most 16 bits
  int16_t bias;
  Specials specials;
};

/// The element type of a number or name; null if there is none.
const Dtype* dtype_of(int32_t value) noexcept;
const Dtype* dtype_named(std::string_view name) noexcept;

/// Name of a tensor format, null if it has a number alone; number of a name, -1 if there is none.
const char* format_name(int32_t value) noexcept;
int32_t format_named(std::string_view name) noexcept;

/// Name of an attribute kind as in `ref(x: int)` or `[]: int`; null or -1 if there is none.
const char* kind_name(int64_t value) noexcept;
int64_t kind_named(std::string_view name) noexcept;

/// " (did you mean 'x'?)" for the candidate nearest to `word`, or nothing if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

/// The same among the names of element types, with the usual short names (f32, half, bf16, ...) known.
std::string did_you_mean_dtype(std::string_view word);

/// All names, for error texts.
std::vector<std::string_view> dtype_names();
std::vector<std::string_view> format_names();
std::vector<std::string_view> kind_names();

}  // namespace text
}  // namespace ge_ir
