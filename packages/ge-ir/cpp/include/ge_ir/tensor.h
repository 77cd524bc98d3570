// Constants: reference-counted, immutable bytes on the heap, borrowed from the caller, or mapped from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ge_ir/ref_table.h"
#include "ge_ir_api.h"

namespace ge_ir {

/// One constant. Destroying it frees, unmaps or calls the drop callback.
class Tensor {
 public:
  /// Checks the spec and copies or borrows its data. When it throws, drop was not and will not be called.
  static std::unique_ptr<Tensor> create(const ge_ir_tensor_spec& spec);
  /// Maps `spec.size` bytes at `offset` of a regular file.
  static std::unique_ptr<Tensor> map_file(std::string_view path, uint64_t offset, const ge_ir_tensor_spec& spec);
  ~Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  /// Fills a caller's struct but for struct_size and reference_count.
  void fill(ge_ir_tensor_info& info) const noexcept;

 private:
  Tensor() = default;
  void describe(const ge_ir_tensor_spec& spec);
  void check_size(const ge_ir_tensor_spec& spec) const;
  void take_offsets(const ge_ir_tensor_spec& spec);
  void copy_bytes(const void* data);

  int32_t dtype_ = 0;
  int32_t format_ = 0;
  std::vector<int64_t> dims_;
  std::vector<uint64_t> offsets_;
  uint64_t element_count_ = 0;
  uint64_t size_ = 0;
  const uint8_t* data_ = nullptr;
  uint8_t* heap_ = nullptr;
  void* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  ge_ir_drop_fn drop_ = nullptr;
  void* user_ = nullptr;
};

using TensorTable = RefTable<Tensor, HandleType::kTensor>;
/// The process's tensors; never destroyed.
TensorTable& tensors() noexcept;
/// Bytes that tensors hold on the heap.
uint64_t tensor_heap_bytes() noexcept;
/// Releases one reference; false for a handle that is not live.
bool release_tensor(uint64_t handle) noexcept;

}  // namespace ge_ir
