#include <algorithm>

#include "ge_ir/text.h"
#include "ge_ir/text_elements.h"
#include "ge_ir/text_reader.h"
#include "ge_ir/text_tables.h"

/* The part of ValueReader that reads constants. */

namespace ge_ir {
namespace text {

Constant ValueReader::constant() {
  const size_t start = cursor_.here();
  Type type;
  type.dtype = dtype("a constant, which starts with an element type");
  type.shape = shape();
  if (type.shape.rank_kind == GE_IR_RANK_KIND_UNKNOWN) cursor_.fail(start, "a constant needs a known shape, found [*]");
  type.shape.rank_kind = GE_IR_RANK_KIND_KNOWN;
  if (cursor_.accept('@')) type.format = format();
  cursor_.expect('(', "'(' and the elements of a constant");
  Constant constant = constant_data(std::move(type), start);
  cursor_.expect(')', "',' or ')' after an element");
  return constant;
}

uint64_t ValueReader::element_count(const Type& type, size_t start) {
  if (!type.shape.symbols.empty()) cursor_.fail(start, "a constant has no symbolic dimensions");
  uint64_t count = 1;
  bool is_empty = false;
  for (const int64_t dim : type.shape.dims) {
    if (dim < 0)
      cursor_.fail(start, "a constant needs sizes of at least 0, found " + (dim == -1 ? "'?'" : std::to_string(dim)));
    is_empty = is_empty || dim == 0;
  }
  if (is_empty) return 0;
  for (const int64_t dim : type.shape.dims) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count)) {
      cursor_.fail(start, "the shape of this constant has more than 2^64 elements");
    }
  }
  return count;
}

void ValueReader::fail_count(uint64_t expected, uint64_t found, const char* what) {
  cursor_.fail_expected(std::to_string(expected) + " " + what + ", which the shape asks for",
                        " after " + std::to_string(found));
}

Constant ValueReader::constant_data(Type type, size_t start) {
  const Dtype& dtype = *dtype_of(type.dtype);
  const uint64_t count = element_count(type, start);
  if (dtype.coding == Coding::kString && cursor_.peek_word() != "hex")
    return string_constant(std::move(type), count, start);
  std::string data;
  if (cursor_.accept_word("hex")) {
    data = cursor_.hex("'\"' after 'hex'");
  } else if (dtype.coding == Coding::kRaw) {
    if (count != 0)
      cursor_.fail_expected(std::string("hex\"...\": elements of ") + dtype.name + " have no readable form");
  } else if (cursor_.accept_word("fill")) {
    fill(dtype, count, data, start);
  } else {
    elements(type, dtype, count, data);
  }
  return make_constant(std::move(type), data, nullptr, start);
}

/// The room is made as the elements are read, so that a big shape with few elements claims no memory.
void ValueReader::elements(const Type& type, const Dtype& dtype, uint64_t count, std::string& data) {
  uint64_t next = 0;
  if (cursor_.peek() == '[' && type.shape.dims.size() > 1) {
    nested(type, dtype, 0, next, data);
    return;
  }
  while (cursor_.peek() != ')') {
    if (next != 0) {
      cursor_.expect(',', "',' or ')' after an element");
      if (cursor_.peek() == ')') break;
    }
    if (next == count) fail_count(count, next, "elements");
    element(dtype, next++, data);
  }
  if (next != count) fail_count(count, next, "elements");
}

/// The rows along `axis`, each in brackets, the brackets of the axis itself being the caller's.
void ValueReader::nested(const Type& type, const Dtype& dtype, size_t axis, uint64_t& next, std::string& data) {
  if (axis >= kMaxDepth)
    cursor_.fail(cursor_.here(), "brackets stand more than " + std::to_string(kMaxDepth) + " deep");
  const auto rows = static_cast<uint64_t>(type.shape.dims[axis]);
  const bool is_last = axis + 1 == type.shape.dims.size();
  for (uint64_t i = 0; i < rows; ++i) {
    if (i != 0 && !cursor_.accept(',')) fail_count(rows, i, is_last ? "elements in this row" : "rows");
    if (is_last) {
      if (cursor_.peek() == ']') fail_count(rows, i, "elements in this row");
      element(dtype, next++, data);
      continue;
    }
    cursor_.expect('[', "'[' and the elements of a row");
    nested(type, dtype, axis + 1, next, data);
    cursor_.expect(']', "']' after the elements of a row");
  }
}

