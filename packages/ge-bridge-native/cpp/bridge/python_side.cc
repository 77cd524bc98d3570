#include "bridge/python_side.h"

#include <nanobind/nanobind.h>

#include "ge_abi_support.hpp"

namespace ge::bridge {
namespace {

namespace nb = nanobind;
using abi::Failure;

std::string utf8(PyObject* text) {
  Py_ssize_t size = 0;
  const char* data = text != nullptr ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
  if (data != nullptr) return {data, static_cast<std::size_t>(size)};
  PyErr_Clear();
  // Lone surrogates in a message are shown escaped.
  nb::object bytes =
      nb::steal(text != nullptr ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : nullptr);
  if (bytes.is_valid())
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
  PyErr_Clear();
  return "a text that is no UTF-8";
}

// The pending Python exception as an object with its traceback; clears it.
nb::object take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return nb::steal(PyErr_GetRaisedException());
#else
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return nb::steal(value);
#endif
}

std::string item_text(PyObject* dict, const char* key) {
  PyObject* item = PyDict_GetItemString(dict, key);
  if (item == nullptr || !PyUnicode_Check(item)) {
    throw Failure(GE_STATUS_INTERNAL, std::string("the Python side gave a pass without '") + key + "'");
  }
  return utf8(item);
}

PassDescription description(PyObject* dict) {
  if (!PyDict_Check(dict)) throw Failure(GE_STATUS_INTERNAL, "the Python side gave a pass that is no dict");
  PassDescription found{item_text(dict, "pass_name"),
                        item_text(dict, "descriptor_key"),
                        item_text(dict, "stage"),
                        item_text(dict, "kind"),
                        {}};
  PyObject* types = PyDict_GetItemString(dict, "op_types");
  for (Py_ssize_t i = 0; types != nullptr && i < PyList_Size(types); ++i)
    found.op_types.push_back(utf8(PyList_GET_ITEM(types, i)));
  return found;
}

void drop(PyObject*& place) noexcept {
  PyObject* old = place;
  place = nullptr;
  Py_XDECREF(old);
}

}  // namespace

PyObject* PythonSide::find(const char* name) { return checked(PyObject_GetAttrString(module_, name)); }

void PythonSide::load() {
  if (loaded()) return;
  module_ = PyImport_ImportModule("ge.passes._bridge");
  if (module_ == nullptr) fail();
  try {
    run_ = find("run_fusion_base_pass");
    meet_ = find("call_meet_requirements");
    replacement_ = find("call_replacement");
  } catch (...) {
    unload();
    throw;
  }
}

void PythonSide::unload() noexcept {
  drop(run_);
  drop(meet_);
  drop(replacement_);
  drop(module_);
}

void PythonSide::fail() {
  nb::object raised = take_exception();
  if (!raised.is_valid()) throw Failure(GE_STATUS_INTERNAL, "Python failed without an exception");
  nb::object text;
  if (module_ != nullptr) text = nb::steal(PyObject_CallMethod(module_, "describe_failure", "O", raised.ptr()));
  if (!text.is_valid()) {
    PyErr_Clear();
    nb::object what = nb::steal(PyObject_Str(raised.ptr()));
    throw Failure(GE_STATUS_CALLBACK_FAILED, std::string(Py_TYPE(raised.ptr())->tp_name) + ": " + utf8(what.ptr()));
  }
  throw Failure(GE_STATUS_CALLBACK_FAILED, utf8(text.ptr()));
}

PyObject* PythonSide::checked(PyObject* result) {
  if (result == nullptr) fail();
  return result;
}

PyObject* PythonSide::call(PyObject* function, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  PyObject* arguments[4] = {nullptr, PyLong_FromUnsignedLongLong(a), PyLong_FromUnsignedLongLong(b),
                            PyLong_FromUnsignedLongLong(c)};
  PyObject* result = nullptr;
  if (arguments[1] != nullptr && arguments[2] != nullptr && arguments[3] != nullptr) {
    result = PyObject_Vectorcall(function, arguments + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  }
  for (int i = 1; i < 4; ++i) Py_XDECREF(arguments[i]);
  return checked(result);
}

void PythonSide::check_libraries(std::uint64_t ir_getter, std::uint64_t passes_getter) {
  Py_DECREF(checked(PyObject_CallMethod(module_, "check_libraries", "KK", static_cast<unsigned long long>(ir_getter),
                                        static_cast<unsigned long long>(passes_getter))));
}

std::vector<PassDescription> PythonSide::descriptions(bool strict) {
  nb::object list = nb::steal(
      checked(PyObject_CallMethod(module_, "load_and_get_pass_descriptors", "O", strict ? Py_True : Py_False)));
  std::vector<PassDescription> found;
  const Py_ssize_t count = PyList_Size(list.ptr());
  if (count < 0) fail();
  for (Py_ssize_t i = 0; i < count; ++i) found.push_back(description(PyList_GET_ITEM(list.ptr(), i)));
  return found;
}

std::string PythonSide::report() {
  nb::object text = nb::steal(checked(PyObject_CallMethod(module_, "discovery_report", nullptr)));
  return utf8(text.ptr());
}

void PythonSide::create(std::uint64_t instance, const std::string& key) {
  nb::object text = nb::steal(checked(PyUnicode_FromStringAndSize(key.data(), static_cast<Py_ssize_t>(key.size()))));
  Py_DECREF(checked(
      PyObject_CallMethod(module_, "create_pass_holder", "KO", static_cast<unsigned long long>(instance), text.ptr())));
}

void PythonSide::destroy(std::uint64_t instance) noexcept {
  PyObject* done = PyObject_CallMethod(module_, "destroy_pass_holder", "K", static_cast<unsigned long long>(instance));
  if (done == nullptr) PyErr_WriteUnraisable(module_);  // a destructor of the user; nobody to tell
  Py_XDECREF(done);
}

void PythonSide::run(std::uint64_t instance, std::uint64_t graph, std::uint64_t context) {
  Py_DECREF(call(run_, instance, graph, context));
}

std::vector<std::uint64_t> PythonSide::patterns(std::uint64_t instance) {
  nb::object list = nb::steal(
      checked(PyObject_CallMethod(module_, "get_pass_patterns", "K", static_cast<unsigned long long>(instance))));
  std::vector<std::uint64_t> handles;
  const Py_ssize_t count = PyList_Size(list.ptr());
  if (count < 0) fail();
  for (Py_ssize_t i = 0; i < count; ++i) handles.push_back(PyLong_AsUnsignedLongLong(PyList_GET_ITEM(list.ptr(), i)));
  if (PyErr_Occurred() != nullptr) fail();
  return handles;
}

bool PythonSide::meet(std::uint64_t instance, std::uint64_t subject, std::uint64_t context) {
  PyObject* result = call(meet_, instance, subject, context);
  const bool accepted = result == Py_True;
  Py_DECREF(result);
  return accepted;
}

std::uint64_t PythonSide::replacement(std::uint64_t instance, std::uint64_t subject, std::uint64_t context) {
  nb::object result = nb::steal(call(replacement_, instance, subject, context));
  const std::uint64_t graph = PyLong_AsUnsignedLongLong(result.ptr());
  if (PyErr_Occurred() != nullptr) fail();
  return graph;
}

void PythonSide::clear() {
  Py_DECREF(checked(PyObject_CallMethod(module_, "clear_pass_holders", nullptr)));
  Py_DECREF(checked(PyObject_CallMethod(module_, "clear_loaded_pass_modules", nullptr)));
}

}  // namespace ge::bridge
