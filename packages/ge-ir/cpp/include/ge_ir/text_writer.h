#pragma once

/* Writing of types, attribute values and constants. */

#include <cstdint>
#include <string>

#include "ge_ir/text_client.h"
#include "ge_ir/text_tables.h"

namespace ge_ir {
namespace text {

/// True if two descriptors say the same.
bool same_desc(const ge_ir_desc& a, const ge_ir_desc& b) noexcept;

/// True if a descriptor says nothing at all.
bool is_unset(const ge_ir_desc& desc) noexcept;

/// Appends types, attribute values and constants to a text.
class ValueWriter {
 public:
  ValueWriter(std::string& out, uint32_t flags) noexcept : out_(out), flags_(flags) {}

  /// float32[N, 4]@NCHW origin([1, 2]@NHWC) type "..."
  void type(const ge_ir_desc& desc);

  /// One attribute value of any kind.
  void attribute(const ge_ir_attr& value);

  /// float32[2, 2]([1.0, 2.0], [3.0, 4.0])
  void tensor(Handle tensor);

  bool elides() const noexcept { return (flags_ & GE_IR_PRINT_FLAGS_ELIDE) != 0; }

 private:
  void shape(uint32_t rank_kind, const int64_t* dims, const uint32_t* symbols, uint64_t count);
  void dim(int64_t size, uint32_t symbol);
  void dtype(int32_t value);
  void format(int32_t value);
  void origin(const ge_ir_desc& desc);
  void kind(int64_t value);
  void string(const ge_ir_attr& value);
  void list(const ge_ir_attr& value);
  void list_item(const ge_ir_attr& value, uint64_t i);
  void int_list(const int64_t* items, uint64_t count);
  void more_items(uint64_t count);
  void tensor_data(const Dtype& dtype, const ge_ir_tensor_info& info);
  void strings(const ge_ir_tensor_info& info);
  void rows(const Dtype& dtype, const ge_ir_tensor_info& info, uint64_t axis, uint64_t first, uint64_t count);
  bool is_fill(const Dtype& dtype, const ge_ir_tensor_info& info) const;
  uint64_t shown(uint64_t count) const noexcept;

  std::string& out_;
  uint32_t flags_;
};

}  // namespace text
}  // namespace ge_ir
