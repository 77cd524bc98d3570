#include "ge_ir/text_elements.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "ge_ir/text_bytes.h"
#include "ge_ir_api.h"

namespace ge_ir {
namespace text {
namespace {

template <class To, class From>
To bit_cast(From value) noexcept {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

uint64_t low_mask(int bits) noexcept { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

bool is_signed_float(const Dtype& dtype) noexcept { return dtype.specials != Specials::kE8M0; }

int mantissa_bits(const Dtype& dtype) noexcept {
  return dtype.bits - dtype.exponent - (is_signed_float(dtype) ? 1 : 0);
}

/// Layout of a float type, small or not: bit pattern of the usual NaN, and the largest finite magnitude.
struct FloatPatterns {
  uint64_t sign = 0;
  uint64_t nan = 0;
  uint64_t infinity = 0;  ///< 0: there is none
  uint64_t largest = 0;
  bool has_nan = true;
};

FloatPatterns patterns_of(const Dtype& dtype) noexcept {
  if (dtype.bits == 32) return {UINT64_C(1) << 31, 0x7fc00000, 0x7f800000, 0x7f7fffff, true};
  if (dtype.bits == 64)
    return {UINT64_C(1) << 63, UINT64_C(0x7ff8) << 48, UINT64_C(0x7ff) << 52, (UINT64_C(0x7ff) << 52) - 1, true};
  const uint64_t sign = is_signed_float(dtype) ? uint64_t{1} << (dtype.bits - 1) : 0;
  const uint64_t magnitudes = low_mask(is_signed_float(dtype) ? dtype.bits - 1 : dtype.bits);
  const int mantissa = mantissa_bits(dtype);
  switch (dtype.specials) {
    case Specials::kIeee: {
      const uint64_t infinity = low_mask(dtype.exponent) << mantissa;
      return {sign, infinity | uint64_t{1} << (mantissa - 1), infinity, infinity - 1, true};
    }
    case Specials::kFn:
    case Specials::kE8M0:
      return {sign, magnitudes, 0, magnitudes - 1, true};
    case Specials::kFnuz:
      return {sign, sign, 0, magnitudes, true};
    default:
      return {sign, 0, 0, magnitudes, false};
  }
}

bool is_nan_pattern(const Dtype& dtype, uint64_t bits) noexcept {
  const FloatPatterns p = patterns_of(dtype);
  if (!p.has_nan) return false;
  const uint64_t magnitude = bits & ~p.sign;
  if (p.infinity != 0) return magnitude > p.infinity;
  if (dtype.specials == Specials::kFnuz) return bits == p.nan;
  return magnitude == p.nan;
}

/// Value of a magnitude (no sign bit, finite) of a float of at most 16 bits. Grows with the bits.
double decode_magnitude(const Dtype& dtype, uint64_t magnitude) noexcept {
  if (dtype.specials == Specials::kE8M0) return std::ldexp(1.0, static_cast<int>(magnitude) - dtype.bias);
  const int mantissa = mantissa_bits(dtype);
  const int exponent = static_cast<int>(magnitude >> mantissa);
  const auto fraction = static_cast<double>(magnitude & low_mask(mantissa));
  if (exponent == 0) return std::ldexp(fraction, 1 - dtype.bias - mantissa);
  return std::ldexp(fraction + std::ldexp(1.0, mantissa), exponent - dtype.bias - mantissa);
}

/// The magnitude nearest to a value of at least 0, ties to even; the highest one for what lies above it.
uint64_t encode_magnitude(const Dtype& dtype, double value) noexcept {
  uint64_t low = 0, high = patterns_of(dtype).largest;
  if (value <= decode_magnitude(dtype, low)) return low;
  if (value >= decode_magnitude(dtype, high)) return high;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (decode_magnitude(dtype, middle) <= value ? low : high) = middle;
  }
  const double down = value - decode_magnitude(dtype, low), up = decode_magnitude(dtype, high) - value;
  if (down != up) return down < up ? low : high;
  return (low & 1) == 0 ? low : high;
}

void append_float_bits(std::string& out, const Dtype& dtype, uint64_t bits) {
  const FloatPatterns p = patterns_of(dtype);
  if (is_nan_pattern(dtype, bits)) {
    if (bits == p.nan) {
      out += "nan";
    } else if (bits == (p.nan | p.sign)) {
      out += "-nan";
    } else {
      append_nan_bits(out, bits, (dtype.bits + 3) / 4);
    }
    return;
  }
  const uint64_t magnitude = bits & ~p.sign;
  if (p.infinity != 0 && magnitude == p.infinity) {
    out += bits == magnitude ? "inf" : "-inf";
  } else if (dtype.bits == 64) {
    append_float64(out, bit_cast<double>(bits));
  } else if (dtype.bits == 32) {
    append_float32(out, bit_cast<float>(static_cast<uint32_t>(bits)));
  } else {
    const auto value = static_cast<float>(decode_magnitude(dtype, magnitude));
    append_float32(out, bits == magnitude ? value : -value);
  }
}

std::string does_not_fit(const Dtype& dtype, std::string_view text, const std::string& range) {
  return std::string(text) + " does not fit " + dtype.name + " (" + range + ")";
}

std::string encode_integer(const Dtype& dtype, const Number& number, uint64_t* bits) {
  if (number.kind != Number::Kind::kInteger) {
    return std::string(dtype.name) + " elements are whole numbers, found " + std::string(number.text);
  }
  const bool is_signed = dtype.coding == Coding::kSigned;
  const uint64_t top = is_signed ? low_mask(dtype.bits - 1) : low_mask(dtype.bits);
  const std::string range =
      (is_signed ? std::to_string(-static_cast<int64_t>(top) - 1) : "0") + " .. " + std::to_string(top);
  const char *first = number.text.data(), *last = first + number.text.size();
  uint64_t magnitude = 0;
  const auto parsed = std::from_chars(first + (number.is_negative ? 1 : 0), last, magnitude);
  const uint64_t limit = !number.is_negative ? top : is_signed ? top + 1 : 0;
  if (parsed.ec != std::errc() || magnitude > limit) return does_not_fit(dtype, number.text, range);
  *bits = (number.is_negative ? ~magnitude + 1 : magnitude) & low_mask(dtype.bits);
  return {};
}

template <class Float, class Bits>
std::string encode_machine_float(const Dtype& dtype, const Number& number, uint64_t* bits) {
  Float value = 0;
  const char *first = number.text.data(), *last = first + number.text.size();
  const auto parsed = std::from_chars(first, last, value);
  if (parsed.ec != std::errc()) return does_not_fit(dtype, number.text, "out of range");
  *bits = bit_cast<Bits>(value);
  return {};
}

std::string encode_small_float(const Dtype& dtype, const Number& number, uint64_t* bits) {
  double value = 0;
  const FloatPatterns p = patterns_of(dtype);
  const char *first = number.text.data(), *last = first + number.text.size();
  const double largest = decode_magnitude(dtype, p.largest);
  // Compared as float32, for that is how the largest one is written: rounded, and maybe up.
  std::string limit;
  append_float32(limit, static_cast<float>(largest));
  if (std::from_chars(first, last, value).ec != std::errc() || static_cast<float>(std::fabs(value)) > largest) {
    return does_not_fit(dtype, number.text, "largest is " + limit);
  }
  if (!is_signed_float(dtype) && (number.is_negative || value == 0)) {
    return does_not_fit(dtype, number.text, "powers of two above 0");
  }
  const uint64_t magnitude = encode_magnitude(dtype, std::fabs(value));
  // -0 is the NaN of the FNUZ types.
  const bool is_minus = number.is_negative && (magnitude != 0 || dtype.specials != Specials::kFnuz);
  *bits = magnitude | (is_minus ? p.sign : 0);
  return {};
}

std::string encode_float(const Dtype& dtype, const Number& number, uint64_t* bits) {
  const FloatPatterns p = patterns_of(dtype);
  switch (number.kind) {
    case Number::Kind::kNan:
      if (!p.has_nan) return std::string(dtype.name) + " has no nan";
      *bits = p.nan | (number.is_negative ? p.sign : 0);
      return {};
    case Number::Kind::kInfinity:
      if (p.infinity == 0) return std::string(dtype.name) + " has no infinity";
      *bits = p.infinity | (number.is_negative ? p.sign : 0);
      return {};
    case Number::Kind::kNanBits:
      if ((number.bits & ~low_mask(dtype.bits)) != 0 || !is_nan_pattern(dtype, number.bits)) {
        return std::string("these bits are no nan of ") + dtype.name;
      }
      *bits = number.bits;
      return {};
    default:
      if (dtype.bits == 64) return encode_machine_float<double, uint64_t>(dtype, number, bits);
      if (dtype.bits == 32) return encode_machine_float<float, uint32_t>(dtype, number, bits);
      return encode_small_float(dtype, number, bits);
  }
}

}  // namespace

uint64_t packed_bytes(const Dtype& dtype, uint64_t count) noexcept {
  return dtype.bits >= 8 ? count * (dtype.bits / 8u) : (count * dtype.bits + 7) / 8;
}

uint64_t load_bits(const unsigned char* data, uint8_t bits, uint64_t index) noexcept {
  if (bits < 8) {
    const uint64_t place = index * bits;
    return static_cast<uint64_t>(data[place / 8] >> (place % 8)) & low_mask(bits);
  }
  uint64_t value = 0;
  std::memcpy(&value, data + index * (bits / 8u), bits / 8u);
  return value;
}

void store_bits(unsigned char* data, uint8_t bits, uint64_t index, uint64_t value) noexcept {
  if (bits < 8) {
    const uint64_t place = index * bits;
    data[place / 8] = static_cast<unsigned char>(data[place / 8] | value << (place % 8));
    return;
  }
  std::memcpy(data + index * (bits / 8u), &value, bits / 8u);
}

Dtype component_of(const Dtype& complex) noexcept {
  const int32_t value = complex.bits == 32   ? GE_IR_DTYPE_FLOAT16
                        : complex.bits == 64 ? GE_IR_DTYPE_FLOAT
                                             : GE_IR_DTYPE_DOUBLE;
  return *dtype_of(value);
}

bool is_readable(const Dtype& dtype, const unsigned char* data, uint64_t size, uint64_t count) noexcept {
  if (dtype.coding == Coding::kRaw || dtype.coding == Coding::kString) return false;
  if (packed_bytes(dtype, count) != size) return false;
  if (dtype.coding == Coding::kBool) {
    for (uint64_t i = 0; i < count; ++i) {
      if (data[i] > 1) return false;
    }
  }
  const uint64_t used = count * dtype.bits % 8;  // bits behind the last element must be zero to read back
  return used == 0 || (data[size - 1] >> used) == 0;
}

void append_element(std::string& out, const Dtype& dtype, const unsigned char* data, uint64_t index) {
  if (dtype.coding == Coding::kComplex) {
    const Dtype part = component_of(dtype);
    out += '(';
    append_float_bits(out, part, load_bits(data, part.bits, 2 * index));
    out += ", ";
    append_float_bits(out, part, load_bits(data, part.bits, 2 * index + 1));
    out += ')';
    return;
  }
  const uint64_t bits = load_bits(data, dtype.bits, index);
  if (dtype.coding == Coding::kBool) {
    out += bits != 0 ? "true" : "false";
  } else if (dtype.coding == Coding::kUnsigned) {
    append_uint(out, bits);
  } else if (dtype.coding == Coding::kSigned) {
    const int unused = 64 - dtype.bits;
    append_int(out, static_cast<int64_t>(bits << unused) >> unused);
  } else {
    append_float_bits(out, dtype, bits);
  }
}

std::string encode_number(const Dtype& dtype, const Number& number, uint64_t* bits) {
  return dtype.coding == Coding::kFloat ? encode_float(dtype, number, bits) : encode_integer(dtype, number, bits);
}

bool decode_attribute(const Number& number, double* value) noexcept {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const char *first = number.text.data(), *last = first + number.text.size();
  switch (number.kind) {
    case Number::Kind::kNan:
      *value = bit_cast<double>(UINT64_C(0x7ff8) << 48 | (number.is_negative ? UINT64_C(1) << 63 : 0));
      return true;
    case Number::Kind::kNanBits:
      *value = bit_cast<double>(number.bits);
      return std::isnan(*value);
    case Number::Kind::kInfinity:
      *value = number.is_negative ? -kInf : kInf;
      return true;
    default:
      break;
  }
  if (!number.has_suffix) return std::from_chars(first, last, *value).ec == std::errc();
  float narrow = 0;
  const bool is_good = std::from_chars(first, last, narrow).ec == std::errc();
  *value = static_cast<double>(narrow);
  return is_good;
}

}  // namespace text
}  // namespace ge_ir
