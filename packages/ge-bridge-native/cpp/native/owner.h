// What graph and node classes share: identity, attributes, subgraphs.
#pragma once

#include "native/errors.h"
#include "native/items.h"
#include "native/listing.h"
#include "native/values.h"

namespace ge::native {

// Reads the key of a subgraph at its owner.
nb::object subgraph_key(std::uint64_t graph);

// Methods of the contract's AttributeOwner for the item class T.
template <class T>
struct OwnerMethods {
  // (kind, value); with `find`, None for status NOT_FOUND.
  static nb::object attr_read(T& self, std::uint32_t scope, std::uint32_t index, nb::handle key, bool find) {
    home(self);
    const Utf8 text(key, "attribute key");
    ge_ir_attr attr;
    attr.struct_size = sizeof(attr);
    ErrorBlock error;
    const std::int32_t status = ir().attr_get(self.handle, scope, index, text.data(), text.size(), &attr, &error.block);
    if (status == GE_STATUS_OK) return plain_attribute(attr);
    if (find && status == GE_STATUS_NOT_FOUND) return nb::none();
    fail(status, error.block, "attr_get", nb::find(self), self.handle);
  }

  static nb::object attr_get(T& self, std::uint32_t scope, std::uint32_t index, nb::handle key) {
    return attr_read(self, scope, index, key, false);
  }

  static nb::object attr_find(T& self, std::uint32_t scope, std::uint32_t index, nb::handle key) {
    return attr_read(self, scope, index, key, true);
  }

  static void attr_set(T& self, std::uint32_t scope, std::uint32_t index, nb::handle key, std::uint32_t kind,
                       nb::handle value) {
    home(self);
    const Utf8 text(key, "attribute key");
    const AttributeIn attr(kind, value);
    call(self, ir().attr_set, "attr_set", self.handle, scope, index, text.data(), text.size(), attr.get());
  }

  static void attr_remove(T& self, std::uint32_t scope, std::uint32_t index, nb::handle key) {
    home(self);
    const Utf8 text(key, "attribute key");
    call(self, ir().attr_remove, "attr_remove", self.handle, scope, index, text.data(), text.size());
  }

  static nb::object attr_keys(T& self, std::uint32_t scope, std::uint32_t index) {
    home(self);
    Listing& room = listing();
    std::uint64_t count = 0;
    ErrorBlock error;
    const auto ask = [&] {
      return ir().attr_keys(self.handle, scope, index, room.numbers.data(), room.numbers.size(), &count, &error.block);
    };
    std::int32_t status = ask();
    if (status == GE_STATUS_BUFFER_TOO_SMALL) {
      room.grow(count);
      status = ask();
    }
    if (status != GE_STATUS_OK) fail(status, error.block, "attr_keys", nb::find(self), self.handle);
    nb::list keys;
    for (std::uint64_t i = 0; i < count; ++i) keys.append(symbol_text(room.numbers[i]));
    return keys;
  }

  static nb::object subgraphs(T& self) {
    const nb::object owner = nb::borrow(home(self));
    nb::list found;
    for (const std::uint64_t graph : read_handles(self, ir().subgraph_list, "subgraph_list", self.handle)) {
      found.append(nb::make_tuple(subgraph_key(graph), wrap_graph(graph, owner)));
    }
    return found;
  }

  static nb::object subgraph(T& self, nb::handle key) {
    const nb::object owner = nb::borrow(home(self));
    const Utf8 text(key, "subgraph key");
    std::uint64_t child = 0;
    ErrorBlock error;
    const std::int32_t status = ir().subgraph_get(self.handle, text.data(), text.size(), &child, &error.block);
    if (status == GE_STATUS_NOT_FOUND) return nb::none();
    if (status != GE_STATUS_OK) fail(status, error.block, "subgraph_get", nb::find(self), self.handle);
    return wrap_graph(child, owner);
  }

  static void attach(T& self, nb::handle key, GraphItem& child) {
    home(self);
    const Utf8 text(key, "subgraph key");
    call(self, ir().subgraph_attach, "subgraph_attach", self.handle, text.data(), text.size(), child.handle);
  }

  static std::uint64_t detach(T& self, nb::handle key) {
    home(self);
    const Utf8 text(key, "subgraph key");
    std::uint64_t child = 0;
    call(self, ir().subgraph_detach, "subgraph_detach", self.handle, text.data(), text.size(), &child);
    return child;
  }

  // Adds everything above and the attributes `_handle` and `_owner`.
  static void bind(nb::class_<T>& cls) {
    using namespace nb::literals;
    cls.def_rw("_handle", &T::handle)
        .def_prop_rw(
            "_owner", [](T& self) { return self.owner; },
            [](T& self, nb::object owner) { self.owner = std::move(owner); }, nb::for_setter(nb::arg("owner").none()))
        .def("_attr_get", &attr_get, "scope"_a, "index"_a, "key"_a)
        .def("_attr_find", &attr_find, "scope"_a, "index"_a, "key"_a)
        .def("_attr_set", &attr_set, "scope"_a, "index"_a, "key"_a, "kind"_a, "value"_a.none())
        .def("_attr_remove", &attr_remove, "scope"_a, "index"_a, "key"_a)
        .def("_attr_keys", &attr_keys, "scope"_a, "index"_a)
        .def("_subgraphs", &subgraphs)
        .def("_subgraph", &subgraph, "key"_a)
        .def("_attach", &attach, "key"_a, "child"_a)
        .def("_detach", &detach, "key"_a);
  }
};

// Reads a text of an item with `slot(handle, &data, &size)`.
template <class T, class Slot, class... Args>
nb::object read_text(T& self, Slot slot, const char* name, Args... args) {
  home(self);
  const char* data = nullptr;
  std::uint64_t size = 0;
  call(self, slot, name, self.handle, args..., &data, &size);
  return new_text(data, size);
}

}  // namespace ge::native
