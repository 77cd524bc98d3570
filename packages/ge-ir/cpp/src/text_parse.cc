#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ge_ir/text.h"
#include "ge_ir/text_client.h"
#include "ge_ir/text_cursor.h"
#include "ge_ir/text_reader.h"
#include "ge_ir/text_tables.h"

namespace ge_ir {
namespace text {
namespace {

constexpr size_t kMaxSuggestions = 2000;  // names looked through for "did you mean"
constexpr size_t kFewKeys = 16;           // attributes of one node that are searched one by one

/// A node that a name stands for.
struct Named {
  Handle node = 0;
  uint64_t outputs = 0;
  size_t place = 0;
};

/// An input whose name was not known when it was read.
struct Pending {
  Handle node = 0;
  uint32_t slot = 0;
  uint32_t index = 0;
  uint32_t skipped = 0;  // graphs still to be passed over before the search starts
  size_t place = 0;
  std::string name;
};

/// A control edge whose source is looked up at the end of the graph.
struct Control {
  Handle target = 0;
  size_t place = 0;
  std::string source;
};

/// A node without a name in the text: named when all others are known.
struct Unnamed {
  Handle node = 0;
  std::string base;
};

/// One graph being read.
struct Scope {
  Handle graph = 0;
  Scope* parent = nullptr;
  uint32_t depth = 0;
  std::unordered_map<std::string, Named> names;
  std::vector<Pending> pending;
  std::vector<Control> controls;
  std::vector<Unnamed> unnamed;
};

/// One output in a definition.
struct Output {
  Type type;
  bool has_type = false;
  std::string label;
};

/// What a definition says left of `=`.
struct Definition {
  std::string name;  // empty: none was written
  size_t place = 0;
  std::vector<Output> outputs;
};

/// An operator as written.
struct Operator {
  std::string type;
  std::string domain;
  int32_t version = 0;
};

/// The inputs of a node: known producers, and what must be looked up later.
struct Operands {
  std::vector<Handle> producers;
  std::vector<uint32_t> indices;
  std::vector<Pending> pending;
  std::vector<std::pair<uint32_t, Type>> types;
};

/// Keys that a node has already; a second one is an error, not a replacement.
struct SeenKeys {
  std::vector<std::pair<AttrOwner, std::string>> keys;
};

std::string shorten(const std::string& name) {
  return name.size() <= 200 ? name : name.substr(0, abi::cut_length(name, 200)) + "...";
}

class GraphReader {
 public:
  GraphReader(std::string_view text, std::string_view source) : cursor_(text, source), values_(cursor_) {}

  Handle run();

 private:
  void child(Scope& scope, Handle owner, const std::string& key, size_t place);
  void contents(Scope& scope);
  void parameters(Scope& scope);
  void parameter(Scope& scope, uint64_t position);
  void statement(Scope& scope);
  void keyword_or_call(Scope& scope);
  void opset(Scope& scope);
  void graph_attribute(Scope& scope);
  void library(Scope& scope);
  void return_statement(Scope& scope);
  void node_statement(Scope& scope);
  void call_statement(Scope& scope);
  void constant_statement(Scope& scope, Definition& definition);
  void rest(Scope& scope, Handle node, Definition& definition, SeenKeys& seen);
  Definition definition();
  void definition_types(Definition& definition);
  Output output(const std::string& name);
  std::string label(const std::string& name);
  Operator op();
  void call_operands(Scope& scope, Operands& operands);
  void operand(Scope& scope, Operands& operands);
  void value(Scope& scope, Operands& operands, uint32_t slot);
  void inline_constant(Scope& scope, Operands& operands, uint32_t slot);
  Handle make_node(Scope& scope, const Definition& definition, const Operator& op, Operands& operands);
  Handle make_constant(Scope& scope, const Definition& definition, const Constant& constant);
  std::string node_name(Scope& scope, const Definition& definition, const std::string& base);
  void describe(Handle node, const Definition& definition);
  void attributes(Handle node, SeenKeys& seen);
  void attribute(Handle node, SeenKeys& seen);
  AttrOwner attribute_owner(Handle node);
  void require_new_key(SeenKeys& seen, const AttrOwner& owner, const std::string& key, size_t place);
  void controls(Scope& scope, Handle node);
  void bodies(Scope& scope, Handle node);
  void finish(Scope& scope);
  void link(const Pending& pending, const Named& producer);
  void check_output(const Named& producer, const std::string& name, uint32_t index, size_t place);
  [[noreturn]] void fail_undefined(const Scope& scope, const std::string& name, size_t place);

