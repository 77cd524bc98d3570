// NodeBase: the primitive face of a node, as the binding contract of ge.graph states it.
#include "native/classes.h"
#include "native/owner.h"

namespace ge::native {
namespace {

using namespace nb::literals;

void node_set_name(NodeItem& self, nb::handle name) {
  const Utf8 text(name, "node name");
  home(self);
  call(self, ir().node_set_name, "node_set_name", self.handle, text.data(), text.size());
}

struct Operator {
  std::uint32_t type = 0, domain = 0;
  std::int32_t version = 0;
};

Operator node_op(NodeItem& self) {
  home(self);
  Operator found;
  call(self, ir().node_op, "node_op", self.handle, &found.type, &found.domain, &found.version);
  return found;
}

nb::object node_graph(NodeItem& self) {
  const nb::handle owner = home(self);
  std::uint64_t graph = 0;
  call(self, ir().node_graph, "node_graph", self.handle, &graph);
  return wrap_graph(graph, owner);
}

bool node_is_live(NodeItem& self) noexcept {
  const GraphItem* owner = as_graph(self.owner);
  if (owner != nullptr && owner->handle == 0) return false;
  std::uint32_t live = 0;
  return ir().node_is_live(self.handle, &live, nullptr) == GE_STATUS_OK && live == 1;
}

struct Arity {
  std::uint64_t inputs = 0, outputs = 0;
};

Arity node_arity(NodeItem& self) {
  home(self);
  Arity found;
  call(self, ir().node_arity, "node_arity", self.handle, &found.inputs, &found.outputs);
  return found;
}

nb::object node_inputs(NodeItem& self) {
  const nb::handle owner = home(self);
  return read_pairs(self, owner, ir().node_inputs, "node_inputs", self.handle);
}

nb::object node_input(NodeItem& self, nb::handle index) {
  const nb::handle owner = home(self);
  std::uint64_t producer = 0;
  std::uint32_t output = 0;
  call(self, ir().node_input, "node_input", self.handle, to_index(index), &producer, &output);
  return node_pair(producer, output, owner);
}

nb::object node_users(NodeItem& self, nb::handle index) {
  const nb::handle owner = home(self);
  return read_pairs(self, owner, ir().value_uses, "value_uses", self.handle, to_index(index));
}

std::uint64_t node_use_count(NodeItem& self, nb::handle index) {
  home(self);
  std::uint64_t count = 0;
  call(self, ir().value_use_count, "value_use_count", self.handle, to_index(index), &count);
  return count;
}

nb::object control_inputs(NodeItem& self) {
  const nb::handle owner = home(self);
  return node_list(read_handles(self, ir().control_inputs, "control_inputs", self.handle), owner);
}

nb::object control_outputs(NodeItem& self) {
  const nb::handle owner = home(self);
  return node_list(read_handles(self, ir().control_outputs, "control_outputs", self.handle), owner);
}

void set_input(NodeItem& self, std::uint32_t index, nb::handle producer, std::uint32_t output_index) {
  home(self);
  call(self, ir().node_set_input, "node_set_input", self.handle, index, node_handle(producer), output_index);
}

void set_arity(NodeItem& self, std::uint64_t inputs, std::uint64_t outputs) {
  home(self);
  call(self, ir().node_set_arity, "node_set_arity", self.handle, inputs, outputs);
}

void set_op(NodeItem& self, nb::handle op_type, nb::handle domain, std::int32_t op_version) {
  home(self);
  call(self, ir().node_set_op, "node_set_op", self.handle, symbol(op_type), symbol(domain), op_version);
}

void replace_uses(NodeItem& self, std::uint32_t index, NodeItem& new_node, std::uint32_t new_index) {
  home(self);
  call(self, ir().value_replace_uses, "value_replace_uses", self.handle, index, new_node.handle, new_index);
}

void control_add(NodeItem& self, NodeItem& target) {
  home(self);
  call(self, ir().control_add, "control_add", self.handle, target.handle);
}

void control_remove(NodeItem& self, NodeItem& target) {
  home(self);
  call(self, ir().control_remove, "control_remove", self.handle, target.handle);
}

void move_before(NodeItem& self, nb::handle anchor) {
  home(self);
  call(self, ir().node_move_before, "node_move_before", self.handle, node_handle(anchor));
}

void node_remove(NodeItem& self, std::uint32_t flags) {
  home(self);
  call(self, ir().node_remove, "node_remove", self.handle, flags);
}

nb::object value_name(NodeItem& self, std::uint32_t index) {
  return read_text(self, ir().value_name, "value_name", index);
}

void set_value_name(NodeItem& self, std::uint32_t index, nb::handle name) {
  const Utf8 text(name, "name");
  home(self);
  call(self, ir().value_set_name, "value_set_name", self.handle, index, text.data(), text.size());
}

nb::object desc_find(NodeItem& self, std::uint32_t scope, std::uint32_t index) {
  home(self);
  ge_ir_desc desc;
  desc.struct_size = sizeof(desc);
  ErrorBlock error;
  const std::int32_t status = ir().desc_get(self.handle, scope, index, &desc, &error.block);
  if (status == GE_STATUS_NOT_FOUND) return nb::none();
  if (status != GE_STATUS_OK) fail(status, error.block, "desc_get", nb::find(self), self.handle);
  return plain_desc(desc);
}

void desc_set(NodeItem& self, std::uint32_t scope, std::uint32_t index, nb::handle desc) {
  home(self);
  const DescIn in(desc);
  call(self, ir().desc_set, "desc_set", self.handle, scope, index, in.get());
}

PyType_Slot kSlots[] = {{Py_tp_richcompare, reinterpret_cast<void*>(compare_items)},
                        {Py_tp_hash, reinterpret_cast<void*>(hash_item)},
                        {0, nullptr}};

void bind_reads(nb::class_<NodeItem>& cls) {
  cls.def_prop_rw(
         "name", [](NodeItem& self) { return read_text(self, ir().node_name, "node_name"); }, &node_set_name,
         nb::for_setter(nb::arg("name").none()), "Name; may be set.")
      .def_prop_ro(
          "type", [](NodeItem& self) { return symbol_text(node_op(self).type); }, "Operator type.")
      .def_prop_ro(
          "domain", [](NodeItem& self) { return symbol_text(node_op(self).domain); }, "Operator domain.")
      .def_prop_ro(
          "op_version", [](NodeItem& self) { return node_op(self).version; }, "Opset version, 0 unsaid.")
      .def_prop_ro("graph", &node_graph, "The graph it is in.")
      .def_prop_ro("is_live", &node_is_live, "Whether the node still exists; never raises.")
      .def_prop_ro(
          "input_count", [](NodeItem& self) { return node_arity(self).inputs; }, "Number of input slots.")
      .def_prop_ro(
          "output_count", [](NodeItem& self) { return node_arity(self).outputs; }, "Number of outputs.")
      .def_prop_ro("inputs", &node_inputs, "All inputs as values; None where absent.")
      .def_prop_ro("control_inputs", &control_inputs, "Sources of incoming control edges.")
      .def_prop_ro("control_outputs", &control_outputs, "Targets of outgoing control edges.")
      .def("input", &node_input, "index"_a.none(), "One input; None if it is absent.")
      .def("users", &node_users, "index"_a.none() = 0, "Readers of one output: (node, input slot).")
      .def("use_count", &node_use_count, "index"_a.none() = 0, "Number of readers of one output.")
      .def("_value_name", &value_name, "index"_a)
      .def("_desc_find", &desc_find, "scope"_a, "index"_a);
}

void bind_edits(nb::class_<NodeItem>& cls) {
  cls.def("_set_input", &set_input, "index"_a, "producer"_a.none(), "output_index"_a)
      .def("_set_arity", &set_arity, "inputs"_a, "outputs"_a)
      .def("_set_op", &set_op, "op_type"_a, "domain"_a, "op_version"_a)
      .def("_replace_uses", &replace_uses, "index"_a, "new_node"_a, "new_index"_a)
      .def("_control_add", &control_add, "target"_a)
      .def("_control_remove", &control_remove, "target"_a)
      .def("_move_before", &move_before, "anchor"_a.none())
      .def("_remove", &node_remove, "flags"_a)
      .def("_set_value_name", &set_value_name, "index"_a, "name"_a)
      .def("_desc_set", &desc_set, "scope"_a, "index"_a, "desc"_a);
}

}  // namespace

void bind_node(nb::module_& module) {
  nb::class_<NodeItem> cls(module, "NodeBase", nb::type_slots(kSlots), "Primitive face of a node.");
  OwnerMethods<NodeItem>::bind(cls);
  def_classmethod(
      cls, "_wrap", [](nb::handle, std::uint64_t handle, nb::object owner) { return wrap_node(handle, owner); },
      "cls"_a, "handle"_a, "owner"_a.none());
  bind_reads(cls);
  bind_edits(cls);
}

}  // namespace ge::native
