// A 16-byte owning byte string: up to 12 bytes in place, longer ones on the heap. Node and value names.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace ge_ir {

class alignas(8) SmallString {
 public:
  SmallString() noexcept = default;
  /// Copies a text of at most 4 GiB - 1 bytes (callers limit names far below).
  explicit SmallString(std::string_view text) {
    char* target = bytes_.head;
    if (text.size() > kInline) {
      target = static_cast<char*>(std::malloc(text.size()));
      if (target == nullptr) throw std::bad_alloc();
      bytes_.far.pointer = target;
    }
    size_ = static_cast<uint32_t>(text.size());
    if (!text.empty()) std::memcpy(target, text.data(), text.size());
  }
  SmallString(SmallString&& other) noexcept : size_(other.size_), bytes_(other.bytes_) { other.size_ = 0; }
  SmallString& operator=(SmallString&& other) noexcept {
    swap(other);
    return *this;
  }
  SmallString(const SmallString&) = delete;
  SmallString& operator=(const SmallString&) = delete;
  ~SmallString() {
    if (size_ > kInline) std::free(bytes_.far.pointer);
  }
  /// Exchanges two strings; never fails.
  void swap(SmallString& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }
  /// The text; valid until the string is changed or moved.
  std::string_view view() const noexcept { return {size_ > kInline ? bytes_.far.pointer : bytes_.head, size_}; }

 private:
  static constexpr uint32_t kInline = 12;
  uint32_t size_ = 0;
#pragma pack(push, 4)
  union Bytes {
    char head[kInline];
    struct {
      uint32_t unused;
      char* pointer;
    } far;
  } bytes_ = {};
#pragma pack(pop)
};
static_assert(sizeof(SmallString) == 16);

}  // namespace ge_ir
