// The C++ part of the Python objects: a handle, what keeps it valid, and who releases it.
#pragma once

#include <cstdint>

#include "native/state.h"

namespace ge::native {

// What graph and node objects share. `owner` is never null: None where there is no owner.
struct Item {
  std::uint64_t handle = 0;
  nb::object owner = nb::none();
};

// A graph; `owns` says that this object releases it.
struct GraphItem : Item {
  GraphItem() = default;
  GraphItem(const GraphItem&) = delete;
  GraphItem& operator=(const GraphItem&) = delete;
  ~GraphItem();
  bool owns = false;
};

// A node; its owner is a graph object.
struct NodeItem : Item {};

// A constant; `owns` says that this object holds a reference.
struct TensorItem : Item {
  TensorItem() = default;
  TensorItem(const TensorItem&) = delete;
  TensorItem& operator=(const TensorItem&) = delete;
  ~TensorItem();
  bool owns = false;
};

// The graph item of an object that is a graph, else null.
GraphItem* as_graph(nb::handle object) noexcept;

// Object that keeps alive what is reached from an item; raises EXPIRED if that graph object has no handle.
nb::handle home(NodeItem& node);
nb::handle home(GraphItem& graph);

// New objects of the registered classes. wrap_graph gives `owner` itself where it stands for that graph.
nb::object wrap_node(std::uint64_t handle, nb::handle owner);
nb::object wrap_graph(std::uint64_t handle, nb::handle owner);
nb::object new_graph(nb::handle type, std::uint64_t handle, nb::handle owner, bool owns);
nb::object wrap_tensor(std::uint64_t handle);
nb::object adopt_tensor(nb::handle type, std::uint64_t handle);

// Handle of a node object or, for None, 0; TypeError for anything else.
std::uint64_t node_handle(nb::handle object);

// Type slots of equality (same handle, not 0) and hash (of the handle).
PyObject* compare_items(PyObject* self, PyObject* other, int operation) noexcept;
Py_hash_t hash_item(PyObject* self) noexcept;

// Adds a classmethod; nanobind has static methods only. `function` takes the class first.
template <class Function, class... Extra>
void def_classmethod(nb::handle cls, const char* name, Function&& function, const Extra&... extra) {
  nb::object made = nb::cpp_function(std::forward<Function>(function), nb::name(name), extra...);
  nb::setattr(cls, name, nb::steal(PyClassMethod_New(made.ptr())));
}

}  // namespace ge::native
