#pragma once

/* A place in a text that is being parsed: tokens, and errors that show the place. */

#include <cstdint>
#include <string>
#include <string_view>

#include "ge_ir/text_elements.h"

namespace ge_ir {
namespace text {

/// Reads tokens one after the other. Every failure throws PARSE_ERROR with source:line:column, the line and a caret.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view source) noexcept : text_(text), source_(source) {}

  /// Goes over blanks and comments; returns the place of the next token.
  size_t here() noexcept;

  bool at_end() noexcept { return here() == text_.size(); }

  /// The next character after blanks; 0 at the end.
  char peek() noexcept { return at_end() ? '\0' : text_[at_]; }

  /// Takes the character if it is the next.
  bool accept(char c) noexcept;

  /// Takes the characters if they are next, whatever stands behind them.
  bool accept_text(std::string_view token) noexcept;

  /// Takes the whole word if it is the next.
  bool accept_word(std::string_view word) noexcept;

  /// Takes the character or fails: "expected ',' or ')' <context>, found ...".
  void expect(char c, const char* what);

  /// The next word without taking it; empty if there is none.
  std::string_view peek_word() noexcept;

  /// A word, or a quoted string. `what` is for the error: "an attribute name".
  std::string word(const char* what);

  /// A bare name or a quoted string, directly at the cursor (after `%`, `@`).
  std::string name(const char* what);

  /// Characters of a bare name directly at the cursor, maybe none.
  std::string_view name_characters() noexcept;

  /// A quoted string.
  std::string quoted(const char* what);

  /// The bytes of "digits" in hex.
  std::string hex(const char* what);

  /// A number; `inf` and `nan` included.
  Number number(const char* what);

  /// A whole number within [low, high].
  int64_t integer(const char* what, int64_t low, int64_t high);

  /// True if a number is next.
  bool is_number() noexcept;

  void go_to(size_t offset) noexcept { at_ = offset; }

  /// Throws PARSE_ERROR for the place.
  [[noreturn]] void fail(size_t offset, const std::string& message) const;

  /// Throws "expected <what>, found <next token>"; `hint` follows.
  [[noreturn]] void fail_expected(const std::string& what, const std::string& hint = "");

  /// Line number (from 1) of a place.
  size_t line_of(size_t offset) const noexcept;

 private:
  std::string found() noexcept;
  void escape(std::string& out, size_t start);
  void code_escape(std::string& out, size_t start);
  void string_body(std::string& out, size_t start);
  void special(Number& number, size_t start);
  void digits(const char* what, size_t start);
  bool is_special_word(std::string_view word) const noexcept;

  std::string_view text_;
  std::string_view source_;
  size_t at_ = 0;
};

}  // namespace text
}  // namespace ge_ir
