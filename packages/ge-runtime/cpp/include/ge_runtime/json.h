// A strict JSON reader for manifests: small inputs that may be hostile.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge::runtime {

// Malformed JSON: what() says what was expected or found and at which byte.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One JSON value. Numbers are integers: manifests have no others, and a fraction is refused.
class Json {
 public:
  enum class Kind { kNull, kBool, kInteger, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string string;
  std::vector<Json> items;                           // kArray
  std::vector<std::pair<std::string, Json>> fields;  // kObject, in order

  // The field of that name, or null.
  const Json* find(std::string_view name) const;

  // Name of a kind for messages: "a string", "an object".
  static const char* describe(Kind kind);

  // Parses one whole document: UTF-8 without a byte order mark, no duplicate keys, nesting at most 16.
  static Json parse(std::string_view text);
};

// `text` as a JSON string literal with quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace ge::runtime
