// Text and bytes between Python and the table.
#pragma once

#include <cstdint>

#include "native/state.h"

namespace ge::native {

// A str of UTF-8 bytes; bytes that are not UTF-8 become surrogate escapes.
nb::object new_text(const char* data, std::uint64_t size);

// A str, or bytes if they are not UTF-8.
nb::object new_text_or_bytes(const char* data, std::uint64_t size);

// A bytes object.
nb::object new_bytes(const void* data, std::uint64_t size);

// UTF-8 of a str (surrogate escapes become bytes again), or the bytes of a bytes object; valid while this lives.
class Utf8 {
 public:
  // TypeError, naming `what`, if the object is no str (or, with `allow_bytes`, bytes).
  Utf8(nb::handle object, const char* what, bool allow_bytes = false);
  const char* data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }

 private:
  nb::object encoded_;
  const char* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// Symbols, cached both ways: a symbol never changes its text.
std::uint32_t symbol(nb::handle text);
nb::object symbol_text(std::uint32_t number);

// An index argument: TypeError unless it is an int; status OUT_OF_RANGE for a number that no index can be.
std::uint32_t to_index(nb::handle object);

}  // namespace ge::native
