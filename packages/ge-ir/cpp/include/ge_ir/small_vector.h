// A vector with N elements in place, for the inputs and outputs of nodes. Never shrinks its storage, so that an undo
// step that grows it back cannot fail.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace ge_ir {

template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  SmallVector() noexcept : data_(inline_data()) {}
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  ~SmallVector() {
    truncate(0);
    if (data_ != inline_data()) std::free(data_);
  }

  uint32_t size() const noexcept { return size_; }
  T& operator[](uint32_t index) noexcept { return data_[index]; }
  const T& operator[](uint32_t index) const noexcept { return data_[index]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

  /// Makes room for `count` elements in all. Throws std::bad_alloc and changes nothing then.
  void reserve(uint32_t count) {
    if (count <= capacity_) return;
    const uint32_t capacity = count < capacity_ * 2 ? capacity_ * 2 : count;
    T* fresh = static_cast<T*>(std::malloc(sizeof(T) * capacity));
    if (fresh == nullptr) throw std::bad_alloc();
    for (uint32_t i = 0; i < size_; ++i) {
      new (fresh + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_ != inline_data()) std::free(data_);
    data_ = fresh;
    capacity_ = capacity;
  }
  /// Appends default elements up to `count`; room must have been reserved.
  void extend(uint32_t count) noexcept {
    while (size_ < count) new (data_ + size_++) T();
  }
  /// Appends one element; room must have been reserved.
  void push(T&& value) noexcept { new (data_ + size_++) T(std::move(value)); }
  /// Drops the elements from `count` on.
  void truncate(uint32_t count) noexcept {
    while (size_ > count) data_[--size_].~T();
  }

 private:
  T* inline_data() noexcept { return reinterpret_cast<T*>(inline_); }

  T* data_;
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) unsigned char inline_[sizeof(T) * N];
};

}  // namespace ge_ir
