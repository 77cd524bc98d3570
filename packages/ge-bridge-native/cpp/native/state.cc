#include "native/state.h"

namespace ge::native {

State& state() noexcept {
  static auto* kept = new State;  // never destroyed: objects may outlive static storage
  return *kept;
}

void store(PyObject*& place, nb::handle value) noexcept {
  PyObject* old = place;
  Py_XINCREF(value.ptr());
  place = value.ptr();
  Py_XDECREF(old);
}

}  // namespace ge::native
