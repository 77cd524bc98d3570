#include "native/values.h"

#include <cstring>

#include "native/errors.h"

namespace ge::native {
namespace {

nb::object checked(PyObject* object) {
  if (object == nullptr) propagate();
  return nb::steal(object);
}

// A list made item by item.
template <class Make>
nb::object new_list(std::uint64_t count, Make&& make) {
  nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(count)));
  for (std::uint64_t i = 0; i < count; ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), make(i).release().ptr());
  }
  return list;
}

nb::object new_int(std::int64_t value) { return checked(PyLong_FromLongLong(value)); }

// The borrowed items of a sequence, as list or tuple.
class Items {
 public:
  explicit Items(nb::handle sequence)
      : fast_(checked(PySequence_Fast(sequence.ptr(), "expected a sequence"))),
        count_(PySequence_Fast_GET_SIZE(fast_.ptr())) {}
  std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }
  nb::handle operator[](std::size_t i) const noexcept {
    return PySequence_Fast_GET_ITEM(fast_.ptr(), static_cast<Py_ssize_t>(i));
  }

 private:
  nb::object fast_;
  Py_ssize_t count_;
};

std::int64_t to_int64(nb::handle object) {
  const long long value = PyLong_AsLongLong(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) propagate();
  return value;
}

std::uint64_t to_uint64(nb::handle object) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred() != nullptr) propagate();
  return value;
}

double to_double(nb::handle object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) propagate();
  return value;
}

nb::object joined_list(const ge_ir_attr& attr) {
  const char* data = static_cast<const char*>(attr.data);
  return new_list(attr.count, [&](std::uint64_t i) {
    return new_text_or_bytes(data + attr.offsets[i], attr.offsets[i + 1] - attr.offsets[i]);
  });
}

nb::object nested_list(const ge_ir_attr& attr) {
  const auto* data = static_cast<const std::int64_t*>(attr.data);
  return new_list(attr.count, [&](std::uint64_t i) {
    const std::uint64_t first = attr.offsets[i];
    return new_list(attr.offsets[i + 1] - first, [&](std::uint64_t j) { return new_int(data[first + j]); });
  });
}

nb::object list_value(const ge_ir_attr& attr) {
  switch (attr.kind) {
    case GE_IR_ATTR_KIND_LIST_INT:
      return new_list(attr.count,
                      [&](std::uint64_t i) { return new_int(static_cast<const std::int64_t*>(attr.data)[i]); });
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      return new_list(attr.count,
                      [&](std::uint64_t i) { return new_int(static_cast<const std::int32_t*>(attr.data)[i]); });
    case GE_IR_ATTR_KIND_LIST_FLOAT:
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
      return new_list(attr.count, [&](std::uint64_t i) {
        return checked(PyFloat_FromDouble(static_cast<const double*>(attr.data)[i]));
      });
    case GE_IR_ATTR_KIND_LIST_BOOL:
      return new_list(attr.count, [&](std::uint64_t i) {
        return checked(PyBool_FromLong(static_cast<const std::uint8_t*>(attr.data)[i]));
      });
    case GE_IR_ATTR_KIND_LIST_TENSOR:
      return new_list(attr.count,
                      [&](std::uint64_t i) { return wrap_tensor(static_cast<const std::uint64_t*>(attr.data)[i]); });
    case GE_IR_ATTR_KIND_LIST_LIST_INT:
      return nested_list(attr);
    default:
      return joined_list(attr);
  }
}

nb::object attribute_value(const ge_ir_attr& attr) {
  const char* data = static_cast<const char*>(attr.data);
  switch (attr.kind) {
    case GE_IR_ATTR_KIND_NONE:
      return nb::none();
    case GE_IR_ATTR_KIND_INT:
    case GE_IR_ATTR_KIND_DTYPE:
      return new_int(attr.i);
    case GE_IR_ATTR_KIND_FLOAT:
    case GE_IR_ATTR_KIND_FLOAT32:
      return checked(PyFloat_FromDouble(attr.f));
    case GE_IR_ATTR_KIND_STRING:
      return new_text_or_bytes(data, attr.count);
    case GE_IR_ATTR_KIND_BOOL:
      return checked(PyBool_FromLong(attr.i != 0));
    case GE_IR_ATTR_KIND_TENSOR:
      return wrap_tensor(static_cast<std::uint64_t>(attr.i));
    case GE_IR_ATTR_KIND_BYTES:
      return new_bytes(data, attr.count);
    case GE_IR_ATTR_KIND_TYPE:
      return new_text(data, attr.count);
    case GE_IR_ATTR_KIND_REFERENCE:
      return nb::make_tuple(new_text(data, attr.count), new_int(attr.i));
    default:
      return list_value(attr);
  }
}

}  // namespace

