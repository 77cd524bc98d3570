#include "native/errors.h"

#include <cstdarg>
#include <string>

#include "native/text.h"

namespace ge::native {
namespace {

[[noreturn]] void raise_made(std::int32_t status, nb::object message, const char* slot) {
  PyObject* factory = state().error_factory;
  if (factory == nullptr) {
    raise(PyExc_RuntimeError, "%s: status %d: %U", slot, static_cast<int>(status), message.ptr());
  }
  nb::object made = nb::handle(factory)(status, message, slot);
  if (!PyExceptionInstance_Check(made.ptr())) {
    raise(PyExc_TypeError, "the error factory must make exceptions, found %R", made.ptr());
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  propagate();
}

}  // namespace

void raise(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  propagate();
}

void fail(std::int32_t status, const ge_error& error, const char* slot, nb::handle item, std::uint64_t handle) {
  if (item.is_valid() && handle == 0) fail_expired(item, slot);
  const std::string text = abi::error_text(error);
  raise_made(status, new_text(text.data(), text.size()), slot);
}

void fail_expired(nb::handle item, const char* slot) {
  const std::string name = Py_TYPE(item.ptr())->tp_name;
  const std::string text = name.substr(name.rfind('.') + 1) + " has expired";
  raise_made(GE_STATUS_EXPIRED, new_text(text.data(), text.size()), slot);
}

void fail_index(nb::handle number) {
  nb::object text = nb::steal(
      PyUnicode_FromFormat("index must be 0 to %lu, found %S", static_cast<unsigned long>(UINT32_MAX), number.ptr()));
  if (!text.is_valid()) propagate();
  raise_made(GE_STATUS_OUT_OF_RANGE, text, "");
}

}  // namespace ge::native
