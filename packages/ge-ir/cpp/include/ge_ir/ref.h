// Intrusive reference to an immutable shared block (descriptors, attribute payloads).
#pragma once

#include <utility>

namespace ge_ir {

/// T must offer retain() and release() noexcept.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  /// Takes over one reference.
  explicit Ref(T* taken) noexcept : pointer_(taken) {}
  Ref(const Ref& other) noexcept : pointer_(other.pointer_) {
    if (pointer_ != nullptr) pointer_->retain();
  }
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~Ref() {
    if (pointer_ != nullptr) pointer_->release();
  }
  T* get() const noexcept { return pointer_; }
  T* operator->() const noexcept { return pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  /// Gives the reference away as a bare pointer.
  T* detach() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  T* pointer_ = nullptr;
};

}  // namespace ge_ir
