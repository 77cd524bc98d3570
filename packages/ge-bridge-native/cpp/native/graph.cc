// GraphBase: the primitive face of a graph, as the binding contract of ge.graph states it.
#include "native/classes.h"
#include "native/owner.h"

namespace ge::native {
namespace {

using namespace nb::literals;

nb::object read_blob(std::uint64_t blob) {
  const void* data = nullptr;
  std::uint64_t size = 0;
  ErrorBlock error;
  const std::int32_t status = ir().blob_view(blob, &data, &size, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "blob_view");
  nb::object text = new_text(static_cast<const char*>(data), size);
  ir().blob_release(blob, nullptr);
  return text;
}

// Runs a slot that may take long without the interpreter lock.
template <class Slot, class... Args>
std::int32_t unlocked(ErrorBlock& error, Slot slot, Args... args) {
  nb::gil_scoped_release release;
  return slot(args..., &error.block);
}

nb::object graph_parse(nb::handle cls, nb::handle text, nb::handle source_name) {
  const Utf8 source(text, "text"), name(source_name, "source_name");
  std::uint64_t graph = 0;
  ErrorBlock error;
  const std::int32_t status =
      unlocked(error, ir().graph_parse, source.data(), source.size(), name.data(), name.size(), &graph);
  if (status != GE_STATUS_OK) fail(status, error.block, "graph_parse");
  return new_graph(cls, graph, nb::none(), true);
}

void graph_create(GraphItem& self, nb::handle name) {
  const Utf8 text(name, "graph name");
  std::uint64_t graph = 0;
  ErrorBlock error;
  const std::int32_t status = ir().graph_create(text.data(), text.size(), &graph, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "graph_create");
  self.handle = graph;
  self.owner = nb::none();
  self.owns = true;
}

std::uint64_t graph_release(GraphItem& self) {
  const std::uint64_t handle = self.handle;
  self.handle = 0;
  self.owns = false;
  return handle;
}

nb::object graph_clone(GraphItem& self, nb::handle name) {
  home(self);
  const Utf8 text(name, "name");
  std::uint64_t copy = 0;
  ErrorBlock error;
  const std::int32_t status = unlocked(error, ir().graph_clone, self.handle, text.data(), text.size(), &copy);
  if (status != GE_STATUS_OK) fail(status, error.block, "graph_clone", nb::find(self), self.handle);
  return new_graph(nb::find(self).type(), copy, nb::none(), true);
}

void graph_set_name(GraphItem& self, nb::handle name) {
  const Utf8 text(name, "graph name");
  home(self);
  call(self, ir().graph_set_name, "graph_set_name", self.handle, text.data(), text.size());
}

std::uint64_t graph_version(GraphItem& self) {
  home(self);
  std::uint64_t version = 0;
  call(self, ir().graph_version, "graph_version", self.handle, &version);
  return version;
}

std::uint64_t graph_node_count(GraphItem& self) {
  home(self);
  std::uint64_t count = 0;
  call(self, ir().graph_node_count, "graph_node_count", self.handle, &count);
  return count;
}

nb::object graph_parent(GraphItem& self) {
  home(self);
  std::uint64_t owner = 0, size = 0;
  const char* key = nullptr;
  call(self, ir().graph_owner, "graph_owner", self.handle, &owner, &key, &size);
  return nb::make_tuple(owner, new_text(key, size));
}

nb::object graph_nodes(GraphItem& self, std::uint32_t order) {
  const nb::object owner = nb::borrow(home(self));
  return node_list(read_handles(self, ir().graph_nodes, "graph_nodes", self.handle, order), owner);
}

nb::object graph_find(GraphItem& self, nb::handle name) {
  const nb::object owner = nb::borrow(home(self));
  const Utf8 text(name, "node name");
  std::uint64_t node = 0;
  ErrorBlock error;
  const std::int32_t status = ir().graph_find_node(self.handle, text.data(), text.size(), &node, &error.block);
  if (status == GE_STATUS_NOT_FOUND) return nb::none();
  if (status != GE_STATUS_OK) fail(status, error.block, "graph_find_node", nb::find(self), self.handle);
  return wrap_node(node, owner);
}

void graph_sort(GraphItem& self) {
  home(self);
  call(self, ir().graph_sort, "graph_sort", self.handle);
}

nb::object graph_unique_name(GraphItem& self, nb::handle base) {
  const Utf8 text(base, "base");
  return read_text(self, ir().graph_unique_name, "graph_unique_name", text.data(), text.size());
}

nb::object graph_verify(GraphItem& self) {
  home(self);
  std::uint64_t blob = 0;
  ErrorBlock error;
  const std::int32_t status = unlocked(error, ir().graph_verify, self.handle, &blob);
  if (status != GE_STATUS_OK && status != GE_STATUS_VERIFY_FAILED) {
    fail(status, error.block, "graph_verify", nb::find(self), self.handle);
  }
  nb::object report = read_blob(blob);
  return status == GE_STATUS_OK ? nb::object(nb::str("")) : report;
}

nb::object graph_print(GraphItem& self, std::uint32_t flags) {
  home(self);
  std::uint64_t blob = 0;
  ErrorBlock error;
  const std::int32_t status = unlocked(error, ir().graph_print, self.handle, flags, &blob);
  if (status != GE_STATUS_OK) fail(status, error.block, "graph_print", nb::find(self), self.handle);
  return read_blob(blob);
}

// The inputs of a new node: pairs (node, index) or None.
struct InputsIn {
  explicit InputsIn(nb::handle sequence) {
    for (nb::handle item : nb::steal<nb::object>(PySequence_Fast(sequence.ptr(), "inputs must be a sequence"))) {
      if (item.is_none()) {
        nodes.push_back(0);
        indices.push_back(0);
      } else {
        nodes.push_back(node_handle(nb::object(item[0])));
        indices.push_back(nb::cast<std::uint32_t>(item[1]));
      }
    }
  }
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint32_t> indices;
};

nb::object graph_create_node(GraphItem& self, nb::handle op_type, nb::handle domain, std::int32_t op_version,
                             nb::handle name, nb::handle inputs, std::uint64_t output_count, nb::handle before) {
  const nb::object owner = nb::borrow(home(self));
  const Utf8 text(name, "name");
  const InputsIn values(inputs);
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof(spec);
  spec.type_symbol = symbol(op_type);
  spec.domain_symbol = symbol(domain);
  spec.op_version = op_version;
  spec.name = reinterpret_cast<const std::uint8_t*>(text.data());
  spec.name_size = text.size();
  spec.input_nodes = values.nodes.data();
  spec.input_indices = values.indices.data();
  spec.input_count = values.nodes.size();
  spec.output_count = output_count;
  spec.before = node_handle(before);
  std::uint64_t node = 0;
  call(self, ir().node_create, "node_create", self.handle, static_cast<const ge_ir_node_spec*>(&spec), &node);
  return wrap_node(node, owner);
}

std::uint32_t graph_transaction(GraphItem& self, int step) {
  home(self);
  std::uint32_t depth = 0;
  if (step == 0) {
    call(self, ir().transaction_begin, "transaction_begin", self.handle, &depth);
  } else if (step == 1) {
    call(self, ir().transaction_commit, "transaction_commit", self.handle);
  } else {
    call(self, ir().transaction_rollback, "transaction_rollback", self.handle);
  }
  return depth;
}

template <class T>
nb::object column(const std::vector<T>& values, std::uint64_t count) {
  return new_bytes(values.data(), count * sizeof(T));
}

// Asks for columns until they fit; `ask(room, count)` fills buffers of that size.
template <class Resize, class Ask>
std::uint64_t read_columns(GraphItem& self, const char* name, std::uint64_t room, Resize&& resize, Ask&& ask) {
  while (true) {
    resize(room);
    std::uint64_t count = 0;
    ErrorBlock error;
    const std::int32_t status = ask(room, &count, &error.block);
    if (status == GE_STATUS_OK) return count;
    if (status != GE_STATUS_BUFFER_TOO_SMALL) fail(status, error.block, name, nb::find(self), self.handle);
    room = count;
  }
}

nb::object graph_columns_ops(GraphItem& self) {
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint32_t> types, domains;
  const auto resize = [&](std::uint64_t room) {
    nodes.resize(room);
    types.resize(room);
    domains.resize(room);
  };
  const auto ask = [&](std::uint64_t room, std::uint64_t* count, ge_error* error) {
    return ir().columns_ops(self.handle, nodes.data(), room, count, types.data(), room, count, domains.data(), room,
                            count, error);
  };
  const std::uint64_t count = read_columns(self, "columns_ops", graph_node_count(self), resize, ask);
  return nb::make_tuple(column(nodes, count), column(types, count), column(domains, count));
}

nb::object graph_columns_edges(GraphItem& self) {
  std::vector<std::uint64_t> users, producers;
  std::vector<std::uint32_t> slots, indices;
  const auto resize = [&](std::uint64_t room) {
    users.resize(room);
    producers.resize(room);
    slots.resize(room);
    indices.resize(room);
  };
  const auto ask = [&](std::uint64_t room, std::uint64_t* count, ge_error* error) {
    return ir().columns_edges(self.handle, users.data(), room, count, slots.data(), room, count, producers.data(), room,
                              count, indices.data(), room, count, error);
  };
  const std::uint64_t count = read_columns(self, "columns_edges", 2 * graph_node_count(self), resize, ask);
  return nb::make_tuple(column(users, count), column(slots, count), column(producers, count), column(indices, count));
}

PyType_Slot kSlots[] = {{Py_tp_richcompare, reinterpret_cast<void*>(compare_items)},
                        {Py_tp_hash, reinterpret_cast<void*>(hash_item)},
                        {0, nullptr}};

}  // namespace

void bind_graph(nb::module_& module) {
  nb::class_<GraphItem> cls(module, "GraphBase", nb::type_slots(kSlots), "Primitive face of a graph.");
  cls.def(nb::init<>());
  OwnerMethods<GraphItem>::bind(cls);
  def_classmethod(
      cls, "_wrap",
      [](nb::handle type, std::uint64_t handle, nb::object owner) { return new_graph(type, handle, owner, false); },
      "cls"_a, "handle"_a, "owner"_a.none());
  def_classmethod(
      cls, "_adopt", [](nb::handle type, std::uint64_t handle) { return new_graph(type, handle, nb::none(), true); },
      "cls"_a, "handle"_a);
  def_classmethod(cls, "_parse", &graph_parse, "cls"_a, "text"_a, "source_name"_a);
  cls.def_rw("_owns", &GraphItem::owns)
      .def("_create", &graph_create, "name"_a)
      .def("_release", &graph_release)
      .def("_clone", &graph_clone, "name"_a)
      .def_prop_rw(
          "name", [](GraphItem& self) { return read_text(self, ir().graph_name, "graph_name"); }, &graph_set_name,
          nb::for_setter(nb::arg("name").none()), "Name; may be set.")
      .def_prop_ro("version", &graph_version, "Grows with every change; restored by a rollback.")
      .def_prop_ro("node_count", &graph_node_count, "Number of direct nodes.")
      .def("_parent", &graph_parent)
      .def("_nodes", &graph_nodes, "order"_a)
      .def("_find", &graph_find, "name"_a)
      .def("_sort", &graph_sort)
      .def("_unique_name", &graph_unique_name, "base"_a)
      .def("_verify", &graph_verify)
      .def("_print", &graph_print, "flags"_a)
      .def("_create_node", &graph_create_node, "op_type"_a, "domain"_a, "op_version"_a, "name"_a, "inputs"_a,
           "output_count"_a, "before"_a.none())
      .def("_transaction", &graph_transaction, "step"_a)
      .def("_columns_ops", &graph_columns_ops)
      .def("_columns_edges", &graph_columns_edges);
}

nb::object subgraph_key(std::uint64_t graph) {
  std::uint64_t owner = 0, size = 0;
  const char* key = nullptr;
  ErrorBlock error;
  const std::int32_t status = ir().graph_owner(graph, &owner, &key, &size, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "graph_owner");
  return new_text(key, size);
}

}  // namespace ge::native
