// MatchBase: the primitive face of a match, as ge.passes uses it; over the ge_passes table.
#include <string>

#include "ge_passes_stubs.h"
#include "native/classes.h"
#include "native/errors.h"
#include "native/items.h"
#include "native/listing.h"
#include "native/text.h"

namespace ge::native {
namespace {

using namespace nb::literals;

constexpr std::uint32_t kNodeHandle = GE_HANDLE_TYPE_NODE;

// Raw pointers, for the reason given at State.
struct PassState {
  abi::Table<ge_passes_api> passes;
  std::uint64_t getter = 0;
  PyObject* match_type = nullptr;
  PyObject* error_factory = nullptr;
};

PassState& pass_state() noexcept {
  static auto* kept = new PassState;
  return *kept;
}

const ge_passes_api& passes() noexcept { return *pass_state().passes; }

// A match; `root` stands for the root graph and keeps the nodes valid, `graph` for the graph of the match. Both are
// made when they are first needed and end with the match.
struct MatchItem {
  std::uint64_t handle = 0;
  nb::object root, graph;
};

// As fail() of errors.h, with the exceptions of ge.passes.
[[noreturn]] void fail_pass(std::int32_t status, const ge_error& error, const char* slot) {
  const std::string text = abi::error_text(error);
  nb::object made = nb::handle(pass_state().error_factory)(status, new_text(text.data(), text.size()), slot);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  propagate();
}

std::uint64_t live(MatchItem& self) {
  if (self.handle != 0) return self.handle;
  ErrorBlock error;
  fail_pass(GE_STATUS_EXPIRED, error.block, "");
}

template <class Slot, class... Args>
void call_pass(Slot slot, const char* name, Args... args) {
  ErrorBlock error;
  const std::int32_t status = slot(args..., &error.block);
  if (status != GE_STATUS_OK) fail_pass(status, error.block, name);
}

// Handle of the root above a graph.
std::uint64_t root_of(std::uint64_t graph) {
  while (true) {
    std::uint64_t owner = 0, size = 0;
    const char* key = nullptr;
    ErrorBlock error;
    std::int32_t status = ir().graph_owner(graph, &owner, &key, &size, &error.block);
    if (status == GE_STATUS_OK && owner == 0) return graph;
    if (status == GE_STATUS_OK && GE_HANDLE_TYPE(owner) == kNodeHandle) {
      status = ir().node_graph(owner, &graph, &error.block);
    } else {
      graph = owner;
    }
    if (status != GE_STATUS_OK) fail(status, error.block, "graph_owner");
  }
}

nb::handle root(MatchItem& self) {
  if (self.root.is_valid()) return self.root;
  std::uint64_t graph = 0;
  call_pass(passes().match_graph, "match_graph", live(self), &graph);
  const std::uint64_t root = root_of(graph);
  self.root = new_graph(state().graph_type, root, nb::none(), false);
  self.graph = graph == root ? self.root : new_graph(state().graph_type, graph, self.root, false);
  return self.root;
}

void end(nb::object& graph) noexcept {
  GraphItem* item = graph.is_valid() ? as_graph(graph) : nullptr;
  if (item != nullptr) item->handle = 0;
}

void expire(MatchItem& self) {
  self.handle = 0;
  end(self.graph);
  end(self.root);
}

nb::object graph(MatchItem& self) {
  live(self);
  root(self);
  return self.graph;
}

nb::object nodes(MatchItem& self) {
  const std::uint64_t match = live(self);
  Listing& room = listing();
  std::uint64_t count = 0;
  ErrorBlock error;
  std::int32_t status = passes().match_nodes(match, room.handles.data(), room.handles.size(), &count, &error.block);
  if (status == GE_STATUS_BUFFER_TOO_SMALL) {
    room.grow(count);
    status = passes().match_nodes(match, room.handles.data(), room.handles.size(), &count, &error.block);
  }
  if (status != GE_STATUS_OK) fail_pass(status, error.block, "match_nodes");
  const std::vector<std::uint64_t> handles(room.handles.begin(),
                                           room.handles.begin() + static_cast<std::ptrdiff_t>(count));
  return node_list(handles, root(self));
}

nb::object captured(MatchItem& self, std::uint32_t index) {
  std::uint64_t node = 0;
  std::uint32_t output = 0;
  call_pass(passes().match_captured, "match_captured", live(self), index, &node, &output);
  return node_pair(node, output, root(self));
}

nb::object inputs(MatchItem& self) {
  const std::uint64_t match = live(self);
  const nb::handle owner = root(self);
  Listing& room = listing();
  std::uint64_t count = 0, numbers = 0;
  ErrorBlock error;
  const auto ask = [&] {
    return passes().match_inputs(match, room.handles.data(), room.handles.size(), &count, room.numbers.data(),
                                 room.numbers.size(), &numbers, &error.block);
  };
  std::int32_t status = ask();
  if (status == GE_STATUS_BUFFER_TOO_SMALL) {
    room.grow(count);
    status = ask();
  }
  if (status != GE_STATUS_OK) fail_pass(status, error.block, "match_inputs");
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(count)));
  if (!list.is_valid()) propagate();
  for (std::uint64_t i = 0; i < count; ++i) {
    nb::object pair = node_pair(room.handles[i], room.numbers[i], owner);
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), pair.release().ptr());
  }
  return list;
}

nb::object pattern_name(MatchItem& self) {
  std::uint64_t pattern = 0, size = 0;
  const char* text = nullptr;
  call_pass(passes().match_pattern, "match_pattern", live(self), &pattern, &text, &size);
  return new_text(text, size);
}

nb::object make(nb::handle, std::uint64_t handle) {
  nb::object made = nb::inst_alloc(pass_state().match_type);
  (new (nb::inst_ptr<MatchItem>(made)) MatchItem)->handle = handle;
  nb::inst_mark_ready(made);
  return made;
}

void bind_passes(std::uint64_t getter_address, nb::type_object match, nb::object error_factory) {
  PassState& kept = pass_state();
  if (kept.getter != getter_address) {
    if (kept.passes.bound()) raise(PyExc_RuntimeError, "_ge_pass_native is already bound to another libge_passes");
    try {
      kept.passes.bind(reinterpret_cast<ge_abi_getter>(getter_address));
    } catch (const abi::Failure& failure) {
      raise(failure.status == GE_STATUS_ABI_MISMATCH ? PyExc_ImportError : PyExc_ValueError, "%s", failure.what());
    }
    kept.getter = getter_address;
  }
  const nb::handle base = nb::type<MatchItem>();
  if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(match.ptr()), reinterpret_cast<PyTypeObject*>(base.ptr())) ==
      0) {
    raise(PyExc_TypeError, "%R does not derive from %R", match.ptr(), base.ptr());
  }
  store(kept.match_type, match);
  store(kept.error_factory, error_factory);
}

}  // namespace

void bind_match(nb::module_& module) {
  nb::class_<MatchItem> cls(module, "MatchBase", "Primitive face of a match.");
  def_classmethod(cls, "_make", &make, "cls"_a, "handle"_a);
  cls.def_ro("_match", &MatchItem::handle)
      .def("_expire", &expire)
      .def("_graph", &graph)
      .def("_nodes", &nodes)
      .def("_captured", &captured, "index"_a)
      .def("_inputs", &inputs)
      .def("_pattern_name", &pattern_name);
  module.def("bind_passes", &bind_passes, "getter_address"_a, "match"_a, "error_factory"_a,
             "Binds the ge_passes table, and sets the class of matches and what makes the exception of (status, "
             "message, slot).");
}

}  // namespace ge::native
