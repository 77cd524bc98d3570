#include "ge_ir/text_bytes.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace ge_ir {
namespace text {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

constexpr uint64_t kNan64 = UINT64_C(0x7ff8000000000000);
constexpr uint64_t kNegativeNan64 = UINT64_C(0xfff8000000000000);

/// Code points that are invisible or turn the text around them: written as escapes.
bool is_hidden(uint32_t code) noexcept {
  return (code >= 0x7f && code <= 0xa0) || code == 0xad || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f) || (code & 0xfffe) == 0xfffe;
}

void append_hex_byte(std::string& out, unsigned char byte) {
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

void append_code_escape(std::string& out, uint32_t code) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, code, 16);
  out += "\\u{";
  out.append(digits, end.ptr);
  out += '}';
}

/// Writes the escape of an ASCII character, or returns false if it needs none.
bool append_ascii_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return true;
    case '\\':
      out += "\\\\";
      return true;
    case '\n':
      out += "\\n";
      return true;
    case '\t':
      out += "\\t";
      return true;
    case '\r':
      out += "\\r";
      return true;
    default:
      if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) return false;
      out += "\\x";
      append_hex_byte(out, static_cast<unsigned char>(c));
      return true;
  }
}

bool is_plain_ascii(std::string_view text) noexcept {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte >= 0x7f) return false;
  }
  return true;
}

template <class Number>
void append_shortest(std::string& out, Number value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  const std::string_view text(digits, static_cast<size_t>(end.ptr - digits));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

template <class Integer>
void append_integer(std::string& out, Integer value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

bool is_word_start(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_word_char(char c) noexcept { return is_word_start(c) || (c >= '0' && c <= '9') || c == '.'; }

bool is_word(std::string_view text) noexcept {
  if (text.empty() || !is_word_start(text[0])) return false;
  for (const char c : text) {
    if (!is_word_char(c)) return false;
  }
  return true;
}

bool is_name_char(char c) noexcept { return is_word_char(c) || c == '/' || c == '-' || c == '$'; }

bool is_name(std::string_view text) noexcept {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!is_name_char(c)) return false;
  }
  return true;
}

size_t utf8_length(std::string_view text, size_t offset, uint32_t* code) noexcept {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[offset + i])); };
  const uint32_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || length > text.size() - offset) return 0;
  uint32_t value = length == 1 ? first : first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    value = value << 6 | (byte(i) & 0x3fu);
  }
  const bool is_long = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (is_long || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff) return 0;
  *code = value;
  return length;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      if (!append_ascii_escape(out, text[i])) out += text[i];
      ++i;
      continue;
    }
    uint32_t code = 0;
    const size_t length = utf8_length(text, i, &code);
    if (length == 0) {
      out += "\\x";
      append_hex_byte(out, static_cast<unsigned char>(text[i]));
    } else if (is_hidden(code)) {
      append_code_escape(out, code);
    } else {
      out.append(text, i, length);
    }
    i += length == 0 ? 1 : length;
  }
  out += '"';
}

void append_name(std::string& out, std::string_view text) {
  if (is_name(text)) {
    out += text;
  } else {
    append_quoted(out, text);
  }
}

void append_word(std::string& out, std::string_view text) {
  if (is_word(text)) {
    out += text;
  } else {
    append_quoted(out, text);
  }
}

void append_bytes(std::string& out, std::string_view bytes) {
  if (is_plain_ascii(bytes)) {
    out += 'b';
    append_quoted(out, bytes);
  } else {
    append_hex(out, bytes);
  }
}

void append_hex(std::string& out, std::string_view bytes) {
  out += "hex\"";
  const size_t start = out.size();
  out.resize(start + 2 * bytes.size());
  char* digit = &out[start];
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *digit++ = kHexDigits[byte >> 4];
    *digit++ = kHexDigits[byte & 15];
  }
  out += '"';
}

void append_int(std::string& out, int64_t value) { append_integer(out, value); }
void append_uint(std::string& out, uint64_t value) { append_integer(out, value); }
void append_float64(std::string& out, double value) { append_shortest(out, value); }
void append_float32(std::string& out, float value) { append_shortest(out, value); }

void append_nan_bits(std::string& out, uint64_t bits, int digits) {
  out += "nan(0x";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHexDigits[(bits >> shift) & 15];
  out += ')';
}

void append_float_attribute(std::string& out, double value, bool is_float32) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const char* suffix = is_float32 ? "f" : "";
  if (std::isnan(value)) {
    if (bits == kNan64 || bits == kNegativeNan64) {
      out.append(bits == kNan64 ? "nan" : "-nan").append(suffix);
    } else {
      append_nan_bits(out, bits, 16);
      out += suffix;
    }
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "inf" : "-inf").append(suffix);
  } else if (is_float32) {
    append_float32(out, static_cast<float>(value));
    out += suffix;
  } else {
    append_float64(out, value);
  }
}

}  // namespace text
}  // namespace ge_ir
