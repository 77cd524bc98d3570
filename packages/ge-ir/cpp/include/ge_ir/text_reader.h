#pragma once

/* Reading of types, attribute values and constants. */

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ge_ir/text_client.h"
#include "ge_ir/text_cursor.h"

namespace ge_ir {
namespace text {

/// A shape as written.
struct Shape {
  uint32_t rank_kind = GE_IR_RANK_KIND_UNSET;
  std::vector<int64_t> dims;
  std::vector<uint32_t> symbols;  ///< empty: no dimension has one
};

/// A type as written; says nothing at first.
struct Type {
  int32_t dtype = GE_IR_DTYPE_UNDEFINED;
  int32_t format = 2;
  int32_t origin_format = 2;
  Shape shape;
  Shape origin;
  std::string text;
  bool has_text = false;

  /// The descriptor, with pointers into this object.
  ge_ir_desc desc() const noexcept;
};

/// A constant that has been read: its tensor and the type that it implies.
struct Constant {
  TensorGuard tensor;
  Type type;
};

/// An attribute value with everything that its ge_ir_attr points to.
struct AttrValue {
  ge_ir_attr attr{};
  std::string bytes;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<uint8_t> bools;
  std::vector<int32_t> dtypes;
  std::vector<uint64_t> offsets;
  std::vector<TensorGuard> tensors;
  std::vector<uint64_t> handles;
};

/// Runs `body`; what the store refuses becomes a PARSE_ERROR at the place in the text.
template <class Body>
auto located(const Cursor& cursor, size_t offset, Body&& body) {
  try {
    return body();
  } catch (const abi::Failure& failure) {
    const bool is_of_text = failure.status == GE_STATUS_PARSE_ERROR;
    const bool is_of_library = failure.status == GE_STATUS_NO_MEMORY || failure.status == GE_STATUS_SHUTDOWN ||
                               failure.status == GE_STATUS_INTERNAL;
    if (is_of_text || is_of_library) throw;
    cursor.fail(offset, failure.what());
  }
}

/// Reads values at a cursor.
class ValueReader {
 public:
  explicit ValueReader(Cursor& cursor) noexcept : cursor_(cursor) {}

  /// True if an element type is next: what starts a constant where an operator could stand.
  bool is_dtype() noexcept;

  /// A type: float32[N, 4]@NCHW, ?, type "seq(...)".
  Type type();

  /// A constant: float32[2](1.0, 2.0).
  Constant constant();

  /// An attribute value of any kind.
  void attribute(AttrValue& value);

  /// Symbol of a text, remembered.
  uint32_t symbol(const std::string& text);

 private:
  int32_t dtype(const char* what);
  Shape shape();
  void dim(Shape& shape);
  int32_t format();
  void origin(Type& type);
  std::string kind();
  void word_value(AttrValue& value);
  void number_value(AttrValue& value);
  void dtype_or_tensor(AttrValue& value);
  void reference(AttrValue& value);
  void bytes_value(AttrValue& value, uint32_t kind, std::string bytes);
  void list(AttrValue& value, size_t start);
  void empty_list(AttrValue& value, size_t start);
  void list_item(AttrValue& value, uint32_t kind);
  void int_list(AttrValue& value);
  void finish_list(AttrValue& value, uint32_t kind);
  uint32_t item_kind();
  Constant constant_data(Type type, size_t start);
  void elements(const Type& type, const Dtype& dtype, uint64_t count, std::string& data);
  void element(const Dtype& dtype, uint64_t index, std::string& data);
  void component(const Dtype& dtype, uint64_t index, std::string& data);
  void nested(const Type& type, const Dtype& dtype, size_t axis, uint64_t& next, std::string& data);
  void fill(const Dtype& dtype, uint64_t count, std::string& data, size_t start);
  Constant string_constant(Type type, uint64_t count, size_t start);
  Constant make_constant(Type type, const std::string& data, const std::vector<uint64_t>* offsets, size_t start);
  uint64_t element_count(const Type& type, size_t start);
  [[noreturn]] void fail_count(uint64_t expected, uint64_t found, const char* what);

  Cursor& cursor_;
  std::unordered_map<std::string, uint32_t> symbols_;
};

}  // namespace text
}  // namespace ge_ir
