#include "ge_ir/text_tables.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ge_ir_api.h"

namespace ge_ir {
namespace text {
namespace {

constexpr Dtype number(int32_t value, const char* name, Coding coding, uint8_t bits) {
  return Dtype{value, name, coding, bits, 0, 0, Specials::kIeee};
}

constexpr Dtype mini(int32_t value, const char* name, uint8_t bits, uint8_t exponent, int16_t bias, Specials specials) {
  return Dtype{value, name, Coding::kFloat, bits, exponent, bias, specials};
}

constexpr Dtype kDtypes[] = {
    number(GE_IR_DTYPE_FLOAT, "float32", Coding::kFloat, 32),
    mini(GE_IR_DTYPE_FLOAT16, "float16", 16, 5, 15, Specials::kIeee),
    number(GE_IR_DTYPE_INT8, "int8", Coding::kSigned, 8),
    number(GE_IR_DTYPE_INT32, "int32", Coding::kSigned, 32),
    number(GE_IR_DTYPE_UINT8, "uint8", Coding::kUnsigned, 8),
    number(GE_IR_DTYPE_INT16, "int16", Coding::kSigned, 16),
    number(GE_IR_DTYPE_UINT16, "uint16", Coding::kUnsigned, 16),
    number(GE_IR_DTYPE_UINT32, "uint32", Coding::kUnsigned, 32),
    number(GE_IR_DTYPE_INT64, "int64", Coding::kSigned, 64),
    number(GE_IR_DTYPE_UINT64, "uint64", Coding::kUnsigned, 64),
    number(GE_IR_DTYPE_DOUBLE, "float64", Coding::kFloat, 64),
    number(GE_IR_DTYPE_BOOL, "bool", Coding::kBool, 8),
    number(GE_IR_DTYPE_STRING, "string", Coding::kString, 0),
    number(GE_IR_DTYPE_DUAL_SUB_INT8, "dual_sub_int8", Coding::kRaw, 0),
    number(GE_IR_DTYPE_DUAL_SUB_UINT8, "dual_sub_uint8", Coding::kRaw, 0),
    number(GE_IR_DTYPE_COMPLEX64, "complex64", Coding::kComplex, 64),
    number(GE_IR_DTYPE_COMPLEX128, "complex128", Coding::kComplex, 128),
    number(GE_IR_DTYPE_QINT8, "qint8", Coding::kSigned, 8),
    number(GE_IR_DTYPE_QINT16, "qint16", Coding::kSigned, 16),
    number(GE_IR_DTYPE_QINT32, "qint32", Coding::kSigned, 32),
    number(GE_IR_DTYPE_QUINT8, "quint8", Coding::kUnsigned, 8),
    number(GE_IR_DTYPE_QUINT16, "quint16", Coding::kUnsigned, 16),
    number(GE_IR_DTYPE_RESOURCE, "resource", Coding::kRaw, 0),
    number(GE_IR_DTYPE_STRING_REF, "string_ref", Coding::kRaw, 0),
    number(GE_IR_DTYPE_DUAL, "dual", Coding::kRaw, 0),
    number(GE_IR_DTYPE_VARIANT, "variant", Coding::kRaw, 0),
    mini(GE_IR_DTYPE_BF16, "bfloat16", 16, 8, 127, Specials::kIeee),
    number(GE_IR_DTYPE_UNDEFINED, "undefined", Coding::kRaw, 0),
    number(GE_IR_DTYPE_INT4, "int4", Coding::kSigned, 4),
    number(GE_IR_DTYPE_UINT1, "uint1", Coding::kUnsigned, 1),
    number(GE_IR_DTYPE_INT2, "int2", Coding::kSigned, 2),
    number(GE_IR_DTYPE_UINT2, "uint2", Coding::kUnsigned, 2),
    number(GE_IR_DTYPE_COMPLEX32, "complex32", Coding::kComplex, 32),
    number(GE_IR_DTYPE_HIFLOAT8, "hifloat8", Coding::kRaw, 8),
    mini(GE_IR_DTYPE_FLOAT8_E5M2, "float8_e5m2", 8, 5, 15, Specials::kIeee),
    mini(GE_IR_DTYPE_FLOAT8_E4M3FN, "float8_e4m3fn", 8, 4, 7, Specials::kFn),
    mini(GE_IR_DTYPE_FLOAT8_E8M0, "float8_e8m0", 8, 8, 127, Specials::kE8M0),
    number(GE_IR_DTYPE_FLOAT6_E3M2, "float6_e3m2", Coding::kRaw, 6),
    number(GE_IR_DTYPE_FLOAT6_E2M3, "float6_e2m3", Coding::kRaw, 6),
    mini(GE_IR_DTYPE_FLOAT4_E2M1, "float4_e2m1", 4, 2, 1, Specials::kNone),
    number(GE_IR_DTYPE_FLOAT4_E1M2, "float4_e1m2", Coding::kRaw, 4),
    number(GE_IR_DTYPE_HIFLOAT4, "hifloat4", Coding::kRaw, 4),
    number(GE_IR_DTYPE_UINT4, "uint4", Coding::kUnsigned, 4),
    mini(GE_IR_DTYPE_FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", 8, 4, 8, Specials::kFnuz),
    mini(GE_IR_DTYPE_FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", 8, 5, 16, Specials::kFnuz),
};

struct NamedNumber {
  int32_t value;
  const char* name;
};

constexpr NamedNumber kFormats[] = {{0, "NCHW"},   {1, "NHWC"},   {2, "ND"},    {16, "HWCN"},
                                    {27, "NDHWC"}, {30, "NCDHW"}, {31, "DHWCN"}};

constexpr NamedNumber kKinds[] = {
    {GE_IR_ATTR_KIND_NONE, "none"},
    {GE_IR_ATTR_KIND_INT, "int"},
    {GE_IR_ATTR_KIND_FLOAT, "float"},
    {GE_IR_ATTR_KIND_STRING, "string"},
    {GE_IR_ATTR_KIND_BOOL, "bool"},
    {GE_IR_ATTR_KIND_DTYPE, "dtype"},
    {GE_IR_ATTR_KIND_TENSOR, "tensor"},
    {GE_IR_ATTR_KIND_BYTES, "bytes"},
    {GE_IR_ATTR_KIND_TYPE, "type"},
    {GE_IR_ATTR_KIND_REFERENCE, "ref"},
    {GE_IR_ATTR_KIND_FLOAT32, "float32"},
    {GE_IR_ATTR_KIND_LIST_INT, "[int]"},
    {GE_IR_ATTR_KIND_LIST_FLOAT, "[float]"},
    {GE_IR_ATTR_KIND_LIST_STRING, "[string]"},
    {GE_IR_ATTR_KIND_LIST_BOOL, "[bool]"},
    {GE_IR_ATTR_KIND_LIST_DTYPE, "[dtype]"},
    {GE_IR_ATTR_KIND_LIST_TENSOR, "[tensor]"},
    {GE_IR_ATTR_KIND_LIST_TYPE, "[type]"},
    {GE_IR_ATTR_KIND_LIST_LIST_INT, "[[int]]"},
    {GE_IR_ATTR_KIND_LIST_FLOAT32, "[float32]"},
};

/// Short names that people write, and ours.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"float", "float32"}, {"double", "float64"}, {"half", "float16"}, {"f32", "float32"},  {"f64", "float64"},
    {"f16", "float16"},   {"bf16", "bfloat16"},  {"fp16", "float16"}, {"fp32", "float32"}, {"i8", "int8"},
    {"i16", "int16"},     {"i32", "int32"},      {"i64", "int64"},    {"int", "int64"},    {"u8", "uint8"},
    {"boolean", "bool"},  {"str", "string"},     {"char", "int8"},    {"byte", "uint8"},   {"long", "int64"},
};

template <class Table, class Value>
const char* name_in(const Table& table, Value value) noexcept {
  for (const auto& row : table) {
    if (row.value == value) return row.name;
  }
  return nullptr;
}

template <class Table>
int32_t value_in(const Table& table, std::string_view name) noexcept {
  for (const auto& row : table) {
    if (name == row.name) return row.value;
  }
  return -1;
}

template <class Table>
std::vector<std::string_view> names_in(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

/// Edits (insert, delete, replace, swap of neighbours) from one word to another; words are cut at 32 bytes.
size_t distance(std::string_view a, std::string_view b) noexcept {
  constexpr size_t kLongest = 32;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::array<std::array<size_t, kLongest + 1>, kLongest + 1> edits{};
  for (size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

const Dtype* dtype_of(int32_t value) noexcept {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.value == value) return &dtype;
  }
  return nullptr;
}

const Dtype* dtype_named(std::string_view name) noexcept {
  for (const Dtype& dtype : kDtypes) {
    if (name == dtype.name) return &dtype;
  }
  return nullptr;
}

const char* format_name(int32_t value) noexcept { return name_in(kFormats, value); }
int32_t format_named(std::string_view name) noexcept { return value_in(kFormats, name); }
const char* kind_name(int64_t value) noexcept { return name_in(kKinds, value); }
int64_t kind_named(std::string_view name) noexcept { return value_in(kKinds, name); }

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const size_t near = word.size() <= 3 ? 1 : word.size() <= 6 ? 2 : 3;
  size_t best = near + 1;
  std::string_view match;
  for (std::string_view candidate : candidates) {
    const size_t edits = distance(word, candidate);
    if (edits < best) {
      best = edits;
      match = candidate;
    }
  }
  return match.empty() ? std::string() : " (did you mean '" + std::string(match) + "'?)";
}

std::string did_you_mean_dtype(std::string_view word) {
  for (const auto& alias : kAliases) {
    if (word == alias.first) return " (did you mean '" + std::string(alias.second) + "'?)";
  }
  return did_you_mean(word, dtype_names());
}

std::vector<std::string_view> dtype_names() { return names_in(kDtypes); }
std::vector<std::string_view> format_names() { return names_in(kFormats); }
std::vector<std::string_view> kind_names() { return names_in(kKinds); }

}  // namespace text
}  // namespace ge_ir
