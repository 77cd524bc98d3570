#include "ge_partition/reason.h"

#include "ge_partition/attr_probe.h"

#include <utility>

namespace ge::partition {
namespace {

constexpr char kHostEngine[] = "DNN_VM_HOST_CPU";

std::string quoted(const std::string& text) { return "'" + text + "'"; }

// "output 1 'boxes'" or "input 0".
std::string place(std::uint64_t node, std::uint32_t scope, std::uint32_t index) {
  if (scope == GE_IR_SCOPE_INPUT) return "input " + std::to_string(index);
  const std::string name = ir::value_name({node, index});
  return "output " + std::to_string(index) + (name.empty() ? "" : " " + quoted(name));
}

// What is not known of a descriptor; empty when everything is.
std::string unknown_in(const ge_ir_desc& desc) {
  if (desc.type_text != nullptr) {
    const std::string type(reinterpret_cast<const char*>(desc.type_text), desc.type_text_size);
    return "is " + type + ", which has no fixed size";
  }
  if (desc.rank_kind == GE_IR_RANK_KIND_UNSET) return "has no known shape";
  if (desc.rank_kind == GE_IR_RANK_KIND_UNKNOWN) return "has an unknown rank";
  for (std::uint64_t axis = 0; axis < desc.dim_count; ++axis) {
    if (desc.dims[axis] >= 0) continue;
    std::string text = "has unknown dimension " + std::to_string(axis);
    if (desc.dim_symbols != nullptr && desc.dim_symbols[axis] != 0) {
      text += " (" + ir::symbol_text(desc.dim_symbols[axis]) + ")";
    }
    return text;
  }
  return "";
}

// An optional result that nobody asked for has no descriptor; that says nothing of the node.
bool is_unwanted(std::uint64_t node, std::uint32_t index, const ge_ir_desc& desc) {
  return desc.rank_kind == GE_IR_RANK_KIND_UNSET && desc.type_text == nullptr && ir::use_count({node, index}) == 0 &&
         index > 0;
}

std::string unknown_shape(std::uint64_t node) {
  const std::uint32_t outputs = ir::output_count(node);
  for (std::uint32_t index = 0; index < outputs; ++index) {
    const ge_ir_desc desc = ir::desc(node, GE_IR_SCOPE_OUTPUT, index);
    if (is_unwanted(node, index, desc)) continue;
    const std::string unknown = unknown_in(desc);
    if (!unknown.empty()) return place(node, GE_IR_SCOPE_OUTPUT, index) + " " + unknown;
  }
  const std::vector<Value> inputs = ir::inputs(node);
  for (std::uint32_t slot = 0; slot < inputs.size(); ++slot) {
    if (inputs[slot].node == 0) continue;
    const std::string unknown = unknown_in(ir::desc(node, GE_IR_SCOPE_INPUT, slot));
    if (!unknown.empty()) return place(node, GE_IR_SCOPE_INPUT, slot) + " " + unknown;
  }
  return "";
}

// Attributes that make a node dynamic, by their places in the probe.
enum Key : std::uint32_t { kIsUnknown, kForceUnknown, kEngine, kTiling, kAddress };
constexpr const char* kKeys[] = {"_is_unknown_shape", "_force_unknown_shape", "_engine_name",
                                 "_dynamic_tiling_depend_op", "_is_support_addr_refresh"};

// Classifies nodes by what they say themselves.
class Classifier {
 public:
  explicit Classifier(std::uint64_t& steps)
      : probe_{kKeys[kIsUnknown], kKeys[kForceUnknown], kKeys[kEngine], kKeys[kTiling], kKeys[kAddress]},
        steps_(steps) {}

  Reason by_itself(std::uint64_t node);
  Reason by_bodies(std::uint64_t node);

 private:
  bool flag(std::uint64_t node, Key key) const { return probe_.has(key) && ir::get_int(node, kKeys[key], 0) != 0; }
  bool on_host(std::uint64_t node) const;

