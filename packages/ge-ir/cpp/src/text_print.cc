#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ge_ir/text.h"
#include "ge_ir/text_bytes.h"
#include "ge_ir/text_client.h"
#include "ge_ir/text_tables.h"
#include "ge_ir/text_writer.h"

namespace ge_ir {
namespace text {
namespace {

/// Symbols of the operators that have a form of their own.
struct KnownOps {
  uint32_t data = intern("Data");
  uint32_t constant = intern("Const");
  uint32_t net_output = intern("NetOutput");

  /// These belong to the engine at version 0, so `opset` lines do not speak of them.
  bool has_own_name(const NodeOp& op) const noexcept {
    return op.domain == 0 && (op.type == data || op.type == constant || op.type == net_output);
  }
  bool has_own_form(const NodeOp& op) const noexcept { return op.version == 0 && has_own_name(op); }
};

/// How one node of a graph is written.
enum class Form { kOrdinary, kParameter, kConstant, kReturn };

class Printer {
 public:
  Printer(std::string& out, uint32_t flags) : out_(out), values_(out, flags) {}

  void run(Handle root) {
    count_versions(root);
    out_ += "graph ";
    graph(root, 0);
    out_ += '\n';
  }

 private:
  void count_versions(Handle root);
  void graph(Handle graph, uint32_t depth);
  void block(Handle graph, uint32_t depth, const std::vector<Handle>& nodes, size_t first);
  size_t parameters(const std::vector<Handle>& nodes, uint32_t depth);
  bool is_parameter(Handle node, uint64_t position);
  void opsets(uint32_t depth);
  void graph_attributes(Handle graph, uint32_t depth);
  void library(Handle graph, uint32_t depth);
  void statement(Handle node, uint32_t depth, bool is_last);
  Form form_of(Handle node, const NodeOp& op, const Arity& arity, bool is_last);
  bool is_constant(Handle node);
  bool is_plain(Handle node);
  void definition(Handle node, const Arity& arity, Form form);
  void output(Handle node, uint32_t index);
  void value_label(Handle node, uint32_t index);
  bool has_tensor_type(Handle node, const ge_ir_desc& desc);
  void op(const NodeOp& op);
  void operands(Handle node, const Arity& arity);
  void operand(Handle node, uint32_t slot, Handle producer, uint32_t index);
  void reference(Handle producer, uint32_t index);
  void own_desc(Handle node, uint32_t slot, Handle producer, uint32_t index);
  void attributes(Handle node, const Arity& arity, size_t skipped);
  void attribute_group(const AttrOwner& owner, size_t skipped, bool& is_open);
  void controls(Handle node);
  void uses(Handle node, const Arity& arity);
  void bodies(Handle node, uint32_t depth);
  void indent(uint32_t depth) { out_.append(2 * size_t{depth}, ' '); }