void ValueReader::component(const Dtype& dtype, uint64_t index, std::string& data) {
  const size_t start = cursor_.here();
  uint64_t bits = 0;
  if (dtype.coding == Coding::kBool) {
    const std::string_view word = cursor_.peek_word();
    if (word != "true" && word != "false")
      cursor_.fail_expected("true or false", did_you_mean(word, {"true", "false"}));
    cursor_.accept_word(word);
    bits = word == "true" ? 1 : 0;
  } else {
    const Number number = cursor_.number("a number");
    if (number.has_suffix) cursor_.fail(start, std::string("elements have no suffix 'f': their type is ") + dtype.name);
    const std::string problem = encode_number(dtype, number, &bits);
    if (!problem.empty()) cursor_.fail(start, problem);
  }
  data.resize(packed_bytes(dtype, index + 1), '\0');
  store_bits(reinterpret_cast<unsigned char*>(&data[0]), dtype.bits, index, bits);
}

void ValueReader::element(const Dtype& dtype, uint64_t index, std::string& data) {
  if (dtype.coding != Coding::kComplex) return component(dtype, index, data);
  const Dtype part = component_of(dtype);
  cursor_.expect('(', "'(' and the real part of a complex number");
  component(part, 2 * index, data);
  cursor_.expect(',', "',' and the imaginary part of a complex number");
  component(part, 2 * index + 1, data);
  cursor_.expect(')', "')' after the imaginary part of a complex number");
}

void ValueReader::fill(const Dtype& dtype, uint64_t count, std::string& data, size_t start) {
  element(dtype, 0, data);
  if (count == 0) cursor_.fail(start, "'fill' needs a constant with elements");
  if (count > kMaxFillBytes || packed_bytes(dtype, count) > kMaxFillBytes) {
    cursor_.fail(start, "'fill' makes at most " + std::to_string(kMaxFillBytes) + " bytes");
  }
  const size_t step = data.size();
  const uint64_t bits =
      dtype.bits < 8 ? load_bits(reinterpret_cast<const unsigned char*>(data.data()), dtype.bits, 0) : 0;
  data.resize(packed_bytes(dtype, count), '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(&data[0]);
  if (dtype.bits < 8) {
    for (uint64_t i = 1; i < count; ++i) store_bits(bytes, dtype.bits, i, bits);
  } else {
    for (size_t done = step; done < data.size(); done += step) std::copy(bytes, bytes + step, bytes + done);
  }
}

Constant ValueReader::string_constant(Type type, uint64_t count, size_t start) {
  std::string data;
  std::vector<uint64_t> offsets{0};
  while (cursor_.peek() != ')') {
    if (offsets.size() > 1) {
      cursor_.expect(',', "',' or ')' after a string");
      if (cursor_.peek() == ')') break;
    }
    if (offsets.size() > count) fail_count(count, count, "strings");
    data += cursor_.quoted("a string");
    offsets.push_back(data.size());
  }
  if (offsets.size() != count + 1) fail_count(count, offsets.size() - 1, "strings");
  return make_constant(std::move(type), data, &offsets, start);
}

Constant ValueReader::make_constant(Type type, const std::string& data, const std::vector<uint64_t>* offsets,
                                    size_t start) {
  ge_ir_tensor_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dtype = type.dtype;
  spec.format = type.format;
  spec.dims = type.shape.dims.empty() ? nullptr : type.shape.dims.data();
  spec.dim_count = type.shape.dims.size();
  spec.data = data.empty() ? nullptr : data.data();
  spec.size = data.size();
  spec.offsets = offsets == nullptr ? nullptr : offsets->data();
  TensorGuard tensor(located(cursor_, start, [&] { return tensor_create(spec); }));
  return Constant{std::move(tensor), std::move(type)};
}

}  // namespace text
}  // namespace ge_ir
