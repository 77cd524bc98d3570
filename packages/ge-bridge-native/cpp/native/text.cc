#include "native/text.h"

#include <vector>

#include "native/errors.h"

namespace ge::native {
namespace {

struct Symbols {
  std::vector<PyObject*> texts;  // by symbol; null where not asked for yet
  PyObject* numbers = nullptr;   // dict: text to symbol
};

Symbols& symbols() {
  static auto* kept = new Symbols;  // never destroyed, like the symbols of the library
  if (kept->numbers == nullptr) kept->numbers = PyDict_New();
  return *kept;
}

void remember(std::uint32_t number, nb::handle text) {
  Symbols& known = symbols();
  if (known.texts.size() <= number) known.texts.resize(number + 1, nullptr);
  if (known.texts[number] == nullptr) {
    Py_INCREF(text.ptr());
    known.texts[number] = text.ptr();
  }
  nb::object value = nb::steal(PyLong_FromUnsignedLong(number));
  if (PyDict_SetItem(known.numbers, text.ptr(), value.ptr()) != 0) propagate();
}

}  // namespace

nb::object new_text(const char* data, std::uint64_t size) {
  PyObject* text = PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), "surrogateescape");
  if (text == nullptr) propagate();
  return nb::steal(text);
}

nb::object new_text_or_bytes(const char* data, std::uint64_t size) {
  PyObject* text = PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), nullptr);
  if (text != nullptr) return nb::steal(text);
  if (PyErr_ExceptionMatches(PyExc_UnicodeDecodeError) == 0) propagate();
  PyErr_Clear();
  return new_bytes(data, size);
}

nb::object new_bytes(const void* data, std::uint64_t size) {
  PyObject* bytes = PyBytes_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(size));
  if (bytes == nullptr) propagate();
  return nb::steal(bytes);
}

Utf8::Utf8(nb::handle object, const char* what, bool allow_bytes) {
  Py_ssize_t size = 0;
  if (allow_bytes && PyBytes_Check(object.ptr())) {
    encoded_ = nb::borrow(object);
  } else if (!PyUnicode_Check(object.ptr())) {
    raise(PyExc_TypeError, "%s must be str, found %s: %R", what, Py_TYPE(object.ptr())->tp_name, object.ptr());
  } else {
    data_ = PyUnicode_AsUTF8AndSize(object.ptr(), &size);  // cached in the str
    if (data_ != nullptr) {
      encoded_ = nb::borrow(object);
      size_ = static_cast<std::uint64_t>(size);
      return;
    }
    PyErr_Clear();
    encoded_ = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
    if (!encoded_.is_valid()) propagate();
  }
  char* data = nullptr;
  if (PyBytes_AsStringAndSize(encoded_.ptr(), &data, &size) != 0) propagate();
  data_ = data;
  size_ = static_cast<std::uint64_t>(size);
}

std::uint32_t symbol(nb::handle text) {
  const Utf8 utf8(text, "symbol text");
  PyObject* known = PyDict_GetItemWithError(symbols().numbers, text.ptr());
  if (known != nullptr) return static_cast<std::uint32_t>(PyLong_AsUnsignedLong(known));
  if (PyErr_Occurred() != nullptr) propagate();
  std::uint32_t number = 0;
  ErrorBlock error;
  const std::int32_t status = ir().symbol_intern(utf8.data(), utf8.size(), &number, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "symbol_intern");
  remember(number, text);
  return number;
}

nb::object symbol_text(std::uint32_t number) {
  const Symbols& known = symbols();
  if (number < known.texts.size() && known.texts[number] != nullptr) return nb::borrow(known.texts[number]);
  const char* data = nullptr;
  std::uint64_t size = 0;
  ErrorBlock error;
  const std::int32_t status = ir().symbol_text(number, &data, &size, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "symbol_text");
  nb::object text = new_text(data, size);
  remember(number, text);
  return text;
}

std::uint32_t to_index(nb::handle object) {
  if (PyBool_Check(object.ptr()) || PyIndex_Check(object.ptr()) == 0) {
    raise(PyExc_TypeError, "index must be int, found %s: %R", Py_TYPE(object.ptr())->tp_name, object.ptr());
  }
  int overflow = 0;
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) propagate();
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || value < 0 || value > static_cast<long long>(UINT32_MAX)) fail_index(number);
  return static_cast<std::uint32_t>(value);
}

}  // namespace ge::native