  std::string& out_;
  ValueWriter values_;
  KnownOps known_;
  std::vector<Handle> scopes_;                          // graphs around the node being written, innermost last
  std::vector<std::pair<uint32_t, int32_t>> versions_;  // domain and the version that is not written
  Inputs inputs_;
  std::vector<Handle> handles_;
  std::vector<uint32_t> keys_;
};

/// Finds for every domain the version that most nodes have: it is said once, at the top.
void Printer::count_versions(Handle root) {
  std::map<std::string, std::map<int32_t, uint64_t>> counts;
  std::map<std::pair<uint32_t, int32_t>, uint64_t> by_symbol;
  std::vector<Handle> todo{root}, nodes, children;
  while (!todo.empty()) {
    const Handle graph = todo.back();
    todo.pop_back();
    subgraph_list(graph, children);
    todo.insert(todo.end(), children.begin(), children.end());
    graph_nodes(graph, nodes);
    for (const Handle node : nodes) {
      const NodeOp op = node_op(node);
      if (!known_.has_own_name(op)) ++by_symbol[{op.domain, op.version}];
      subgraph_list(node, children);
      todo.insert(todo.end(), children.begin(), children.end());
    }
  }
  for (const auto& [key, count] : by_symbol) counts[std::string(symbol_text(key.first))][key.second] = count;
  for (const auto& [domain, versions] : counts) {
    auto most = versions.begin();
    for (auto version = versions.begin(); version != versions.end(); ++version) {
      if (version->second >= most->second) most = version;  // the newer one of two that are equally frequent
    }
    if (most->first != 0) versions_.emplace_back(intern(domain), most->first);
  }
}

/// `@name(parameters) {block}`; the caller has written what stands before it.
void Printer::graph(Handle graph, uint32_t depth) {
  const std::string_view name = graph_name(graph);
  out_ += '@';
  append_name(out_, name);
  if (scopes_.size() >= kMaxDepth) {
    if (values_.elides()) {
      out_ += " { ... }";
      return;
    }
    throw abi::Failure(GE_STATUS_REFUSED, "graph \"" + std::string(name) + "\" stands more than " +
                                              std::to_string(kMaxDepth) + " graphs deep: the text form ends there");
  }
  scopes_.push_back(graph);
  std::vector<Handle> nodes;
  graph_nodes(graph, nodes);
  const size_t first = parameters(nodes, depth);
  out_ += " {\n";
  block(graph, depth, nodes, first);
  indent(depth);
  out_ += '}';
  scopes_.pop_back();
}

void Printer::block(Handle graph, uint32_t depth, const std::vector<Handle>& nodes, size_t first) {
  const size_t head_size = out_.size();
  if (scopes_.size() == 1) opsets(depth + 1);
  graph_attributes(graph, depth + 1);
  library(graph, depth + 1);
  if (out_.size() != head_size && first < nodes.size()) out_ += '\n';
  const bool is_cut = values_.elides() && nodes.size() - first > 2 * kElidedNodes;
  for (size_t i = first; i < nodes.size(); ++i) {
    if (is_cut && i == first + kElidedNodes) {
      const size_t hidden = nodes.size() - first - 2 * kElidedNodes;
      indent(depth + 1);
      out_ += "... " + std::to_string(hidden) + (hidden == 1 ? " node ...\n" : " nodes ...\n");
      i += hidden;
    }
    statement(nodes[i], depth + 1, i + 1 == nodes.size());
  }
}

/// No control inputs and no subgraphs.
bool Printer::is_plain(Handle node) {
  control_inputs(node, handles_);
  if (!handles_.empty()) return false;
  subgraph_list(node, handles_);
  return handles_.empty();
}

/// A Data node whose first attribute is `index`, saying the place where it stands.
bool Printer::is_parameter(Handle node, uint64_t position) {
  const NodeOp op = node_op(node);
  if (op.type != known_.data || op.domain != 0 || op.version != 0) return false;
  const Arity arity = node_arity(node);
  if (arity.inputs != 0 || arity.outputs != 1 || !is_plain(node)) return false;
  const AttrOwner self{node};
  attr_keys(self, keys_);
  if (keys_.empty() || symbol_text(keys_[0]) != "index") return false;
  const ge_ir_attr index = attr_get(self, "index");
  return index.kind == GE_IR_ATTR_KIND_INT && index.i == static_cast<int64_t>(position);
}

/// Writes the leading Data nodes as parameters, one a line; returns how many there are.
size_t Printer::parameters(const std::vector<Handle>& nodes, uint32_t depth) {
  size_t count = 0;
  while (count < nodes.size() && is_parameter(nodes[count], count)) ++count;
  if (count == 0) return 0;
  const bool is_cut = values_.elides() && count > 2 * kElidedNodes;
  out_ += "(\n";
  for (size_t i = 0; i < count; ++i) {
    indent(depth + 2);
    if (is_cut && i == kElidedNodes) {
      i = count - kElidedNodes;
      out_ += "... " + std::to_string(count - 2 * kElidedNodes) + " parameters ...\n";
      indent(depth + 2);
    }
    const Arity arity{0, 1};
    definition(nodes[i], arity, Form::kParameter);
    attributes(nodes[i], arity, 1);
    out_ += ',';
    uses(nodes[i], arity);
    out_ += '\n';
  }
  indent(depth);
  out_ += ')';
  return count;
}

void Printer::opsets(uint32_t depth) {
  for (const auto& [domain, version] : versions_) {
    indent(depth);
    out_ += "opset ";
    if (domain != 0) {
      append_word(out_, symbol_text(domain));
      out_ += ' ';
    }
    append_int(out_, version);
    out_ += '\n';
  }
}

void Printer::graph_attributes(Handle graph, uint32_t depth) {
  const AttrOwner owner{graph};
  attr_keys(owner, keys_);
  for (const uint32_t key : keys_) {
    const std::string_view text = symbol_text(key);
    indent(depth);
    out_ += "attr ";
    append_word(out_, text);
    out_ += " = ";
    values_.attribute(attr_get(owner, text));
    out_ += '\n';
  }
}

void Printer::library(Handle graph, uint32_t depth) {
  std::vector<Handle> functions;
  subgraph_list(graph, functions);
  for (const Handle function : functions) {
    indent(depth);
    out_ += "library ";
    append_word(out_, graph_key(function));
    out_ += ": graph ";
    this->graph(function, depth);
    out_ += '\n';
  }
}

bool Printer::is_constant(Handle node) {
  const AttrOwner self{node};
  attr_keys(self, keys_);
  return !keys_.empty() && symbol_text(keys_[0]) == "value" && attr_get(self, "value").kind == GE_IR_ATTR_KIND_TENSOR;
}

Form Printer::form_of(Handle node, const NodeOp& op, const Arity& arity, bool is_last) {
  if (!known_.has_own_form(op)) return Form::kOrdinary;
  if (op.type == known_.constant && arity.inputs == 0 && arity.outputs == 1 && is_constant(node))
    return Form::kConstant;
  if (op.type != known_.net_output || arity.outputs != 0 || !is_last || node_name(node) != "NetOutput") {
    return Form::kOrdinary;
  }
  subgraph_list(node, handles_);
  return handles_.empty() ? Form::kReturn : Form::kOrdinary;
}

void Printer::statement(Handle node, uint32_t depth, bool is_last) {
  const NodeOp op = node_op(node);
  const Arity arity = node_arity(node);
  const Form form = form_of(node, op, arity, is_last);
  indent(depth);
  if (form == Form::kReturn) {
    out_ += arity.inputs == 0 ? "return ()" : "return ";
  } else {
    definition(node, arity, form);
    out_ += " = ";
  }
  if (form == Form::kConstant) {
    values_.tensor(static_cast<Handle>(attr_get(AttrOwner{node}, "value").i));
  } else if (form == Form::kReturn) {
    operands(node, arity);
  } else {
    this->op(op);
    out_ += '(';
    operands(node, arity);
    out_ += ')';
  }
  attributes(node, arity, form == Form::kConstant ? 1 : 0);
  controls(node);
  uses(node, arity);
  out_ += '\n';
  bodies(node, depth);
}

/// `%name`, with `: type` and `as label` where there is something to say.
void Printer::definition(Handle node, const Arity& arity, Form form) {
  out_ += '%';
  append_name(out_, node_name(node));
  if (arity.outputs != 1) {
    out_ += ": (";
    for (uint64_t i = 0; i < arity.outputs; ++i) {
      if (i != 0) out_ += ", ";
      output(node, static_cast<uint32_t>(i));
    }
    out_ += ')';
    return;
  }
  ge_ir_desc desc{};
  desc_find(node, GE_IR_SCOPE_OUTPUT, 0, desc);
  const bool is_implied = form == Form::kConstant ? has_tensor_type(node, desc) : is_unset(desc);
  if (!is_implied) {
    out_ += ": ";
    values_.type(desc);
  }
  value_label(node, 0);
}

/// A constant's type is what its tensor says.
bool Printer::has_tensor_type(Handle node, const ge_ir_desc& desc) {
  const ge_ir_tensor_info info = tensor_info(static_cast<Handle>(attr_get(AttrOwner{node}, "value").i));
  ge_ir_desc implied{};
  implied.dtype = info.dtype;
  implied.format = info.format;
  implied.origin_format = 2;
  implied.rank_kind = GE_IR_RANK_KIND_KNOWN;
  implied.dims = info.dims;
  implied.dim_count = info.dim_count;
  return same_desc(desc, implied);
}

void Printer::output(Handle node, uint32_t index) {
  ge_ir_desc desc{};
  desc_find(node, GE_IR_SCOPE_OUTPUT, index, desc);
  values_.type(desc);
  value_label(node, index);
}

/// `as name`, with `~` for the node's own name at its start.
void Printer::value_label(Handle node, uint32_t index) {
  const std::string_view name = value_name(node, index);
  if (name.empty()) return;
  out_ += " as ";
  const std::string_view own = node_name(node);
  const std::string_view rest = name.substr(std::min(own.size(), name.size()));
  if (name.substr(0, own.size()) == own && (rest.empty() || is_name(rest))) {
    out_ += '~';
    out_ += rest;
  } else {
    append_name(out_, name);
  }
}

void Printer::op(const NodeOp& op) {
  const std::string_view type = symbol_text(op.type), domain = symbol_text(op.domain);
  // A word that names an element type starts a constant there, so such an operator is quoted.
  const auto append = [this](std::string_view word) {
    dtype_named(word) != nullptr ? append_quoted(out_, word) : append_word(out_, word);
  };
  if (op.domain != 0) {
    append(domain);
    out_ += "::";
  }
  append(type);
  int32_t expected = 0;
  for (const auto& [symbol, version] : versions_) {
    if (symbol == op.domain && !known_.has_own_name(op)) expected = version;
  }
  if (op.version == expected) return;
  out_ += '@';
  append_int(out_, op.version);
}

void Printer::operands(Handle node, const Arity& arity) {
  node_inputs(node, arity.inputs, inputs_);
  for (uint64_t i = 0; i < arity.inputs; ++i) {
    if (i != 0) out_ += ", ";
    operand(node, static_cast<uint32_t>(i), inputs_.producers[i], inputs_.indices[i]);
  }
}

void Printer::operand(Handle node, uint32_t slot, Handle producer, uint32_t index) {
  if (producer == 0) {
    out_ += '_';
  } else {
    reference(producer, index);
  }
  own_desc(node, slot, producer, index);
}

/// `%name` or `%name[index]`, with one `^` for each graph that the search for the name must skip.
void Printer::reference(Handle producer, uint32_t index) {
  const std::string_view name = node_name(producer);
  const Handle home = node_graph(producer);
  out_ += '%';
  if (home != scopes_.back()) {
    size_t skipped = 0;
    for (size_t level = 0; level < scopes_.size(); ++level) {
      const Handle scope = scopes_[scopes_.size() - 1 - level];
      if (scope == home) break;
      if (graph_has_node(scope, name)) skipped = level + 1;
    }
    out_.append(skipped, '^');
  }
  append_name(out_, name);
  if (index == 0 && node_arity(producer).outputs == 1) return;
  out_ += '[';
  append_uint(out_, index);
  out_ += ']';
}

/// The input's own type, if it is another than its producer's.
void Printer::own_desc(Handle node, uint32_t slot, Handle producer, uint32_t index) {
  ge_ir_desc own{}, given{};
  if (!desc_find(node, GE_IR_SCOPE_INPUT, slot, own)) return;
  if (producer != 0 && desc_find(producer, GE_IR_SCOPE_OUTPUT, index, given) && same_desc(own, given)) return;
  out_ += ": ";
  values_.type(own);
}

void Printer::attributes(Handle node, const Arity& arity, size_t skipped) {
  bool is_open = false;
  attribute_group(AttrOwner{node}, skipped, is_open);
  for (uint64_t i = 0; i < arity.inputs; ++i) {
    attribute_group(AttrOwner{node, GE_IR_SCOPE_INPUT, static_cast<uint32_t>(i)}, 0, is_open);
  }
  for (uint64_t i = 0; i < arity.outputs; ++i) {
    attribute_group(AttrOwner{node, GE_IR_SCOPE_OUTPUT, static_cast<uint32_t>(i)}, 0, is_open);
  }
  if (is_open) out_ += '}';
}

void Printer::attribute_group(const AttrOwner& owner, size_t skipped, bool& is_open) {
  attr_keys(owner, keys_);
  for (size_t i = skipped; i < keys_.size(); ++i) {
    const std::string_view key = symbol_text(keys_[i]);
    out_ += is_open ? ", " : " {";
    is_open = true;
    if (owner.scope != GE_IR_SCOPE_SELF) {
      out_ += owner.scope == GE_IR_SCOPE_INPUT ? "in[" : "out[";
      append_uint(out_, owner.index);
      out_ += "].";
    }
    append_word(out_, key);
    out_ += " = ";
    values_.attribute(attr_get(owner, key));
  }
}

void Printer::controls(Handle node) {
  control_inputs(node, handles_);
  for (size_t i = 0; i < handles_.size(); ++i) {
    out_ += i == 0 ? " after %" : ", %";
    append_name(out_, node_name(handles_[i]));
  }
}

/// The comment that counts readers: `# 2 uses`, `# 1, 0 uses`, `# unused`.
void Printer::uses(Handle node, const Arity& arity) {
  if (arity.outputs == 0) return;
  out_ += "  # ";
  uint64_t count = 0;
  for (uint64_t i = 0; i < arity.outputs; ++i) {
    count = value_use_count(node, static_cast<uint32_t>(i));
    if (arity.outputs == 1 && count == 0) break;
    if (i != 0) out_ += ", ";
    append_uint(out_, count);
  }
  out_ += arity.outputs > 1 ? " uses" : count == 0 ? "unused" : count == 1 ? " use" : " uses";
}

void Printer::bodies(Handle node, uint32_t depth) {
  std::vector<Handle> bodies;
  subgraph_list(node, bodies);
  for (const Handle body : bodies) {
    indent(depth + 1);
    // Bare, this key would be read as the clause of that name.
    const std::string_view key = graph_key(body);
    key == "after" ? append_quoted(out_, key) : append_word(out_, key);
    out_ += ": graph ";
    graph(body, depth + 1);
    out_ += '\n';
  }
}

}  // namespace

std::string print_graph(uint64_t graph, uint32_t flags) {
  std::string out;
  Printer(out, flags).run(graph);
  return out;
}

}  // namespace text
}  // namespace ge_ir
