#include "ge_ir/text_cursor.h"

#include <algorithm>
#include <charconv>

#include "ge_abi_support.hpp"
#include "ge_ir/text_bytes.h"

namespace ge_ir {
namespace text {
namespace {

constexpr size_t kShownBefore = 80;  // characters of a long line that are shown before and after the caret
constexpr size_t kShownAfter = 40;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Bytes of the character at `offset`: a well-formed code point, else one byte.
size_t character_length(std::string_view text, size_t offset) noexcept {
  uint32_t code = 0;
  return std::max<size_t>(1, utf8_length(text, offset, &code));
}

/// Appends one character of a source line so that it takes one column and the message stays UTF-8.
void append_visible(std::string& out, std::string_view character) {
  uint32_t code = 0;
  const bool is_good = utf8_length(character, 0, &code) == character.size();
  if (!is_good || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
    out += code == '\t' && is_good ? std::string_view("\t") : kReplacement;
  } else {
    out += character;
  }
}

void append_code_point(std::string& out, uint32_t code) {
  const auto put = [&out](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace

size_t Cursor::here() noexcept {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else {
      break;
    }
  }
  return at_;
}

bool Cursor::accept(char c) noexcept {
  if (peek() != c || at_ == text_.size()) return false;
  ++at_;
  return true;
}

bool Cursor::accept_text(std::string_view token) noexcept {
  if (text_.compare(here(), token.size(), token) != 0) return false;
  at_ += token.size();
  return true;
}

std::string_view Cursor::peek_word() noexcept {
  size_t end = here();
  if (end == text_.size() || !is_word_start(text_[end])) return {};
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

bool Cursor::accept_word(std::string_view word) noexcept {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

void Cursor::expect(char c, const char* what) {
  if (!accept(c)) fail_expected(what);
}

std::string Cursor::word(const char* what) {
  const std::string_view bare = peek_word();
  if (bare.empty()) return quoted(what);
  at_ += bare.size();
  return std::string(bare);
}

std::string_view Cursor::name_characters() noexcept {
  const size_t start = at_;
  while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

std::string Cursor::name(const char* what) {
  // Nothing may stand between the sign and the name, so blanks are not skipped.
  const std::string_view bare = name_characters();
  if (!bare.empty()) return std::string(bare);
  if (at_ == text_.size() || text_[at_] != '"') fail_expected(what);
  return quoted(what);
}

std::string Cursor::quoted(const char* what) {
  const size_t start = here();
  if (!accept('"')) fail_expected(what);
  std::string out;
  string_body(out, start);
  return out;
}

void Cursor::string_body(std::string& out, size_t start) {
  for (;;) {
    if (at_ == text_.size() || text_[at_] == '\n')
      fail(start, "this string is not closed: expected '\"' before the end of the line");
    const char c = text_[at_];
    if (c == '"') break;
    if (c == '\\') {
      escape(out, start);
      continue;
    }
    uint32_t code = 0;
    const size_t length = utf8_length(text_, at_, &code);
    if (length == 0 || code < 0x20)
      fail(at_, "this byte cannot stand in a string as it is: write it as \\xNN (two hex digits)");
    out.append(text_, at_, length);
    at_ += length;
  }
  ++at_;
}

void Cursor::escape(std::string& out, size_t start) {
  const size_t place = at_++;
  const char c = at_ < text_.size() ? text_[at_++] : '\n';
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'r':
      out += '\r';
      return;
    case '\\':
    case '"':
      out += c;
      return;
    case 'u':
      return code_escape(out, place);
    case 'x': {
      const int high = at_ < text_.size() ? hex_value(text_[at_]) : -1;
      const int low = at_ + 1 < text_.size() ? hex_value(text_[at_ + 1]) : -1;
      if (high < 0 || low < 0) fail(place, "\\x needs two hex digits");
      out += static_cast<char>(high * 16 + low);
      at_ += 2;
      return;
    }
    case '\n':
      fail(start, "this string is not closed: expected '\"' before the end of the line");
    default:
      fail(place, "unknown escape: expected one of \\\" \\\\ \\n \\t \\r \\xNN \\u{N}");
  }
}

void Cursor::code_escape(std::string& out, size_t start) {
  uint32_t code = 0;
  size_t count = 0;
  bool is_good = at_ < text_.size() && text_[at_] == '{';
  for (++at_; is_good && at_ < text_.size() && hex_value(text_[at_]) >= 0 && count < 7; ++at_, ++count) {
    code = code * 16 + static_cast<uint32_t>(hex_value(text_[at_]));
  }
  is_good = is_good && at_ < text_.size() && text_[at_] == '}' && count >= 1 && count <= 6;
  if (!is_good || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    fail(start, "\\u needs a code point in braces: \\u{0} .. \\u{10ffff}, surrogates excluded");
  }
  ++at_;
  append_code_point(out, code);
}

std::string Cursor::hex(const char* what) {
  const size_t start = here();
  if (!accept('"')) fail_expected(what);
  std::string out;
  for (; at_ + 1 < text_.size() && hex_value(text_[at_]) >= 0 && hex_value(text_[at_ + 1]) >= 0; at_ += 2) {
    out += static_cast<char>(hex_value(text_[at_]) * 16 + hex_value(text_[at_ + 1]));
  }
  if (at_ == text_.size()) fail(start, "this hex block is not closed: expected '\"'");
  if (text_[at_] != '"') fail(at_, "expected two hex digits or '\"' in a hex block");
  ++at_;
  return out;
}

bool Cursor::is_special_word(std::string_view word) const noexcept {
  return word == "inf" || word == "nan" || word == "inff" || word == "nanf";
}

bool Cursor::is_number() noexcept {
  const char c = peek();
  return is_digit(c) || c == '-' || is_special_word(peek_word());
}

void Cursor::digits(const char* what, size_t start) {
  const size_t first = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  if (at_ != first) return;
  if (first == start) fail_expected(what);
  fail(first, "expected a digit in this number");
}

/// Reads what follows `inf` and `nan`.
void Cursor::special(Number& number, size_t start) {
  const std::string_view word = peek_word();
  at_ += 3;
  number.kind = word[0] == 'i' ? Number::Kind::kInfinity : Number::Kind::kNan;
  number.has_suffix = word.size() == 4;
  at_ += number.has_suffix ? 1 : 0;
  if (word[0] == 'i' || number.has_suffix || text_.compare(at_, 3, "(0x") != 0) return;
  const char* first = text_.data() + at_ + 3;
  const auto parsed = std::from_chars(first, text_.data() + text_.size(), number.bits, 16);
  at_ = static_cast<size_t>(parsed.ptr - text_.data());
  if (parsed.ec != std::errc() || at_ == text_.size() || text_[at_] != ')' || number.is_negative) {
    fail(start, "expected a nan like nan(0x7fc00001): its bits in hex, no sign");
  }
  ++at_;
  number.kind = Number::Kind::kNanBits;
  if (at_ < text_.size() && text_[at_] == 'f') {
    number.has_suffix = true;
    ++at_;
  }
}

Number Cursor::number(const char* what) {
  const size_t start = here();
  Number number;
  number.is_negative = accept('-');
  if (at_ < text_.size() && is_special_word(peek_word())) {
    special(number, start);
    number.text = text_.substr(start, at_ - start);
  } else {
    digits(what, start);
    if (at_ < text_.size() && text_[at_] == '.' && text_.compare(at_, 3, "...") != 0) {
      ++at_;
      digits(what, start);
      number.kind = Number::Kind::kDecimal;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      digits(what, start);
      number.kind = Number::Kind::kDecimal;
    }
    number.text = text_.substr(start, at_ - start);
    if (at_ < text_.size() && text_[at_] == 'f') {
      number.has_suffix = true;
      ++at_;
    }
  }
  if (at_ < text_.size() && is_word_char(text_[at_]) && text_.compare(at_, 3, "...") != 0) {
    fail(start,
         "this is no number: unexpected '" + std::string(1, text_[at_]) + "' behind " + std::string(number.text));
  }
  return number;
}

int64_t Cursor::integer(const char* what, int64_t low, int64_t high) {
  const size_t start = here();
  if (peek() != '-' && !is_digit(peek())) fail_expected(what);
  const Number number = this->number(what);
  int64_t value = 0;
  const auto parsed = std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
  const bool is_whole = number.kind == Number::Kind::kInteger && !number.has_suffix;
  if (!is_whole || parsed.ec != std::errc() || value < low || value > high) {
    fail(start, std::string("expected ") + what + " from " + std::to_string(low) + " to " + std::to_string(high) +
                    ", found " + std::string(number.text) + (number.has_suffix ? "f" : ""));
  }
  return value;
}

/// The next token, as an error text names it.
std::string Cursor::found() noexcept {
  if (at_end()) return "the end of the text";
  std::string_view token = peek_word();
  if (token.empty()) {
    size_t end = at_ + character_length(text_, at_);
    const char first = text_[at_];
    if (first == '%' || first == '@' || is_name_char(first)) {
      while (end < text_.size() && is_name_char(text_[end])) ++end;
    }
    token = text_.substr(at_, end - at_);
  }
  if (token[0] == '"') return "a string";
  std::string out = "'";
  for (size_t i = 0; i < token.size() && i < 60;) {
    const size_t length = character_length(token, i);
    append_visible(out, token.substr(i, length));
    i += length;
  }
  return out + (token.size() > 60 ? "...'" : "'");
}

void Cursor::fail_expected(const std::string& what, const std::string& hint) {
  const size_t place = here();
  if (text_.compare(place, 3, "...") == 0) {
    fail(place, "'...' stands for text that was left out: only text printed without ELIDE can be parsed");
  }
  fail(place, "expected " + what + ", found " + found() + hint);
}

size_t Cursor::line_of(size_t offset) const noexcept {
  return 1 + static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

void Cursor::fail(size_t offset, const std::string& message) const {
  const size_t before = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
  const size_t start = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text_.find('\n', offset), text_.size());
  size_t column = 1, shown = start;
  for (size_t i = start; i < offset; i += character_length(text_, i)) ++column;
  for (size_t skip = column - 1; skip > kShownBefore; --skip) shown += character_length(text_, shown);
  std::string line = shown == start ? "  " : "  ...", caret = shown == start ? "  " : "     ";
  size_t after = 0, i = shown;
  for (; i < end && (i < offset || after < kShownAfter); i += character_length(text_, i)) {
    if (text_[i] == '\r' && i + 1 == end) break;
    append_visible(line, text_.substr(i, character_length(text_, i)));
    if (i < offset) caret += text_[i] == '\t' ? '\t' : ' ';
    if (i >= offset) ++after;
  }
  if (i < end && text_[i] != '\r') line += "...";
  std::string out = source_.empty() ? "<text>" : std::string(source_);
  out += ":" + std::to_string(line_of(offset)) + ":" + std::to_string(column) + ": " + message + "\n" + line + "\n" +
         caret + "^";
  throw ge::abi::Failure(GE_STATUS_PARSE_ERROR, out);
}

}  // namespace text
}  // namespace ge_ir
