// The extension module _ge_pass_native: the primitive layer of ge.graph over the ge_ir table.
#include <cstdio>
#include <cstring>
#include <string>

#include "native/classes.h"
#include "native/errors.h"
#include "native/items.h"
#include "native/text.h"

namespace ge::native {
namespace {

using namespace nb::literals;

void bind_table(std::uint64_t getter_address) {
  State& kept = state();
  if (kept.getter == getter_address && kept.ir.bound()) return;
  if (kept.ir.bound()) {
    raise(PyExc_RuntimeError,
          "_ge_pass_native is bound to the ge_ir_get_api at %p and cannot be bound to the one at %p",
          reinterpret_cast<void*>(kept.getter), reinterpret_cast<void*>(getter_address));
  }
  try {
    kept.ir.bind(reinterpret_cast<ge_abi_getter>(getter_address));
  } catch (const abi::Failure& failure) {
    raise(failure.status == GE_STATUS_ABI_MISMATCH ? PyExc_ImportError : PyExc_ValueError, "%s", failure.what());
  }
  kept.getter = getter_address;
}

void register_types(nb::type_object graph, nb::type_object node, nb::type_object tensor) {
  const nb::handle given[] = {graph, node, tensor};
  const nb::handle bases[] = {nb::type<GraphItem>(), nb::type<NodeItem>(), nb::type<TensorItem>()};
  for (int i = 0; i < 3; ++i) {
    if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(given[i].ptr()),
                         reinterpret_cast<PyTypeObject*>(bases[i].ptr())) == 0) {
      raise(PyExc_TypeError, "%R does not derive from %R", given[i].ptr(), bases[i].ptr());
    }
  }
  store(state().graph_type, graph);
  store(state().node_type, node);
  store(state().tensor_type, tensor);
}

nb::object library_version() {
  const char* text = nullptr;
  std::uint64_t size = 0;
  ErrorBlock error;
  const std::int32_t status = ir().library_version(&text, &size, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "library_version");
  return new_text(text, size);
}

nb::dict library_stats() {
  ge_ir_stats stats{};
  stats.struct_size = sizeof(stats);
  ErrorBlock error;
  const std::int32_t status = ir().library_stats(&stats, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "library_stats");
  nb::dict found;
  found["graphs"] = stats.graphs;
  found["nodes"] = stats.nodes;
  found["tensors"] = stats.tensors;
  found["blobs"] = stats.blobs;
  found["symbols"] = stats.symbols;
  found["tensor_bytes"] = stats.tensor_bytes;
  return found;
}

void bind_functions(nb::module_& module) {
  module.attr("BINDING") = "native";
  module.def("bind", &bind_table, "getter_address"_a, "Binds the ge_ir table, once.");
  module.def("register_types", &register_types, "graph"_a, "node"_a, "tensor"_a,
             "Sets the classes of the objects made here.");
  module.def(
      "register_error", [](nb::handle factory) { store(state().error_factory, factory); }, "factory"_a,
      "Sets what makes the exception of (status, message, slot).");
  module.def("symbol", &symbol, "text"_a, "The symbol of a text.");
  module.def("symbol_text", &symbol_text, "symbol"_a, "The text of a symbol.");
  module.def("library_version", &library_version, "Version text of libge_ir.");
  module.def("library_stats", &library_stats, "Live objects of the process.");
  module.def(
      "getter_address", [] { return state().getter; }, "Address of ge_ir_get_api.");
}

// Why the module must not be executed here; empty if it may.
std::string refusal(nb::module_& module) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    return "_ge_pass_native works in the main interpreter only, not in a sub-interpreter";
  }
  PyObject* earlier = state().module_name;
  if (earlier == nullptr) return {};
  return "_ge_pass_native is already loaded in this process as module '" + std::string(PyUnicode_AsUTF8(earlier)) +
         "'; it cannot be loaded again as '" + nb::str(module.attr("__name__")).c_str() + "'";
}

}  // namespace
}  // namespace ge::native

// Executed by the module definition that PyInit__ge_pass_native hands out.
NB_MODULE(_ge_pass_native_checked, module) {
  const std::string reason = ge::native::refusal(module);
  if (!reason.empty()) throw nanobind::import_error(reason.c_str());
#ifdef NDEBUG
  // Symbols and classes are kept to the end on purpose.
  nanobind::set_leak_warnings(false);
#endif
  module.doc() = "Primitive layer of ge.graph over the ge_ir table; used through ge.graph, never directly.";
  ge::native::bind_graph(module);
  ge::native::bind_node(module);
  ge::native::bind_tensor(module);
  ge::native::bind_match(module);
  ge::native::bind_functions(module);
  ge::native::store(ge::native::state().module_name, module.attr("__name__"));
}

// The interpreter is compared with the one this was built for before anything of nanobind runs.
extern "C" NB_EXPORT PyObject* PyInit__ge_pass_native() {
  char built[16];
  const int length = std::snprintf(built, sizeof(built), "%d.%d.", PY_MAJOR_VERSION, PY_MINOR_VERSION);
  if (std::strncmp(Py_GetVersion(), built, static_cast<std::size_t>(length)) != 0) {
    PyErr_Format(
        PyExc_ImportError,
        "_ge_pass_native was built for CPython %d.%d, but this is CPython %s; install the artifact set for it: "
        "pip install --force-reinstall ge-bridge-native",
        PY_MAJOR_VERSION, PY_MINOR_VERSION, Py_GetVersion());
    return nullptr;
  }
  return PyInit__ge_pass_native_checked();
}