  Cursor cursor_;
  ValueReader values_;
  std::map<std::string, int32_t> versions_;
  uint64_t unnamed_count_ = 0;
  bool has_nodes_ = false;
};

Handle GraphReader::run() {
  if (!cursor_.accept_word("graph")) {
    cursor_.fail_expected("'graph' at the start of the text", did_you_mean(cursor_.peek_word(), {"graph"}));
  }
  const size_t place = cursor_.here();
  const std::string name = cursor_.accept('@') ? cursor_.name("a graph name after '@'") : "graph";
  GraphGuard root(located(cursor_, place, [&] { return graph_create(name); }));
  Scope scope;
  scope.graph = root.get();
  contents(scope);
  if (!cursor_.at_end()) cursor_.fail_expected("the end of the text: it holds one graph");
  return root.take();
}

/// `[graph] [@name] [(parameters)] {block}` behind a key.
void GraphReader::child(Scope& scope, Handle owner, const std::string& key, size_t place) {
  if (scope.depth + 1 >= kMaxDepth) {
    cursor_.fail(place, "graphs stand more than " + std::to_string(kMaxDepth) + " deep: the text form ends there");
  }
  cursor_.accept_word("graph");
  const std::string name = cursor_.accept('@') ? cursor_.name("a graph name after '@'") : key;
  Scope inner;
  inner.parent = &scope;
  inner.depth = scope.depth + 1;
  GraphGuard guard(located(cursor_, place, [&] { return graph_create(name); }));
  // Attached at once: what the block captures must be in scope when its edges are made.
  located(cursor_, place, [&] { subgraph_attach(owner, key, guard.get()); });
  inner.graph = guard.take();
  contents(inner);
}

void GraphReader::contents(Scope& scope) {
  if (cursor_.accept('(')) parameters(scope);
  cursor_.expect('{', "'{' and the nodes of the graph");
  while (!cursor_.accept('}')) statement(scope);
  finish(scope);
}

void GraphReader::parameters(Scope& scope) {
  uint64_t position = 0;
  while (!cursor_.accept(')')) {
    if (position != 0) {
      cursor_.expect(',', "',' or ')' after a parameter");
      if (cursor_.accept(')')) break;
    }
    parameter(scope, position++);
  }
}

void GraphReader::parameter(Scope& scope, uint64_t position) {
  if (!cursor_.accept('%')) cursor_.fail_expected("a parameter: '%name'");
  Definition definition = this->definition();
  if (definition.outputs.size() != 1) cursor_.fail(definition.place, "a parameter has one type");
  Operands none;
  const Handle node = make_node(scope, definition, Operator{"Data", "", 0}, none);
  ge_ir_attr index{};
  index.struct_size = sizeof index;
  index.kind = GE_IR_ATTR_KIND_INT;
  index.i = static_cast<int64_t>(position);
  attr_set(AttrOwner{node}, "index", index);
  describe(node, definition);
  SeenKeys seen{{{AttrOwner{node}, "index"}}};
  attributes(node, seen);
}

void GraphReader::statement(Scope& scope) {
  const char c = cursor_.peek();
  if (c == '%') {
    node_statement(scope);
  } else if (c == '"' || !cursor_.peek_word().empty()) {
    keyword_or_call(scope);
  } else {
    cursor_.fail_expected("a statement such as '%name = Operator(...)' or 'return ...', or '}'");
  }
}

void GraphReader::keyword_or_call(Scope& scope) {
  if (cursor_.accept_word("return")) return return_statement(scope);
  if (cursor_.accept_word("attr")) return graph_attribute(scope);
  if (cursor_.accept_word("opset")) return opset(scope);
  if (cursor_.accept_word("library")) return library(scope);
  call_statement(scope);
}

/// `opset [domain] version`: what operators without `@version` have.
void GraphReader::opset(Scope& scope) {
  const size_t place = cursor_.here();
  if (scope.parent != nullptr || has_nodes_) {
    cursor_.fail(place, "'opset' stands at the top of the outermost graph, before its first node");
  }
  const std::string domain = cursor_.is_number() ? std::string() : cursor_.word("a domain or an opset version");
  const auto version = static_cast<int32_t>(cursor_.integer("an opset version", 0, INT32_MAX));
  if (!versions_.emplace(domain, version).second) {
    cursor_.fail(place, "the version of domain '" + shorten(domain) + "' was said before");
  }
}

void GraphReader::graph_attribute(Scope& scope) {
  const size_t place = cursor_.here();
  const std::string key = cursor_.word("an attribute name");
  cursor_.expect('=', "'=' after an attribute name");
  if (attr_exists(AttrOwner{scope.graph}, key))
    cursor_.fail(place, "the graph has an attribute '" + shorten(key) + "' already");
  AttrValue value;
  values_.attribute(value);
  located(cursor_, place, [&] { attr_set(AttrOwner{scope.graph}, key, value.attr); });
}

void GraphReader::library(Scope& scope) {
  has_nodes_ = true;
  const size_t place = cursor_.here();
  const std::string key = cursor_.word("a key after 'library'");
  cursor_.expect(':', "':' and a graph after the key of a library graph");
  child(scope, scope.graph, key, place);
}

/// `return values`: the NetOutput node.
void GraphReader::return_statement(Scope& scope) {
  Definition definition;
  definition.name = "NetOutput";
  definition.place = cursor_.here();
  Operands operands;
  if (cursor_.accept('(')) {
    cursor_.expect(')', "')': values stand behind 'return' without parentheses");
  } else if (cursor_.peek() != '}' && cursor_.peek() != '{') {
    do {
      operand(scope, operands);
    } while (cursor_.accept(','));
  }
  const Handle node = make_node(scope, definition, Operator{"NetOutput", "", 0}, operands);
  SeenKeys seen;
  rest(scope, node, definition, seen);
}

void GraphReader::node_statement(Scope& scope) {
  cursor_.accept('%');
  Definition definition = this->definition();
  cursor_.expect('=', "'=' and an operator");
  if (values_.is_dtype()) return constant_statement(scope, definition);
  const Operator op = this->op();
  Operands operands;
  call_operands(scope, operands);
  const Handle node = make_node(scope, definition, op, operands);
  SeenKeys seen;
  rest(scope, node, definition, seen);
}

/// An operator without `%name =`: a node without outputs, named by the library.
void GraphReader::call_statement(Scope& scope) {
  Definition definition;
  definition.place = cursor_.here();
  const Operator op = this->op();
  if (cursor_.peek() != '(') {
    cursor_.fail_expected("'(' after operator " + shorten(op.type),
                          did_you_mean(op.type, {"return", "attr", "opset", "library"}));
  }
  Operands operands;
  call_operands(scope, operands);
  const Handle node = make_node(scope, definition, op, operands);
  SeenKeys seen;
  rest(scope, node, definition, seen);
}

void GraphReader::constant_statement(Scope& scope, Definition& definition) {
  if (definition.outputs.size() != 1) cursor_.fail(definition.place, "a constant has one output");
  Constant constant = values_.constant();
  const Handle node = make_constant(scope, definition, constant);
  if (!definition.outputs[0].has_type) {
    definition.outputs[0].type = std::move(constant.type);
    definition.outputs[0].has_type = true;
  }
  SeenKeys seen{{{AttrOwner{node}, "value"}}};
  rest(scope, node, definition, seen);
}

/// What every node may have behind its operands.
void GraphReader::rest(Scope& scope, Handle node, Definition& definition, SeenKeys& seen) {
  describe(node, definition);
  attributes(node, seen);
  controls(scope, node);
  bodies(scope, node);
}

// ------------------------------------------------------------------ left of '='

Definition GraphReader::definition() {
  Definition definition;
  definition.place = cursor_.here() - 1;
  definition.name = cursor_.name("a name after '%'");
  if (definition.name.empty()) cursor_.fail(definition.place, "a node name must not be empty");
  definition_types(definition);
  return definition;
}

void GraphReader::definition_types(Definition& definition) {
  if (!cursor_.accept(':')) {
    definition.outputs.emplace_back();
    if (cursor_.accept_word("as")) definition.outputs[0].label = label(definition.name);
    return;
  }
  if (!cursor_.accept('(')) {
    definition.outputs.push_back(output(definition.name));
    return;
  }
  while (!cursor_.accept(')')) {
    if (!definition.outputs.empty()) {
      cursor_.expect(',', "',' or ')' after a type");
      if (cursor_.accept(')')) break;
    }
    definition.outputs.push_back(output(definition.name));
  }
}

Output GraphReader::output(const std::string& name) {
  Output output;
  output.type = values_.type();
  output.has_type = true;
  if (cursor_.accept_word("as")) output.label = label(name);
  return output;
}

/// The value name after `as`; `~` stands for the node's name.
std::string GraphReader::label(const std::string& name) {
  if (cursor_.accept('~')) return name + std::string(cursor_.name_characters());
  cursor_.here();
  return cursor_.name("a value name after 'as'");
}

// ------------------------------------------------------------------ right of '='

/// `Type`, `domain::Type`, `Type@version`.
Operator GraphReader::op() {
  Operator op;
  op.type = cursor_.word("an operator");
  if (cursor_.accept_text("::")) {
    op.domain = std::move(op.type);
    op.type = cursor_.word("an operator after '::'");
  }
  if (cursor_.accept('@')) {
    op.version = static_cast<int32_t>(cursor_.integer("an opset version", INT32_MIN, INT32_MAX));
    return op;
  }
  const bool is_own = op.domain.empty() && (op.type == "Data" || op.type == "Const" || op.type == "NetOutput");
  const auto said = is_own ? versions_.end() : versions_.find(op.domain);
  if (said != versions_.end()) op.version = said->second;
  return op;
}

void GraphReader::call_operands(Scope& scope, Operands& operands) {
  cursor_.expect('(', "'(' and the operands");
  while (!cursor_.accept(')')) {
    if (!operands.producers.empty()) {
      cursor_.expect(',', "',' or ')' after an operand");
      if (cursor_.accept(')')) break;
    }
    operand(scope, operands);
  }
}

/// `%name`, `%name[i]`, `_` or a constant; `: type` is the input's own descriptor.
void GraphReader::operand(Scope& scope, Operands& operands) {
  const auto slot = static_cast<uint32_t>(operands.producers.size());
  operands.producers.push_back(0);
  operands.indices.push_back(0);
  if (cursor_.accept('%')) {
    value(scope, operands, slot);
  } else if (values_.is_dtype()) {
    inline_constant(scope, operands, slot);
  } else if (!cursor_.accept_word("_")) {
    cursor_.fail_expected("an operand: '%name', '_' or a constant", did_you_mean_dtype(cursor_.peek_word()));
  }
  if (cursor_.accept(':')) operands.types.emplace_back(slot, values_.type());
}

void GraphReader::value(Scope& scope, Operands& operands, uint32_t slot) {
  Pending pending;
  pending.slot = slot;
  pending.place = cursor_.here() - 1;
  while (cursor_.accept('^')) ++pending.skipped;
  pending.name = cursor_.name("a name after '%'");
  if (cursor_.accept('[')) {
    pending.index = static_cast<uint32_t>(cursor_.integer("an output index", 0, UINT32_MAX));
    cursor_.expect(']', "']' after an output index");
  }
  const auto known = pending.skipped == 0 ? scope.names.find(pending.name) : scope.names.end();
  if (known == scope.names.end()) {
    operands.pending.push_back(std::move(pending));
    return;
  }
  check_output(known->second, pending.name, pending.index, pending.place);
  operands.producers[slot] = known->second.node;
  operands.indices[slot] = pending.index;
}

void GraphReader::inline_constant(Scope& scope, Operands& operands, uint32_t slot) {
  Definition definition;
  definition.place = cursor_.here();
  definition.outputs.emplace_back();
  Constant constant = values_.constant();
  operands.producers[slot] = make_constant(scope, definition, constant);
  definition.outputs[0].type = std::move(constant.type);
  definition.outputs[0].has_type = true;
  describe(operands.producers[slot], definition);
}

// ------------------------------------------------------------------ nodes

/// The name to create a node under; nodes without one get theirs at the end of the graph.
std::string GraphReader::node_name(Scope& scope, const Definition& definition, const std::string& base) {
  if (!definition.name.empty()) {
    const auto earlier = scope.names.find(definition.name);
    if (earlier == scope.names.end()) return definition.name;
    cursor_.fail(definition.place, "%" + shorten(definition.name) + " is defined in this graph already, in line " +
                                       std::to_string(cursor_.line_of(earlier->second.place)));
  }
  scope.unnamed.push_back(Unnamed{0, base});
  std::string name;
  do {
    name = "\x01" + std::to_string(++unnamed_count_);
  } while (graph_has_node(scope.graph, name));
  return name;
}

Handle GraphReader::make_node(Scope& scope, const Definition& definition, const Operator& op, Operands& operands) {
  has_nodes_ = has_nodes_ || op.type != "Data";
  const std::string name = node_name(scope, definition, op.type);
  ge_ir_node_spec spec{};
  spec.struct_size = sizeof spec;
  spec.type_symbol = values_.symbol(op.type);
  spec.domain_symbol = values_.symbol(op.domain);
  spec.op_version = op.version;
  spec.name = reinterpret_cast<const uint8_t*>(name.data());
  spec.name_size = name.size();
  spec.input_count = operands.producers.size();
  spec.input_nodes = operands.producers.empty() ? nullptr : operands.producers.data();
  spec.input_indices = operands.indices.empty() ? nullptr : operands.indices.data();
  spec.output_count = definition.outputs.size();
  const Handle node = located(cursor_, definition.place, [&] { return node_create(scope.graph, spec); });
  if (definition.name.empty()) {
    scope.unnamed.back().node = node;
  } else {
    scope.names.emplace(name, Named{node, definition.outputs.size(), definition.place});
  }
  for (Pending& pending : operands.pending) {
    pending.node = node;
    scope.pending.push_back(std::move(pending));
  }
  for (const auto& [slot, type] : operands.types) {
    located(cursor_, definition.place,
            [&, slot = slot, &type = type] { desc_set(node, GE_IR_SCOPE_INPUT, slot, type.desc()); });
  }
  return node;
}

Handle GraphReader::make_constant(Scope& scope, const Definition& definition, const Constant& constant) {
  Operands none;
  const Handle node = make_node(scope, definition, Operator{"Const", "", 0}, none);
  ge_ir_attr value{};
  value.struct_size = sizeof value;
  value.kind = GE_IR_ATTR_KIND_TENSOR;
  value.i = static_cast<int64_t>(constant.tensor.get());
  attr_set(AttrOwner{node}, "value", value);
  return node;
}

/// Sets the descriptors and names of the outputs.
void GraphReader::describe(Handle node, const Definition& definition) {
  for (size_t i = 0; i < definition.outputs.size(); ++i) {
    const Output& output = definition.outputs[i];
    const auto index = static_cast<uint32_t>(i);
    located(cursor_, definition.place, [&] {
      if (output.has_type) desc_set(node, GE_IR_SCOPE_OUTPUT, index, output.type.desc());
      if (!output.label.empty()) value_set_name(node, index, output.label);
    });
  }
}

void GraphReader::attributes(Handle node, SeenKeys& seen) {
  if (!cursor_.accept('{')) return;
  bool is_first = true;
  while (!cursor_.accept('}')) {
    if (!is_first) {
      cursor_.expect(',', "',' or '}' after an attribute");
      if (cursor_.accept('}')) break;
    }
    attribute(node, seen);
    is_first = false;
  }
}

/// The part of the node that a key belongs to: `in[0].`, `out[0].`, or the node itself.
AttrOwner GraphReader::attribute_owner(Handle node) {
  AttrOwner owner{node};
  const std::string_view word = cursor_.peek_word();
  if (word != "in" && word != "out") return owner;
  const size_t start = cursor_.here();
  cursor_.accept_word(word);
  if (!cursor_.accept('[')) {
    cursor_.go_to(start);  // an attribute that has this name
    return owner;
  }
  owner.scope = word == "in" ? GE_IR_SCOPE_INPUT : GE_IR_SCOPE_OUTPUT;
  owner.index = static_cast<uint32_t>(cursor_.integer("an index", 0, UINT32_MAX));
  cursor_.expect(']', "']' after an index");
  cursor_.expect('.', "'.' and an attribute name");
  return owner;
}

void GraphReader::attribute(Handle node, SeenKeys& seen) {
  const size_t place = cursor_.here();
  const AttrOwner owner = attribute_owner(node);
  const std::string key = cursor_.word("an attribute name");
  cursor_.expect('=', "'=' after an attribute name");
  require_new_key(seen, owner, key, place);
  AttrValue value;
  values_.attribute(value);
  located(cursor_, place, [&] { attr_set(owner, key, value.attr); });
}

void GraphReader::require_new_key(SeenKeys& seen, const AttrOwner& owner, const std::string& key, size_t place) {
  const auto is_same = [&](const auto& other) {
    return other.first.scope == owner.scope && other.first.index == owner.index && other.second == key;
  };
  bool is_known = std::any_of(seen.keys.begin(), seen.keys.end(), is_same);
  if (seen.keys.size() < kFewKeys) {
    seen.keys.emplace_back(owner, key);
  } else if (!is_known) {
    is_known = located(cursor_, place, [&] { return attr_exists(owner, key); });
  }
  if (is_known) cursor_.fail(place, "attribute '" + shorten(key) + "' was given before");
}

void GraphReader::controls(Scope& scope, Handle node) {
  if (!cursor_.accept_word("after")) return;
  do {
    if (!cursor_.accept('%')) cursor_.fail_expected("'%name' of a node after 'after'");
    const size_t place = cursor_.here() - 1;
    scope.controls.push_back(Control{node, place, cursor_.name("a name after '%'")});
  } while (cursor_.accept(','));
}

/// `key: graph ...` as long as there are such.
void GraphReader::bodies(Scope& scope, Handle node) {
  while (cursor_.peek() == '"' || !cursor_.peek_word().empty()) {
    const size_t start = cursor_.here();
    const std::string key = cursor_.word("a key");
    if (cursor_.accept_text("::") || !cursor_.accept(':')) {
      cursor_.go_to(start);
      return;
    }
    child(scope, node, key, start);
  }
}

// ------------------------------------------------------------------ names

void GraphReader::check_output(const Named& producer, const std::string& name, uint32_t index, size_t place) {
  if (index < producer.outputs) return;
  cursor_.fail(place, "%" + shorten(name) + " has " + std::to_string(producer.outputs) +
                          (producer.outputs == 1 ? " output" : " outputs") + ", there is no output " +
                          std::to_string(index));
}

void GraphReader::link(const Pending& pending, const Named& producer) {
  check_output(producer, pending.name, pending.index, pending.place);
  located(cursor_, pending.place, [&] { node_set_input(pending.node, pending.slot, producer.node, pending.index); });
}

void GraphReader::fail_undefined(const Scope& scope, const std::string& name, size_t place) {
  std::vector<std::string_view> candidates;
  if (scope.names.size() <= kMaxSuggestions) {
    for (const auto& [known, node] : scope.names) candidates.push_back(known);
  }
  std::sort(candidates.begin(), candidates.end());
  cursor_.fail(place,
               "%" + shorten(name) + " is defined nowhere in this graph or around it" + did_you_mean(name, candidates));
}

/// Makes the edges that had to wait for names; what this graph does not know may be known around it.
void GraphReader::finish(Scope& scope) {
  const Pending* lost = nullptr;
  for (Pending& pending : scope.pending) {
    const auto known = pending.skipped == 0 ? scope.names.find(pending.name) : scope.names.end();
    if (known != scope.names.end()) {
      link(pending, known->second);
    } else if (scope.parent != nullptr) {
      pending.skipped -= pending.skipped == 0 ? 0 : 1;
      scope.parent->pending.push_back(std::move(pending));
    } else if (lost == nullptr || pending.place < lost->place) {
      lost = &pending;
    }
  }
  if (lost != nullptr) fail_undefined(scope, lost->name, lost->place);
  for (const Control& control : scope.controls) {
    const auto source = scope.names.find(control.source);
    if (source == scope.names.end()) fail_undefined(scope, control.source, control.place);
    located(cursor_, control.place, [&] { control_add(source->second.node, control.target); });
  }
  for (const Unnamed& unnamed : scope.unnamed) {
    const std::string name(graph_unique_name(scope.graph, unnamed.base));
    node_set_name(unnamed.node, name);
  }
}

}  // namespace

uint64_t parse_graph(std::string_view text, std::string_view source_name) {
  return GraphReader(text, source_name).run();
}

}  // namespace text
}  // namespace ge_ir
