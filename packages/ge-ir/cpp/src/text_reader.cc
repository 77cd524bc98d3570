#include "ge_ir/text_reader.h"

#include <limits>

#include "ge_ir/text.h"
#include "ge_ir/text_tables.h"

namespace ge_ir {
namespace text {
namespace {

constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInt = std::numeric_limits<int64_t>::min();

const std::vector<std::string_view> kValueWords = {"true", "false", "none", "type",     "ref",
                                                   "hex",  "inf",   "nan",  "undefined"};

}  // namespace

ge_ir_desc Type::desc() const noexcept {
  ge_ir_desc desc{};
  desc.struct_size = sizeof desc;
  desc.dtype = dtype;
  desc.format = format;
  desc.origin_format = origin_format;
  desc.rank_kind = shape.rank_kind;
  desc.origin_rank_kind = origin.rank_kind;
  desc.dims = shape.dims.empty() ? nullptr : shape.dims.data();
  desc.dim_symbols = shape.symbols.empty() ? nullptr : shape.symbols.data();
  desc.dim_count = shape.dims.size();
  desc.origin_dims = origin.dims.empty() ? nullptr : origin.dims.data();
  desc.origin_dim_count = origin.dims.size();
  if (has_text) {
    desc.type_text = reinterpret_cast<const uint8_t*>(text.data());
    desc.type_text_size = text.size();
  }
  return desc;
}

uint32_t ValueReader::symbol(const std::string& text) {
  const auto known = symbols_.find(text);
  if (known != symbols_.end()) return known->second;
  const uint32_t symbol = intern(text);
  symbols_.emplace(text, symbol);
  return symbol;
}

bool ValueReader::is_dtype() noexcept { return dtype_named(cursor_.peek_word()) != nullptr; }

int32_t ValueReader::dtype(const char* what) {
  const std::string_view word = cursor_.peek_word();
  if (const Dtype* dtype = dtype_named(word)) {
    cursor_.accept_word(word);
    return dtype->value;
  }
  cursor_.fail_expected(what, did_you_mean_dtype(word));
}

void ValueReader::dim(Shape& shape) {
  uint32_t symbol = 0;
  int64_t size = -1;
  if (cursor_.accept('?')) {
    size = -1;
  } else if (cursor_.peek() == '"' || !cursor_.peek_word().empty()) {
    symbol = this->symbol(cursor_.word("a dimension"));
    if (cursor_.accept('=')) size = cursor_.integer("a dimension", 0, kMaxInt);
  } else {
    size = cursor_.integer("a dimension: a size, a symbol or '?'", kMinInt, kMaxInt);
  }
  if (symbol != 0 && shape.symbols.empty()) shape.symbols.assign(shape.dims.size(), 0);
  shape.dims.push_back(size);
  if (symbol != 0 || !shape.symbols.empty()) shape.symbols.push_back(symbol);
}

/// `[...]`, if it is next.
Shape ValueReader::shape() {
  Shape shape;
  if (!cursor_.accept('[')) return shape;
  if (cursor_.accept('*')) {
    shape.rank_kind = GE_IR_RANK_KIND_UNKNOWN;
    cursor_.expect(']', "']' after '*'");
    return shape;
  }
  shape.rank_kind = GE_IR_RANK_KIND_KNOWN;
  while (!cursor_.accept(']')) {
    if (!shape.dims.empty()) cursor_.expect(',', "',' or ']' after a dimension");
    dim(shape);
  }
  return shape;
}

/// What follows `@`.
int32_t ValueReader::format() {
  const std::string_view word = cursor_.peek_word();
  if (word.empty()) return static_cast<int32_t>(cursor_.integer("a format", 0, std::numeric_limits<int32_t>::max()));
  const int32_t format = format_named(word);
  if (format < 0) cursor_.fail_expected("a format: its name or number", did_you_mean(word, format_names()));
  cursor_.accept_word(word);
  return format;
}

void ValueReader::origin(Type& type) {
  if (!cursor_.accept_word("origin")) return;
  cursor_.expect('(', "'(' after 'origin'");
  type.origin = shape();
  if (cursor_.accept('@')) type.origin_format = format();
  cursor_.expect(')', "')' at the end of 'origin(...)'");
}

Type ValueReader::type() {
  Type type;
  const bool is_opaque = cursor_.peek_word() == "type";
  if (!is_opaque) {
    if (!cursor_.accept('?')) type.dtype = dtype("a type");
    type.shape = shape();
    if (cursor_.accept('@')) type.format = format();
    origin(type);
  }
  if (cursor_.accept_word("type")) {
    type.text = cursor_.quoted("a quoted type after 'type'");
    type.has_text = true;
  }
  return type;
}

// ------------------------------------------------------------------ attribute values

void ValueReader::attribute(AttrValue& value) {
  value.attr.struct_size = sizeof value.attr;
  const char c = cursor_.peek();
  if (cursor_.is_number()) {
    number_value(value);
  } else if (c == '"') {
    bytes_value(value, GE_IR_ATTR_KIND_STRING, cursor_.quoted("a string"));
  } else if (c == '[') {
    list(value, cursor_.here());
  } else {
    word_value(value);
  }
}

void ValueReader::number_value(AttrValue& value) {
  const size_t start = cursor_.here();
  const Number number = cursor_.number("a number");
  if (number.kind == Number::Kind::kInteger && !number.has_suffix) {
    cursor_.go_to(start);
    value.attr.kind = GE_IR_ATTR_KIND_INT;
    value.attr.i = cursor_.integer("an integer", kMinInt, kMaxInt);
    return;
  }
  value.attr.kind = number.has_suffix ? GE_IR_ATTR_KIND_FLOAT32 : GE_IR_ATTR_KIND_FLOAT;
  if (!decode_attribute(number, &value.attr.f)) {
    cursor_.fail(start, std::string(number.text) + " is no number of " + (number.has_suffix ? "float32" : "float64"));
  }
}

void ValueReader::bytes_value(AttrValue& value, uint32_t kind, std::string bytes) {
  value.bytes = std::move(bytes);
  value.attr.kind = kind;
  value.attr.data = value.bytes.data();
  value.attr.count = value.bytes.size();
}

void ValueReader::word_value(AttrValue& value) {
  const std::string_view word = cursor_.peek_word();
  if (word == "true" || word == "false") {
    cursor_.accept_word(word);
    value.attr.kind = GE_IR_ATTR_KIND_BOOL;
    value.attr.i = word == "true" ? 1 : 0;
  } else if (cursor_.accept_word("none")) {
    value.attr.kind = GE_IR_ATTR_KIND_NONE;
  } else if (cursor_.accept_word("type")) {
    bytes_value(value, GE_IR_ATTR_KIND_TYPE, cursor_.quoted("a quoted type after 'type'"));
  } else if (cursor_.accept_word("hex")) {
    bytes_value(value, GE_IR_ATTR_KIND_BYTES, cursor_.hex("'\"' after 'hex'"));
  } else if (cursor_.accept_word("b")) {
    bytes_value(value, GE_IR_ATTR_KIND_BYTES, cursor_.quoted("a string after 'b'"));
  } else if (cursor_.accept_word("ref")) {
    reference(value);
  } else if (is_dtype() || word == "dtype") {
    dtype_or_tensor(value);
  } else {
    std::vector<std::string_view> words = dtype_names();
    words.insert(words.end(), kValueWords.begin(), kValueWords.end());
    cursor_.fail_expected("an attribute value", word.empty() ? std::string() : did_you_mean(word, words));
  }
}

void ValueReader::dtype_or_tensor(AttrValue& value) {
  value.attr.kind = GE_IR_ATTR_KIND_DTYPE;
  if (cursor_.accept_word("dtype")) {
    cursor_.expect('(', "'(' after 'dtype'");
    value.attr.i = cursor_.integer("the number of an element type", kMinInt, kMaxInt);
    cursor_.expect(')', "')' after the number of an element type");
    return;
  }
  const size_t start = cursor_.here();
  value.attr.i = dtype("an element type");
  const char next = cursor_.peek();
  if (next != '[' && next != '(' && next != '@') return;
  cursor_.go_to(start);
  value.tensors.push_back(constant().tensor);
  value.attr.kind = GE_IR_ATTR_KIND_TENSOR;
  value.attr.i = static_cast<int64_t>(value.tensors.back().get());
}

/// int, [int], [[int]]
std::string ValueReader::kind() {
  const size_t start = cursor_.here();
  std::string name, close;
  while (close.size() < 2 && cursor_.accept('[')) {
    name += '[';
    close += ']';
  }
  const std::string_view word = cursor_.peek_word();
  cursor_.accept_word(word);
  name += word;
  for (size_t i = 0; i < close.size(); ++i) cursor_.expect(']', "']' at the end of a list kind");
  name += close;
  if (kind_named(name) >= 0) return name;
  cursor_.go_to(start);
  cursor_.fail_expected("an attribute kind such as int, float, string or [int]", did_you_mean(name, kind_names()));
}

void ValueReader::reference(AttrValue& value) {
  cursor_.expect('(', "'(' after 'ref'");
  bytes_value(value, GE_IR_ATTR_KIND_REFERENCE, cursor_.word("the name of an attribute"));
  cursor_.expect(':', "':' and an attribute kind in 'ref(name: kind)'");
  value.attr.i = cursor_.is_number() ? cursor_.integer("an attribute kind", 0, kMaxInt) : kind_named(kind());
  cursor_.expect(')', "')' at the end of 'ref(name: kind)'");
}

/// Kind of the item that is next in a list, as the kind of a list of such items.
uint32_t ValueReader::item_kind() {
  if (cursor_.peek() == '[') return GE_IR_ATTR_KIND_LIST_LIST_INT;
  AttrValue item;
  const size_t start = cursor_.here();
  attribute(item);
  cursor_.go_to(start);
  switch (item.attr.kind) {
    case GE_IR_ATTR_KIND_INT:
      return GE_IR_ATTR_KIND_LIST_INT;
    case GE_IR_ATTR_KIND_FLOAT:
      return GE_IR_ATTR_KIND_LIST_FLOAT;
    case GE_IR_ATTR_KIND_FLOAT32:
      return GE_IR_ATTR_KIND_LIST_FLOAT32;
    case GE_IR_ATTR_KIND_STRING:
      return GE_IR_ATTR_KIND_LIST_STRING;
    case GE_IR_ATTR_KIND_BOOL:
      return GE_IR_ATTR_KIND_LIST_BOOL;
    case GE_IR_ATTR_KIND_DTYPE:
      return GE_IR_ATTR_KIND_LIST_DTYPE;
    case GE_IR_ATTR_KIND_TENSOR:
      return GE_IR_ATTR_KIND_LIST_TENSOR;
    case GE_IR_ATTR_KIND_TYPE:
      return GE_IR_ATTR_KIND_LIST_TYPE;
    default:
      cursor_.fail_expected("a list item (int, float, string, bool, element type, constant, type or list of int)");
  }
}

void ValueReader::empty_list(AttrValue& value, size_t start) {
  if (!cursor_.accept(':')) cursor_.fail(start, "an empty list needs the kind of its items: []: int");
  const size_t place = cursor_.here();
  const std::string name = "[" + kind() + "]";
  const int64_t kind = kind_named(name);
  if (kind < 0) cursor_.fail(place, "there is no attribute kind " + name);
  finish_list(value, static_cast<uint32_t>(kind));
}

void ValueReader::list(AttrValue& value, size_t start) {
  cursor_.accept('[');
  if (cursor_.accept(']')) return empty_list(value, start);
  const uint32_t kind = item_kind();
  value.offsets.push_back(0);
  do {
    if (cursor_.peek() == ']') break;  // a comma may stand behind the last item
    list_item(value, kind);
  } while (cursor_.accept(','));
  cursor_.expect(']', "',' or ']' after a list item");
  finish_list(value, kind);
}

void ValueReader::list_item(AttrValue& value, uint32_t kind) {
  if (kind == GE_IR_ATTR_KIND_LIST_LIST_INT) return int_list(value);
  const size_t start = cursor_.here();
  AttrValue item;
  if (cursor_.peek() == '[') cursor_.fail_expected(std::string("an item of a list ") + kind_name(kind));
  attribute(item);
  // An item of kind K belongs into the list whose name is [K].
  const std::string found = std::string("[") + kind_name(item.attr.kind) + "]";
  if (kind_named(found) != static_cast<int64_t>(kind)) {
    cursor_.fail(start, std::string("the items of a list have one kind: this list is ") + kind_name(kind) +
                            ", the item is " + kind_name(item.attr.kind));
  }
  switch (item.attr.kind) {
    case GE_IR_ATTR_KIND_INT:
      value.ints.push_back(item.attr.i);
      break;
    case GE_IR_ATTR_KIND_FLOAT:
    case GE_IR_ATTR_KIND_FLOAT32:
      value.floats.push_back(item.attr.f);
      break;
    case GE_IR_ATTR_KIND_BOOL:
      value.bools.push_back(static_cast<uint8_t>(item.attr.i));
      break;
    case GE_IR_ATTR_KIND_DTYPE:
      value.dtypes.push_back(static_cast<int32_t>(item.attr.i));
      break;
    case GE_IR_ATTR_KIND_TENSOR:
      value.handles.push_back(static_cast<uint64_t>(item.attr.i));
      value.tensors.push_back(std::move(item.tensors.back()));
      break;
    default:
      value.bytes += item.bytes;
      value.offsets.push_back(value.bytes.size());
  }
}

void ValueReader::int_list(AttrValue& value) {
  cursor_.expect('[', "'[': the items of this list are lists of int");
  while (!cursor_.accept(']')) {
    if (value.ints.size() != value.offsets.back()) cursor_.expect(',', "',' or ']' after a list item");
    value.ints.push_back(cursor_.integer("an integer", kMinInt, kMaxInt));
  }
  value.offsets.push_back(value.ints.size());
}

void ValueReader::finish_list(AttrValue& value, uint32_t kind) {
  const auto put = [&value](const auto& items) {
    value.attr.data = items.data();
    value.attr.count = items.size();
  };
  value.attr.kind = kind;
  switch (kind) {
    case GE_IR_ATTR_KIND_LIST_INT:
      return put(value.ints);
    case GE_IR_ATTR_KIND_LIST_FLOAT:
    case GE_IR_ATTR_KIND_LIST_FLOAT32:
      return put(value.floats);
    case GE_IR_ATTR_KIND_LIST_BOOL:
      return put(value.bools);
    case GE_IR_ATTR_KIND_LIST_DTYPE:
      return put(value.dtypes);
    case GE_IR_ATTR_KIND_LIST_TENSOR:
      return put(value.handles);
    default:
      if (value.offsets.empty()) value.offsets.push_back(0);
      value.attr.data =
          kind == GE_IR_ATTR_KIND_LIST_LIST_INT ? static_cast<const void*>(value.ints.data()) : value.bytes.data();
      value.attr.offsets = value.offsets.data();
      value.attr.count = value.offsets.size() - 1;
  }
}

}  // namespace text
}  // namespace ge_ir
