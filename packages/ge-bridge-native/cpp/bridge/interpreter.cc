#include "bridge/interpreter.h"

#include <nanobind/nanobind.h>

#include <cstdio>
#include <cstring>

#include "ge_abi_support.hpp"

namespace ge::bridge {
namespace {

namespace nb = nanobind;
using abi::Failure;

PyThreadState* g_started = nullptr;  // of the thread that started the interpreter; see finish_interpreter

#ifdef Py_GIL_DISABLED
constexpr bool kFreeThreaded = true;
#else
constexpr bool kFreeThreaded = false;
#endif

std::string status_text(const PyStatus& status) {
  std::string text = status.func != nullptr ? std::string(status.func) + ": " : std::string();
  return text + (status.err_msg != nullptr ? status.err_msg : "exit was asked for");
}

// Sets a text field of the configuration, decoded the way the interpreter does it.
void set_field(PyConfig& config, wchar_t** field, const std::string& text) {
  const PyStatus status = PyConfig_SetBytesString(&config, field, text.c_str());
  if (PyStatus_Exception(status) != 0) {
    const std::string reason = status_text(status);
    PyConfig_Clear(&config);
    throw Failure(GE_STATUS_INVALID_ARGUMENT, "the interpreter's path '" + text + "' is refused: " + reason);
  }
}

PyObject* run_setup(PyObject*, PyObject* module) {
  nb::detail::nb_module_exec(NB_DOMAIN_STR, module);
  Py_RETURN_NONE;
}

PyMethodDef g_setup = {"setup", run_setup, METH_O, nullptr};

}  // namespace

Running running_interpreter() noexcept {
  Running found;
  found.initialized = Py_IsInitialized() != 0;
  std::sscanf(Py_GetVersion(), "%d.%d", &found.major, &found.minor);
  return found;
}

void check_interpreter() {
  const Running found = running_interpreter();
  const bool free_threaded = std::strstr(Py_GetVersion(), "free-threading") != nullptr;
  if (found.major == PY_MAJOR_VERSION && found.minor == PY_MINOR_VERSION && free_threaded == kFreeThreaded) return;
  throw Failure(GE_STATUS_ABI_MISMATCH,
                "this bridge was built for CPython " + std::to_string(PY_MAJOR_VERSION) + "." +
                    std::to_string(PY_MINOR_VERSION) + (kFreeThreaded ? " (free-threaded)" : "") +
                    ", but the process runs CPython " + Py_GetVersion() +
                    "; install the artifact set for that interpreter: pip install --force-reinstall ge-bridge-native");
}

void start_interpreter(const std::string& executable) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;  // they are the host's
  config.parse_argv = 0;
  set_field(config, &config.executable, executable);
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) {
    throw Failure(GE_STATUS_INVALID_STATE,
                  "CPython did not start with executable '" + executable + "': " + status_text(status));
  }
  g_started = PyEval_SaveThread();
}

void finish_interpreter() {
  if (g_started == nullptr || Py_IsInitialized() == 0) return;
  PyEval_RestoreThread(g_started);
  g_started = nullptr;
  if (Py_FinalizeEx() != 0) throw Failure(GE_STATUS_INVALID_STATE, "CPython reported an error while it was finalised");
}

// Called with no Python frame running, nb_module_exec of nanobind 2 crashes on CPython 3.10 and newer: it evaluates
// code in the globals of the current frame. Hence a built-in function that evaluated code calls.
void initialise_nanobind() {
  static bool done_before = false;  // a start that failed later may be tried again
  if (done_before) return;
  nb::object module = nb::steal(PyModule_New("_ge_python_pass_bridge"));
  nb::object setup = nb::steal(PyCFunction_New(&g_setup, nullptr));
  nb::object names = nb::steal(PyDict_New());
  if (!module.is_valid() || !setup.is_valid() || !names.is_valid()) throw std::bad_alloc();
  PyDict_SetItemString(names.ptr(), "__builtins__", PyEval_GetBuiltins());
  PyDict_SetItemString(names.ptr(), "setup", setup.ptr());
  PyDict_SetItemString(names.ptr(), "module", module.ptr());
  nb::object done = nb::steal(PyRun_String("setup(module)", Py_eval_input, names.ptr(), names.ptr()));
  if (!done.is_valid()) nb::raise_python_error();
  done_before = true;
  module.release();  // nanobind's state belongs to it, and lives as long as the process
}

void import_extension(const std::string& path) {
  constexpr const char* name = "_ge_pass_native";
  nb::dict modules = nb::module_::import_("sys").attr("modules");
  if (modules.contains(name)) {
    const std::string present = nb::str(nb::object(modules[name]).attr("__file__")).c_str();
    if (present == path) return;
    throw Failure(GE_STATUS_REFUSED, std::string(name) + " is already loaded from " + present +
                                         "; it cannot be loaded from " + path + " too");
  }
  nb::object loader = nb::module_::import_("importlib.machinery").attr("ExtensionFileLoader")(name, path.c_str());
  nb::module_ util = nb::module_::import_("importlib.util");
  nb::object spec = util.attr("spec_from_file_location")(name, path.c_str(), nb::arg("loader") = loader);
  nb::object module = util.attr("module_from_spec")(spec);
  modules[name] = module;
  try {
    loader.attr("exec_module")(module);
  } catch (nb::python_error&) {
    PyDict_DelItemString(modules.ptr(), name);
    throw;
  }
}

Locked::Locked() : state_(static_cast<int>(PyGILState_Ensure())) {}

Locked::~Locked() { PyGILState_Release(static_cast<PyGILState_STATE>(state_)); }

}  // namespace ge::bridge
