// TensorBase: the primitive face of a constant, as the binding contract of ge.graph states it.
#include "native/classes.h"
#include "native/errors.h"
#include "native/items.h"
#include "native/text.h"
#include "native/values.h"

namespace ge::native {
namespace {

using namespace nb::literals;

// What a tensor is made of, with the memory it points to.
struct SpecIn {
  SpecIn(std::int32_t dtype, std::int32_t format, nb::handle dim_sequence) : dims(to_int64s(dim_sequence)) {
    spec.struct_size = sizeof(spec);
    spec.dtype = dtype;
    spec.format = format;
    spec.dims = dims.data();
    spec.dim_count = dims.size();
  }
  std::vector<std::int64_t> dims;
  ge_ir_tensor_spec spec{};
};

void replace(TensorItem& self, std::uint64_t handle) {
  const std::uint64_t old = self.owns ? self.handle : 0;
  self.handle = handle;
  self.owner = nb::none();
  self.owns = true;
  if (old != 0) ir().tensor_release(old, nullptr);
}

std::uint64_t created(const ge_ir_tensor_spec& spec) {
  std::uint64_t tensor = 0;
  ErrorBlock error;
  const std::int32_t status = ir().tensor_create(&spec, &tensor, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "tensor_create");
  return tensor;
}

void tensor_create(TensorItem& self, std::int32_t dtype, std::int32_t format, nb::handle dims, nb::bytes data,
                   nb::handle offsets) {
  SpecIn in(dtype, format, dims);
  std::vector<std::uint64_t> ends;
  in.spec.data = data.data();
  in.spec.size = data.size();
  if (!offsets.is_none()) {
    ends = to_uint64s(offsets);
    in.spec.offsets = ends.data();
  }
  replace(self, created(in.spec));
}

// Ends what keeps borrowed memory alive; called by the library from whatever thread released it last.
void drop_kept(void* user) {
  if (Py_IsInitialized() == 0) return;  // the interpreter is gone, and the object with it
  const PyGILState_STATE held = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(user));
  PyGILState_Release(held);
}

void tensor_borrow(TensorItem& self, std::int32_t dtype, std::int32_t format, nb::handle dims, std::uint64_t address,
                   std::uint64_t size, nb::object keep) {
  SpecIn in(dtype, format, dims);
  in.spec.data = reinterpret_cast<const void*>(address);
  in.spec.size = size;
  in.spec.drop = drop_kept;
  in.spec.user = keep.ptr();
  // The reference is the library's once the tensor exists; on failure `keep` still holds it here.
  const std::uint64_t tensor = created(in.spec);
  keep.release();
  replace(self, tensor);
}

void tensor_map_file(TensorItem& self, nb::handle path, std::uint64_t offset, std::uint64_t size, std::int32_t dtype,
                     std::int32_t format, nb::handle dims) {
  SpecIn in(dtype, format, dims);
  const Utf8 text(path, "path");
  in.spec.size = size;
  std::uint64_t tensor = 0;
  ErrorBlock error;
  const std::int32_t status = ir().tensor_map_file(text.data(), text.size(), offset, &in.spec, &tensor, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "tensor_map_file");
  replace(self, tensor);
}

nb::object tensor_info(TensorItem& self) {
  ge_ir_tensor_info info;
  info.struct_size = sizeof(info);
  call(self, ir().tensor_info, "tensor_info", self.handle, &info);
  return nb::make_tuple(info.dtype, info.format, info.mapped != 0, int_tuple(info.dims, info.dim_count),
                        info.element_count, reinterpret_cast<std::uint64_t>(info.data), info.size,
                        reinterpret_cast<std::uint64_t>(info.offsets), info.reference_count);
}

nb::object tensor_wrap(nb::handle cls, std::uint64_t handle, nb::object owner) {
  ErrorBlock error;
  const std::int32_t status = ir().tensor_retain(handle, &error.block);
  if (status != GE_STATUS_OK) fail(status, error.block, "tensor_retain");
  nb::object made = adopt_tensor(cls, handle);
  nb::inst_ptr<TensorItem>(made)->owner = std::move(owner);
  return made;
}

PyType_Slot kSlots[] = {{Py_tp_richcompare, reinterpret_cast<void*>(compare_items)},
                        {Py_tp_hash, reinterpret_cast<void*>(hash_item)},
                        {0, nullptr}};

}  // namespace

void bind_tensor(nb::module_& module) {
  nb::class_<TensorItem> cls(module, "TensorBase", nb::type_slots(kSlots), "Primitive face of a constant.");
  cls.def(nb::init<>());
  def_classmethod(cls, "_wrap", &tensor_wrap, "cls"_a, "handle"_a, "owner"_a.none());
  def_classmethod(cls, "_adopt", &adopt_tensor, "cls"_a, "handle"_a);
  cls.def_rw("_handle", &TensorItem::handle)
      .def_prop_rw(
          "_owner", [](TensorItem& self) { return self.owner; },
          [](TensorItem& self, nb::object owner) { self.owner = std::move(owner); },
          nb::for_setter(nb::arg("owner").none()))
      .def_rw("_owns", &TensorItem::owns)
      .def("_create", &tensor_create, "dtype"_a, "format"_a, "dims"_a, "data"_a, "offsets"_a.none())
      .def("_borrow", &tensor_borrow, "dtype"_a, "format"_a, "dims"_a, "address"_a, "size"_a, "keep"_a.none())
      .def("_map_file", &tensor_map_file, "path"_a, "offset"_a, "size"_a, "dtype"_a, "format"_a, "dims"_a)
      .def("_info", &tensor_info);
}

}  // namespace ge::native