  AttrProbe probe_;
  std::uint64_t& steps_;
};

bool Classifier::on_host(std::uint64_t node) const {
  if (!probe_.has(kEngine)) return false;
  const ge_ir_attr engine = ir::attr(node, GE_IR_SCOPE_SELF, 0, kKeys[kEngine]);
  return engine.kind == GE_IR_ATTR_KIND_STRING &&
         std::string_view(static_cast<const char*>(engine.data), engine.count) == kHostEngine;
}

// Rules C1 to C3, C5 and C6.
Reason Classifier::by_itself(std::uint64_t node) {
  probe_.read(node);
  for (const Key key : {kIsUnknown, kForceUnknown}) {
    if (flag(node, key)) return {Rule::kForced, std::string("its attribute ") + kKeys[key] + " is true"};
  }
  if (on_host(node)) return {Rule::kHostEngine, std::string("it runs on the engine ") + kHostEngine};
  std::string unknown = unknown_shape(node);
  if (!unknown.empty()) return {Rule::kUnknownShape, std::move(unknown)};
  if (flag(node, kTiling)) return {Rule::kTiling, "its tiling needs the value of an input"};
  if (probe_.has(kAddress) && ir::get_int(node, kKeys[kAddress], 1) == 0) {
    return {Rule::kAddress, "its addresses cannot be refreshed"};
  }
  return {};
}

// Rule C4: the first node below that is dynamic by itself makes the owner dynamic.
Reason Classifier::by_bodies(std::uint64_t node) {
  for (const std::uint64_t body : bodies_below(node)) {
    for (const std::uint64_t inner : ir::nodes(body, GE_IR_ORDER_LIST)) {
      ++steps_;
      const Reason reason = by_itself(inner);
      if (reason.rule == Rule::kStatic) continue;
      return {Rule::kSubgraph, "node " + quoted(ir::node_name(inner)) + " in its subgraph " +
                                   quoted(ir::graph_name(body)) + " is dynamic: " + reason.text};
    }
  }
  return {};
}

// Marks that ask for splits of other kinds. Ignoring one would give parts that the author of the mark did not want.
void refuse_unbuilt(std::uint64_t node, AttrProbe& marks) {
  constexpr const char* kMeaning[] = {"pipeline stages", "groups of control flow"};
  constexpr const char* kMarks[] = {"_stage_level", "_control_flow_group"};
  marks.read(node);
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (!marks.has(i)) continue;
    throw abi::Failure(GE_STATUS_UNIMPLEMENTED, "node " + quoted(ir::node_name(node)) + " has the attribute " +
                                                    kMarks[i] + "; " + kMeaning[i] +
                                                    " are not implemented yet; remove the attribute to split by shape");
  }
}

bool is_reference(std::uint64_t node) {
  const ge_ir_attr source = ir::attr(node, GE_IR_SCOPE_SELF, 0, "ref_var_src_var_name");
  return source.kind == GE_IR_ATTR_KIND_STRING && source.count > 0;
}

// A reference variable goes where its consumers are: dynamic with the first dynamic one. Users come before producers
// here, so that a reference to a reference follows too.
void add_references(const FlatGraph& flat, std::vector<Reason>& reasons) {
  for (auto user = flat.order.rbegin(); user != flat.order.rend(); ++user) {
    if (!is_dynamic(reasons[*user].rule)) continue;
    for (std::uint32_t e = flat.first_edge[*user]; e < flat.first_edge[*user + 1]; ++e) {
      const std::uint32_t producer = flat.edges[e].producer;
      if (flat.roles[producer] != Role::kOperator || is_dynamic(reasons[producer].rule)) continue;
      if (!is_reference(flat.nodes[producer])) continue;
      reasons[producer] = {Rule::kReference,
                           "its consumer " + quoted(ir::node_name(flat.nodes[*user])) + " is dynamic"};
    }
  }
}

}  // namespace

std::string_view words_of(const Reason& reason) {
  if (!reason.text.empty()) return reason.text;
  switch (reason.rule) {
    case Rule::kConstant:
      return "a constant goes along with each part that reads it";
    case Rule::kBoundary:
      return "inputs and outputs of the graph stay in the root";
    default:
      return "all its shapes are known";
  }
}

bool is_dynamic(Rule rule) { return rule != Rule::kStatic && rule != Rule::kConstant && rule != Rule::kBoundary; }

std::vector<Reason> classify(const FlatGraph& flat, std::uint64_t& steps) {
  std::vector<Reason> reasons(flat.size());
  Classifier classifier(steps);
  AttrProbe marks{"_stage_level", "_control_flow_group"};
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    ++steps;
    refuse_unbuilt(flat.nodes[n], marks);
    if (flat.roles[n] == Role::kConstant) reasons[n].rule = Rule::kConstant;
    if (flat.roles[n] == Role::kInput || flat.roles[n] == Role::kOutput) reasons[n].rule = Rule::kBoundary;
    if (flat.roles[n] != Role::kOperator) continue;
    reasons[n] = classifier.by_itself(flat.nodes[n]);
    if (reasons[n].rule == Rule::kStatic && flat.has_bodies[n]) reasons[n] = classifier.by_bodies(flat.nodes[n]);
  }
  add_references(flat, reasons);
  return reasons;
}

}  // namespace ge::partition
