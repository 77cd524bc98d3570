#include "ge_runtime/json.h"

#include <limits>

#include "ge_runtime/utf8.h"

namespace ge::runtime {
namespace {

constexpr int kMaxDepth = 16;

// Recursive descent; depth is bounded, so the stack is too.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json document() {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") fail("a byte order mark is not allowed");
    if (const std::size_t bad = first_invalid_utf8(text_); bad != std::string_view::npos) {
      at_ = bad;
      fail("not UTF-8");
    }
    Json value = parse(0);
    space();
    if (at_ != text_.size()) fail("text after the end of the document");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw JsonError(what + " at byte " + std::to_string(at_)); }

  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  char peek() {
    space();
    if (at_ == text_.size()) fail("the document ends too early");
    return text_[at_];
  }

  void expect(char wanted) {
    if (peek() != wanted) fail(std::string("expected '") + wanted + "', found '" + text_[at_] + "'");
    ++at_;
  }

  Json parse(int depth) {
    if (depth > kMaxDepth) fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    switch (peek()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"': {
        Json value;
        value.kind = Json::Kind::kString;
        value.string = string();
        return value;
      }
      case 't':
        return word("true", Json::Kind::kBool, true);
      case 'f':
        return word("false", Json::Kind::kBool, false);
      case 'n':
        return word("null", Json::Kind::kNull, false);
      default:
        return number();
    }
  }

  Json word(std::string_view wanted, Json::Kind kind, bool boolean) {
    if (text_.substr(at_, wanted.size()) != wanted) fail("unknown word");
    at_ += wanted.size();
    Json value;
    value.kind = kind;
    value.boolean = boolean;
    return value;
  }

  Json number() {
    const bool negative = text_[at_] == '-';
    if (negative) ++at_;
    const std::size_t first = at_;
    Json value;
    value.kind = Json::Kind::kInteger;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const int digit = text_[at_] - '0';
      if (value.integer > (std::numeric_limits<std::int64_t>::max() - digit) / 10) fail("number too large");
      value.integer = value.integer * 10 + digit;
    }
    if (at_ == first) fail("expected a value");
    if (text_[first] == '0' && at_ > first + 1) fail("number with a leading zero");
    if (at_ < text_.size() && std::string_view(".eE").find(text_[at_]) != std::string_view::npos) {
      fail("number is not an integer");
    }
    if (negative) value.integer = -value.integer;
    return value;
  }

  unsigned hex4() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      if (c >= '0' && c <= '9')
        code = code * 16 + (c - '0');
      else if (c >= 'a' && c <= 'f')
        code = code * 16 + (c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        code = code * 16 + (c - 'A' + 10);
      else
        fail("expected four hexadecimal digits");
    }
    return code;
  }

  void escape(std::string& out) {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kNames.find(c); i != std::string_view::npos) {
      out.push_back(kValues[i]);
      return;
    }
    if (c != 'u') fail("unknown escape in a string");
    std::uint32_t code = hex4();
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const std::uint32_t low = hex4();
      if (low < 0xdc00 || low > 0xdfff) fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xd800 && code <= 0xdfff) {
      fail("half of a surrogate pair");
    }
    append_utf8(out, code);
  }

  std::string string() {
    expect('"');
    std::string out;
    while (true) {
      if (at_ == text_.size()) fail("string without an end");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("control character in a string");
      if (c == '\\')
        escape(out);
      else
        out.push_back(c);
    }
  }

  Json array(int depth) {
    expect('[');
    Json value;
    value.kind = Json::Kind::kArray;
    if (peek() == ']') {
      ++at_;
      return value;
    }
    while (true) {
      value.items.push_back(parse(depth + 1));
      if (peek() == ']') break;
      expect(',');
    }
    ++at_;
    return value;
  }

  Json object(int depth) {
    expect('{');
    Json value;
    value.kind = Json::Kind::kObject;
    if (peek() == '}') {
      ++at_;
      return value;
    }
    while (true) {
      if (peek() != '"') fail("expected a key");
      std::string key = string();
      if (value.find(key) != nullptr) fail("key \"" + key + "\" appears twice");
      expect(':');
      value.fields.emplace_back(std::move(key), parse(depth + 1));
      if (peek() == '}') break;
      expect(',');
    }
    ++at_;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

const char* Json::describe(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "a boolean";
    case Kind::kInteger:
      return "an integer";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "nothing";
}

Json Json::parse(std::string_view text) { return Parser(text).document(); }

std::string json_quote(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  const std::string clean = valid_utf8(text);
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += "\\u00";
      out.push_back(kDigits[byte >> 4]);
      out.push_back(kDigits[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
  return out;
}

}  // namespace ge::runtime
