// Slots: tensors.
#include "ge_ir/slot_support.h"
#include "ge_ir/tensor.h"

using namespace ge_ir;

namespace {

void require_tensor_type(uint64_t handle) {
  if (handle_type(handle) == static_cast<uint8_t>(HandleType::kTensor)) return;
  fail(GE_STATUS_WRONG_TYPE, "tensor ", hex(handle), " is a handle of type ", handle_type_name(handle_type(handle)),
       "; expected TENSOR");
}

[[noreturn]] void stale_tensor(uint64_t handle) {
  fail(GE_STATUS_STALE_HANDLE, "tensor ", hex(handle), " was released by its last holder");
}

/// Holds a reference while a tensor is read, so that another thread's release cannot free it meanwhile.
class Pin {
 public:
  explicit Pin(uint64_t handle) : handle_(handle), tensor_(tensors().retain(handle)) {
    if (tensor_ == nullptr) stale_tensor(handle);
  }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() { release_tensor(handle_); }
  const Tensor& get() const noexcept { return *tensor_; }

 private:
  uint64_t handle_;
  const Tensor* tensor_;
};

uint64_t publish(std::unique_ptr<Tensor> tensor) {
  const uint64_t handle = tensors().insert(tensor.get());
  tensor.release();
  return handle;
}

}  // namespace

extern "C" int32_t ge_ir_slot_tensor_create(const ge_ir_tensor_spec* spec, uint64_t* tensor, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    const ge_ir_tensor_spec copy = ge::abi::read_struct(spec, "spec");
    uint64_t& out = ge::abi::require(tensor, "tensor");
    out = publish(Tensor::create(copy));
  });
}

extern "C" int32_t ge_ir_slot_tensor_map_file(const char* path, uint64_t path_size, uint64_t offset,
                                              const ge_ir_tensor_spec* spec, uint64_t* tensor,
                                              ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    const std::string_view file = require_name(path, path_size, "path");
    const ge_ir_tensor_spec copy = ge::abi::read_struct(spec, "spec");
    uint64_t& out = ge::abi::require(tensor, "tensor");
    out = publish(Tensor::map_file(file, offset, copy));
  });
}

extern "C" int32_t ge_ir_slot_tensor_info(uint64_t tensor, ge_ir_tensor_info* info, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_tensor_type(tensor);
    const Pin pin(tensor);
    ge_ir_tensor_info out{};
    pin.get().fill(out);
    out.reference_count = tensors().references(tensor) - 1;  // without the pin
    ge::abi::write_struct(info, out, "info");
  });
}

extern "C" int32_t ge_ir_slot_tensor_retain(uint64_t tensor, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_tensor_type(tensor);
    if (tensors().retain(tensor) == nullptr) stale_tensor(tensor);
  });
}

extern "C" int32_t ge_ir_slot_tensor_release(uint64_t tensor, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_tensor_type(tensor);
    if (!release_tensor(tensor)) stale_tensor(tensor);
  });
}
