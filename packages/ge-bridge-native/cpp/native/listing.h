// Results of slots that list handles: into buffers that a thread keeps, then into Python lists.
#pragma once

#include <cstdint>
#include <vector>

#include "native/errors.h"
#include "native/items.h"

namespace ge::native {

// Buffers of a thread; used and read within one call, never across one that may come back here.
struct Listing {
  std::vector<std::uint64_t> handles = std::vector<std::uint64_t>(64);
  std::vector<std::uint32_t> numbers = std::vector<std::uint32_t>(64);
  void grow(std::uint64_t count) {
    handles.resize(count);
    numbers.resize(count);
  }
};

inline Listing& listing() {
  static thread_local Listing kept;
  return kept;
}

// Handles that `slot(arguments..., buffer)` lists.
template <class T, class Slot, class... Args>
std::vector<std::uint64_t> read_handles(T& item, Slot slot, const char* name, Args... args) {
  Listing& room = listing();
  std::uint64_t count = 0;
  ErrorBlock error;
  std::int32_t status = slot(args..., room.handles.data(), room.handles.size(), &count, &error.block);
  if (status == GE_STATUS_BUFFER_TOO_SMALL) {
    room.grow(count);
    status = slot(args..., room.handles.data(), room.handles.size(), &count, &error.block);
  }
  if (status != GE_STATUS_OK) fail(status, error.block, name, nb::find(item), item.handle);
  return {room.handles.begin(), room.handles.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Python list of node objects.
inline nb::object node_list(const std::vector<std::uint64_t>& handles, nb::handle owner) {
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(handles.size())));
  if (!list.is_valid()) propagate();
  for (std::size_t i = 0; i < handles.size(); ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), wrap_node(handles[i], owner).release().ptr());
  }
  return list;
}

// (node, number), or None for handle 0.
inline nb::object node_pair(std::uint64_t handle, std::uint32_t number, nb::handle owner) {
  if (handle == 0) return nb::none();
  nb::object pair = nb::steal(PyTuple_New(2));
  if (!pair.is_valid()) propagate();
  PyTuple_SET_ITEM(pair.ptr(), 0, wrap_node(handle, owner).release().ptr());
  PyTuple_SET_ITEM(pair.ptr(), 1, PyLong_FromUnsignedLong(number));
  return pair;
}

// Python list of (node, number) that `slot(arguments..., handles, numbers)` lists.
template <class T, class Slot, class... Args>
nb::object read_pairs(T& item, nb::handle owner, Slot slot, const char* name, Args... args) {
  Listing& room = listing();
  std::uint64_t count = 0, numbers = 0;
  ErrorBlock error;
  const auto ask = [&] {
    return slot(args..., room.handles.data(), room.handles.size(), &count, room.numbers.data(), room.numbers.size(),
                &numbers, &error.block);
  };
  std::int32_t status = ask();
  if (status == GE_STATUS_BUFFER_TOO_SMALL) {
    room.grow(count);
    status = ask();
  }
  if (status != GE_STATUS_OK) fail(status, error.block, name, nb::find(item), item.handle);
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(count)));
  if (!list.is_valid()) propagate();
  for (std::uint64_t i = 0; i < count; ++i) {
    // Making a node runs no user code, so the buffers stay as they are.
    nb::object pair = node_pair(room.handles[i], room.numbers[i], owner);
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), pair.release().ptr());
  }
  return list;
}

}  // namespace ge::native
