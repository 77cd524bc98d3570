// Attributes and descriptors: native structs to the plain forms of the binding contract, and back.
#pragma once

#include <cstdint>
#include <vector>

#include "native/items.h"
#include "native/text.h"

namespace ge::native {

// (kind, value) of an attribute that was read.
nb::object plain_attribute(const ge_ir_attr& attr);

// An attribute to be set, with the memory it points to.
class AttributeIn {
 public:
  AttributeIn(std::uint32_t kind, nb::handle value);
  const ge_ir_attr* get() const noexcept { return &attr_; }

 private:
  void set_list(std::uint32_t kind, nb::handle value);
  void set_joined(nb::handle items, bool texts);
  void set_bytes(nb::handle value, const char* what);

  ge_ir_attr attr_{};
  nb::object kept_;
  std::vector<char> bytes_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> offsets_;
};

// The plain descriptor: a tuple of nine.
nb::object plain_desc(const ge_ir_desc& desc);

// A descriptor to be set, with the memory it points to.
class DescIn {
 public:
  explicit DescIn(nb::handle item);
  const ge_ir_desc* get() const noexcept { return &desc_; }

 private:
  ge_ir_desc desc_{};
  std::vector<std::int64_t> dims_, origin_dims_;
  std::vector<std::uint32_t> symbols_;
  nb::object kept_;
};

// The ints of a sequence.
std::vector<std::int64_t> to_int64s(nb::handle sequence);
std::vector<std::uint64_t> to_uint64s(nb::handle sequence);

// A tuple of ints.
nb::object int_tuple(const std::int64_t* values, std::uint64_t count);

}  // namespace ge::native
