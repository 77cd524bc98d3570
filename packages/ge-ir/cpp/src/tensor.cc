#include "ge_ir/tensor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

#include "ge_ir/desc.h"
#include "ge_ir/failure.h"
#include "ge_ir_slots.h"

namespace ge_ir {
namespace {

std::atomic<uint64_t> heap_bytes{0};

/// Closes a descriptor at the end of a scope.
struct FileDescriptor {
  int number;
  ~FileDescriptor() {
    if (number >= 0) ::close(number);
  }
};

std::string shape_text(const std::vector<int64_t>& dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size() && i < 16; ++i) detail::append(out, cat(i == 0 ? "" : ",", dims[i]));
  return out + (dims.size() > 16 ? ",...]" : "]");
}

[[noreturn]] void io_failure(std::string_view path, uint64_t offset, uint64_t wanted, std::string_view reason) {
  fail(GE_STATUS_IO_ERROR, "cannot map ", wanted, " bytes at offset ", offset, " of ", quoted(path), ": ", reason);
}

uint64_t open_and_measure(FileDescriptor& file, std::string_view path, uint64_t offset, uint64_t wanted) {
  // O_NONBLOCK: opening a FIFO must fail the check below, not wait for a writer.
  file.number = ::open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.number < 0) io_failure(path, offset, wanted, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number, &status) != 0) io_failure(path, offset, wanted, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) io_failure(path, offset, wanted, "it is not a regular file");
  const uint64_t present = static_cast<uint64_t>(status.st_size);
  if (offset > present || wanted > present - offset) {
    io_failure(path, offset, wanted, cat("the file has ", present, " bytes"));
  }
  return present;
}

}  // namespace

TensorTable& tensors() noexcept {
  // Initialised by the compiler and never destroyed: usable before main() and while the process ends.
  static TensorTable table;
  static_assert(std::is_trivially_destructible_v<TensorTable>);
  return table;
}

uint64_t tensor_heap_bytes() noexcept { return heap_bytes.load(std::memory_order_relaxed); }

bool release_tensor(uint64_t handle) noexcept {
  Tensor* last = nullptr;
  const bool live = tensors().release(handle, &last);
  delete last;
  return live;
}

void Tensor::describe(const ge_ir_tensor_spec& spec) {
  ge_ir_dtype_require(spec.dtype, "spec.dtype");
  if (spec.flags != 0) fail(GE_STATUS_INVALID_ARGUMENT, "spec.flags is ", spec.flags, "; must be 0");
  if (spec.dim_count > kMaxRank) {
    fail(GE_STATUS_OUT_OF_RANGE, "spec.dims has ", spec.dim_count, " dimensions; at most ", kMaxRank);
  }
  const auto dims = ge::abi::view(spec.dims, spec.dim_count, "spec.dims");
  dims_.assign(dims.begin(), dims.end());
  dtype_ = spec.dtype;
  format_ = spec.format;
  bool empty = false;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] < 0) {
      fail(GE_STATUS_INVALID_ARGUMENT, "dimension ", uint64_t{i}, " of a constant is ", dims_[i],
           "; expected a size of at least 0");
    }
    empty = empty || dims_[i] == 0;
  }
  element_count_ = empty ? 0 : 1;
  for (size_t i = 0; i < dims_.size() && !empty; ++i) {
    if (__builtin_mul_overflow(element_count_, static_cast<uint64_t>(dims_[i]), &element_count_)) {
      fail(GE_STATUS_OUT_OF_RANGE, "shape ", shape_text(dims_), " has more elements than 64 bits can count");
    }
  }
}

void Tensor::check_size(const ge_ir_tensor_spec& spec) const {
  const uint32_t bits = dtype_bits(dtype_);
  if (bits == 0) {
    fail(GE_STATUS_INVALID_ARGUMENT, "a constant cannot have element type ", ge_ir_dtype_name(dtype_),
         ", whose elements have no fixed size");
  }
  uint64_t total = 0;
  if (__builtin_mul_overflow(element_count_, uint64_t{bits}, &total) || total > UINT64_MAX - 7) {
    fail(GE_STATUS_OUT_OF_RANGE, "shape ", shape_text(dims_), " of ", ge_ir_dtype_name(dtype_),
         " needs more bytes than memory has");
  }
  const uint64_t expected = (total + 7) / 8;
  if (spec.size != expected) {
    fail(GE_STATUS_INVALID_ARGUMENT, "expected ", expected, " bytes for shape ", shape_text(dims_), " of ",
         ge_ir_dtype_name(dtype_), ", found ", spec.size);
  }
  if (spec.offsets != nullptr) {
    fail(GE_STATUS_INVALID_ARGUMENT, "spec.offsets is for STRING, found it with ", ge_ir_dtype_name(dtype_));
  }
}

