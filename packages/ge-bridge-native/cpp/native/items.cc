#include "native/items.h"

#include "native/errors.h"

namespace ge::native {
namespace {

// A registered class, or the base it stands for while nothing is registered (tests of the extension alone).
template <class T>
nb::handle class_or_base(PyObject* registered) {
  return registered != nullptr ? nb::handle(registered) : nb::type<T>();
}

}  // namespace

GraphItem::~GraphItem() {
  if (owns && handle != 0) ir().graph_release(handle, nullptr);
}

TensorItem::~TensorItem() {
  if (owns && handle != 0) ir().tensor_release(handle, nullptr);
}

GraphItem* as_graph(nb::handle object) noexcept {
  GraphItem* found = nullptr;
  return nb::try_cast<GraphItem*>(object, found, false) ? found : nullptr;
}

nb::handle home(NodeItem& node) {
  const GraphItem* owner = as_graph(node.owner);
  if (owner != nullptr && owner->handle == 0) fail_expired(nb::find(node));
  return node.owner;
}

nb::handle home(GraphItem& graph) {
  const GraphItem* owner = as_graph(graph.owner);
  // The instance map has the object; it lives at least as long as this call, which it is the receiver of.
  if (owner == nullptr) return nb::find(graph);
  if (owner->handle == 0) fail_expired(nb::find(graph));
  return graph.owner;
}

nb::object wrap_node(std::uint64_t handle, nb::handle owner) {
  nb::object made = nb::inst_alloc(class_or_base<NodeItem>(state().node_type));
  auto* item = new (nb::inst_ptr<NodeItem>(made)) NodeItem;
  item->handle = handle;
  item->owner = nb::borrow(owner);
  nb::inst_mark_ready(made);
  return made;
}

nb::object new_graph(nb::handle type, std::uint64_t handle, nb::handle owner, bool owns) {
  nb::object made = nb::inst_alloc(type);
  auto* item = new (nb::inst_ptr<GraphItem>(made)) GraphItem;
  item->handle = handle;
  item->owner = nb::borrow(owner);
  item->owns = owns;
  nb::inst_mark_ready(made);
  return made;
}

nb::object wrap_graph(std::uint64_t handle, nb::handle owner) {
  const GraphItem* known = as_graph(owner);
  if (known != nullptr && known->handle == handle) return nb::borrow(owner);
  return new_graph(class_or_base<GraphItem>(state().graph_type), handle, owner, false);
}

nb::object adopt_tensor(nb::handle type, std::uint64_t handle) {
  nb::object made = nb::inst_alloc(type);
  auto* item = new (nb::inst_ptr<TensorItem>(made)) TensorItem;
  item->handle = handle;
  item->owns = true;
  nb::inst_mark_ready(made);
  return made;
}

nb::object wrap_tensor(std::uint64_t handle) {
  ErrorBlock error;
  const std::int32_t status = ir().tensor_retain(handle, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "tensor_retain");
  return adopt_tensor(class_or_base<TensorItem>(state().tensor_type), handle);
}

std::uint64_t node_handle(nb::handle object) {
  if (object.is_none()) return 0;
  NodeItem* item = nullptr;
  if (!nb::try_cast<NodeItem*>(object, item, false)) {
    raise(PyExc_TypeError, "expected a Node, found %s: %R", Py_TYPE(object.ptr())->tp_name, object.ptr());
  }
  return item->handle;
}

namespace {

// Handle of an object that is of the class T, with the same hash and order for all its Python classes.
template <class T>
bool handle_of(PyObject* object, std::uint64_t& handle) {
  T* item = nullptr;
  if (!nb::try_cast<T*>(nb::handle(object), item, false) || item == nullptr) return false;
  handle = item->handle;
  return true;
}

bool any_handle(PyObject* object, std::uint64_t& handle) {
  return handle_of<NodeItem>(object, handle) || handle_of<GraphItem>(object, handle) ||
         handle_of<TensorItem>(object, handle);
}

}  // namespace

PyObject* compare_items(PyObject* self, PyObject* other, int operation) noexcept {
  std::uint64_t left = 0, right = 0;
  if ((operation != Py_EQ && operation != Py_NE) || !any_handle(self, left) || !any_handle(other, right)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  const bool equal = self == other || (left == right && left != 0);
  return PyBool_FromLong(equal == (operation == Py_EQ));
}

Py_hash_t hash_item(PyObject* self) noexcept {
  std::uint64_t handle = 0;
  any_handle(self, handle);
  // The hash of an int, so that both bindings agree.
  PyObject* number = PyLong_FromUnsignedLongLong(handle);
  if (number == nullptr) return -1;
  const Py_hash_t hash = PyObject_Hash(number);
  Py_DECREF(number);
  return hash;
}

}  // namespace ge::native