nb::object plain_attribute(const ge_ir_attr& attr) {
  nb::object value = attribute_value(attr);
  nb::object pair = checked(PyTuple_New(2));
  PyTuple_SET_ITEM(pair.ptr(), 0, new_int(attr.kind).release().ptr());
  PyTuple_SET_ITEM(pair.ptr(), 1, value.release().ptr());
  return pair;
}

AttributeIn::AttributeIn(std::uint32_t kind, nb::handle value) {
  attr_.struct_size = sizeof(attr_);
  attr_.kind = kind;
  switch (kind) {
    case GE_IR_ATTR_KIND_NONE:
      break;
    case GE_IR_ATTR_KIND_INT:
    case GE_IR_ATTR_KIND_BOOL:
    case GE_IR_ATTR_KIND_DTYPE:
      attr_.i = to_int64(value);
      break;
    case GE_IR_ATTR_KIND_FLOAT:
    case GE_IR_ATTR_KIND_FLOAT32:
      attr_.f = to_double(value);
      break;
    case GE_IR_ATTR_KIND_TENSOR:
      attr_.i = static_cast<std::int64_t>(nb::cast<TensorItem&>(value).handle);
      break;
    case GE_IR_ATTR_KIND_STRING:
    case GE_IR_ATTR_KIND_BYTES:
    case GE_IR_ATTR_KIND_TYPE:
      set_bytes(value, "attribute value");
      break;
    case GE_IR_ATTR_KIND_REFERENCE: {
      const Items pair(value);
      if (pair.size() != 2) raise(PyExc_TypeError, "a REFERENCE attribute is (name, kind), found %R", value.ptr());
      set_bytes(pair[0], "attribute name");
      attr_.i = to_int64(pair[1]);
      break;
    }
    default:
      set_list(kind, value);
      break;
  }
}

void AttributeIn::set_bytes(nb::handle value, const char* what) {
  const Utf8 text(value, what, true);
  bytes_.assign(text.data(), text.data() + text.size());
  attr_.data = bytes_.data();
  attr_.count = text.size();
}

void AttributeIn::set_joined(nb::handle value, bool texts) {
  const Items items(value);
  offsets_.push_back(0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (texts) {
      const Utf8 text(items[i], "list element", true);
      bytes_.insert(bytes_.end(), text.data(), text.data() + text.size());
      offsets_.push_back(bytes_.size());
    } else {
      for (const std::int64_t number : to_int64s(items[i])) words_.push_back(static_cast<std::uint64_t>(number));
      offsets_.push_back(words_.size());
    }
  }
  attr_.data = texts ? static_cast<const void*>(bytes_.data()) : words_.data();
  attr_.offsets = offsets_.data();
  attr_.count = items.size();
}

void AttributeIn::set_list(std::uint32_t kind, nb::handle value) {
  if (kind == GE_IR_ATTR_KIND_LIST_STRING || kind == GE_IR_ATTR_KIND_LIST_TYPE) return set_joined(value, true);
  if (kind == GE_IR_ATTR_KIND_LIST_LIST_INT) return set_joined(value, false);
  const Items items(value);
  const std::size_t width = kind == GE_IR_ATTR_KIND_LIST_BOOL ? 1 : kind == GE_IR_ATTR_KIND_LIST_DTYPE ? 4 : 8;
  words_.resize((items.size() * width + 7) / 8);  // words, so that every element is aligned
  char* place = reinterpret_cast<char*>(words_.data());
  for (std::size_t i = 0; i < items.size(); ++i, place += width) {
    if (kind == GE_IR_ATTR_KIND_LIST_FLOAT || kind == GE_IR_ATTR_KIND_LIST_FLOAT32) {
      const double number = to_double(items[i]);
      std::memcpy(place, &number, sizeof(number));
    } else if (kind == GE_IR_ATTR_KIND_LIST_TENSOR) {
      const std::uint64_t handle = nb::cast<TensorItem&>(items[i]).handle;
      std::memcpy(place, &handle, sizeof(handle));
    } else if (kind == GE_IR_ATTR_KIND_LIST_BOOL) {
      const int truth = PyObject_IsTrue(items[i].ptr());
      if (truth < 0) propagate();
      *place = static_cast<char>(truth);
    } else {
      const std::int64_t number = to_int64(items[i]);
      std::memcpy(place, &number, width);
    }
  }
  attr_.data = words_.data();
  attr_.count = items.size();
}