void Tensor::take_offsets(const ge_ir_tensor_spec& spec) {
  if (element_count_ > static_cast<uint64_t>(PTRDIFF_MAX) / 8 - 1) throw std::bad_alloc();
  const auto offsets = ge::abi::view(spec.offsets, element_count_ + 1, "spec.offsets");
  if (offsets[0] != 0) fail(GE_STATUS_INVALID_ARGUMENT, "spec.offsets[0] is ", offsets[0], "; expected 0");
  for (uint64_t i = 0; i < element_count_; ++i) {
    if (offsets[i + 1] < offsets[i]) {
      fail(GE_STATUS_INVALID_ARGUMENT, "spec.offsets[", i + 1, "] is ", offsets[i + 1], ", below spec.offsets[", i,
           "] = ", offsets[i]);
    }
  }
  if (offsets[element_count_] != spec.size) {
    fail(GE_STATUS_INVALID_ARGUMENT, "the last of spec.offsets is ", offsets[element_count_], ", but spec.size is ",
         spec.size);
  }
  offsets_.assign(offsets.begin(), offsets.end());
}

void Tensor::copy_bytes(const void* data) {
  if (size_ == 0) return;
  heap_ = static_cast<uint8_t*>(std::malloc(size_));
  if (heap_ == nullptr) throw std::bad_alloc();
  std::memcpy(heap_, data, size_);
  heap_bytes.fetch_add(size_, std::memory_order_relaxed);
  data_ = heap_;
}

std::unique_ptr<Tensor> Tensor::create(const ge_ir_tensor_spec& spec) {
  std::unique_ptr<Tensor> tensor(new Tensor);
  tensor->describe(spec);
  if (spec.dtype == GE_IR_DTYPE_STRING) {
    tensor->take_offsets(spec);
  } else {
    tensor->check_size(spec);
  }
  const auto bytes = ge::abi::bytes(spec.data, spec.size, "spec.data");
  tensor->size_ = spec.size;
  if (spec.drop != nullptr) {
    tensor->data_ = bytes.data();
    tensor->drop_ = spec.drop;
    tensor->user_ = const_cast<void*>(spec.user);
  } else {
    tensor->copy_bytes(bytes.data());
  }
  return tensor;
}

std::unique_ptr<Tensor> Tensor::map_file(std::string_view path, uint64_t offset, const ge_ir_tensor_spec& spec) {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    fail(GE_STATUS_INVALID_ARGUMENT, "path is ", quoted(path), "; expected a file path without NUL bytes");
  }
  if (spec.data != nullptr || spec.drop != nullptr) {
    fail(GE_STATUS_INVALID_ARGUMENT, "spec.data and spec.drop must be null: the bytes come from the file");
  }
  std::unique_ptr<Tensor> tensor(new Tensor);
  tensor->describe(spec);
  if (spec.dtype == GE_IR_DTYPE_STRING) {
    fail(GE_STATUS_INVALID_ARGUMENT, "a STRING constant cannot be mapped from a file");
  }
  tensor->check_size(spec);
  FileDescriptor file{-1};
  open_and_measure(file, path, offset, spec.size);
  tensor->size_ = spec.size;
  if (spec.size == 0) return tensor;
  const uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t lead = offset % page;  // the kernel maps whole pages; the tensor starts `lead` bytes in
  const size_t length = static_cast<size_t>(spec.size + lead);
  void* mapping = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.number, static_cast<off_t>(offset - lead));
  if (mapping == MAP_FAILED) io_failure(path, offset, spec.size, std::strerror(errno));
  tensor->mapping_ = mapping;
  tensor->mapping_bytes_ = length;
  tensor->data_ = static_cast<const uint8_t*>(mapping) + lead;
  return tensor;
}

Tensor::~Tensor() {
  if (heap_ != nullptr) {
    std::free(heap_);
    heap_bytes.fetch_sub(size_, std::memory_order_relaxed);
  }
  if (mapping_ != nullptr) ::munmap(mapping_, mapping_bytes_);
  if (drop_ != nullptr) drop_(user_);
}

void Tensor::fill(ge_ir_tensor_info& info) const noexcept {
  info.dtype = dtype_;
  info.format = format_;
  info.mapped = mapping_ != nullptr ? 1 : 0;
  info.dims = dims_.empty() ? nullptr : dims_.data();
  info.dim_count = dims_.size();
  info.element_count = element_count_;
  info.data = data_;
  info.size = size_;
  info.offsets = offsets_.empty() ? nullptr : offsets_.data();
}

}  // namespace ge_ir