nb::object int_tuple(const std::int64_t* values, std::uint64_t count) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (std::uint64_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), new_int(values[i]).release().ptr());
  }
  return tuple;
}

namespace {

nb::object plain_symbols(const ge_ir_desc& desc) {
  bool any = false;
  for (std::uint64_t i = 0; desc.dim_symbols != nullptr && i < desc.dim_count; ++i) any |= desc.dim_symbols[i] != 0;
  if (!any) return nb::none();
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(desc.dim_count)));
  for (std::uint64_t i = 0; i < desc.dim_count; ++i) {
    nb::object name = desc.dim_symbols[i] != 0 ? symbol_text(desc.dim_symbols[i]) : nb::none();
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), name.release().ptr());
  }
  return tuple;
}

}  // namespace

nb::object plain_desc(const ge_ir_desc& desc) {
  nb::object text = nb::none();
  if (desc.type_text != nullptr) text = new_text(reinterpret_cast<const char*>(desc.type_text), desc.type_text_size);
  return nb::make_tuple(desc.dtype, desc.format, desc.origin_format, desc.rank_kind,
                        int_tuple(desc.dims, desc.dim_count), plain_symbols(desc), desc.origin_rank_kind,
                        int_tuple(desc.origin_dims, desc.origin_dim_count), text);
}

DescIn::DescIn(nb::handle item) {
  const Items parts(item);
  if (parts.size() != 9) raise(PyExc_TypeError, "a descriptor has 9 parts, found %zu", parts.size());
  desc_.struct_size = sizeof(desc_);
  desc_.dtype = static_cast<std::int32_t>(to_int64(parts[0]));
  desc_.format = static_cast<std::int32_t>(to_int64(parts[1]));
  desc_.origin_format = static_cast<std::int32_t>(to_int64(parts[2]));
  desc_.rank_kind = static_cast<std::uint32_t>(to_int64(parts[3]));
  desc_.origin_rank_kind = static_cast<std::uint32_t>(to_int64(parts[6]));
  dims_ = to_int64s(parts[4]);
  origin_dims_ = to_int64s(parts[7]);
  desc_.dims = dims_.data();
  desc_.dim_count = dims_.size();
  desc_.origin_dims = origin_dims_.data();
  desc_.origin_dim_count = origin_dims_.size();
  if (!parts[5].is_none()) {
    const Items names(parts[5]);
    for (std::size_t i = 0; i < names.size(); ++i) {
      symbols_.push_back(PyObject_IsTrue(names[i].ptr()) == 1 ? symbol(names[i]) : 0);
    }
    desc_.dim_symbols = symbols_.data();
  }
  if (!parts[8].is_none()) {
    kept_ = nb::borrow(parts[8]);
    const Utf8 text(kept_, "type text");  // the str caches its UTF-8, which lives as long as the str
    desc_.type_text = reinterpret_cast<const std::uint8_t*>(text.data());
    desc_.type_text_size = text.size();
  }
}

std::vector<std::int64_t> to_int64s(nb::handle sequence) {
  const Items items(sequence);
  std::vector<std::int64_t> values(items.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_int64(items[i]);
  return values;
}

std::vector<std::uint64_t> to_uint64s(nb::handle sequence) {
  const Items items(sequence);
  std::vector<std::uint64_t> values(items.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = to_uint64(items[i]);
  return values;
}

}  // namespace ge::native
