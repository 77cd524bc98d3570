#include "ge_passes/rewriter.h"

#include <algorithm>

#include "ge_passes/copier.h"
#include "ge_passes/graph_interface.h"
#include "ge_passes/provenance.h"

namespace ge_passes {
namespace {

/// Reads the replacement and checks that it fits the region. Nothing is edited.
GraphInterface read_replacement(const Region& region, Handle replacement) {
  if (subgraph_count(replacement) != 0) {
    fail(GE_STATUS_UNIMPLEMENTED, "replacement ", describe_graph(replacement),
         " owns library subgraphs; moving them into the target is not implemented yet");
  }
  GraphInterface plan = read_interface(replacement, graph_nodes(replacement, GE_IR_ORDER_TOPOLOGICAL), "replacement");
  const size_t inputs = region.inputs.size();
  bool fits = plan.data.size() == inputs || (region.slots_may_lack && plan.data.size() < inputs);
  size_t present = 0;
  for (const Handle data : plan.data) present += data != 0 ? 1 : 0;
  plan.data.resize(std::max(plan.data.size(), inputs), 0);
  for (size_t i = 0; i < inputs && fits; ++i) {
    fits = plan.data[i] != 0 || (region.slots_may_lack && region.inputs[i].node == 0);
  }
  if (!fits || plan.outputs.size() != region.outputs.size()) {
    fail(GE_STATUS_INVALID_ARGUMENT, "replacement ", describe_graph(replacement), " has ", uint64_t{present},
         " inputs and ", uint64_t{plan.outputs.size()}, " outputs; what it replaces has ", uint64_t{inputs},
         " inputs and ", uint64_t{region.outputs.size()}, " outputs (inputs are Data nodes with index 0, 1, ...)");
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.outputs[i].node == 0 && use_count(region.outputs[i]) != 0) {
      fail(GE_STATUS_INVALID_ARGUMENT, "output ", uint64_t{i}, " of replacement ", describe_graph(replacement),
           " is absent, but output ", region.outputs[i].index, " of ", describe(region.outputs[i].node), " is read");
    }
  }
  return plan;
}

bool is_unset(const ge_ir_desc& desc) noexcept {
  return desc.dtype == GE_IR_DTYPE_UNDEFINED && desc.rank_kind == GE_IR_RANK_KIND_UNSET && desc.type_text == nullptr;
}

/// One replacement in progress.
class Rewrite {
 public:
  Rewrite(const Region& region, const Placement& placement, std::string_view pass_name, Transaction& transaction)
      : region_(region), placement_(placement), provenance_(region.nodes, pass_name), copier_(transaction) {}

  std::vector<Created> run(const GraphInterface& plan) {
    create_nodes(plan);
    for (const Handle node : placement_.moved) move_before(node, placement_.anchor);
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      if (plan.outputs[i].node != 0) move_output(region_.outputs[i], copier_.mapped(plan.outputs[i]));
    }
    carry_controls(region_.control_sources, region_.control_targets);
    remove_old();
    return std::move(created_);
  }

 private:
  void create_nodes(const GraphInterface& plan) {
    for (size_t i = 0; i < plan.data.size(); ++i) {
      if (plan.data[i] != 0) copier_.stand_in(plan.data[i], region_.inputs[i]);
    }
    for (const Handle original : plan.inner) {
      const Op op = op_of(original);
      const std::string name = unique_name(region_.graph, provenance_.name_for(op.type));
      const Handle node = copier_.copy(original, region_.graph, placement_.anchor, name);
      provenance_.mark(node);
      created_.push_back({node, class_key(op)});
    }
    copier_.finish();
    for (const Created& made : created_) new_nodes_.set(made.node, 1);
  }

  void move_output(Value old, Value fresh) {
    if (fresh.node == 0) {
      if (use_count(old) == 0) return;
      fail(GE_STATUS_INVALID_ARGUMENT, "output ", old.index, " of ", describe(old.node),
           " is replaced by an input that is absent, but it is read");
    }
    if (new_nodes_.contains(fresh.node)) {
      const ge_ir_desc desc = get_desc(fresh.node, GE_IR_SCOPE_OUTPUT, fresh.index);
      if (is_unset(desc))
        set_desc(fresh.node, GE_IR_SCOPE_OUTPUT, fresh.index, get_desc(old.node, GE_IR_SCOPE_OUTPUT, old.index));
      const std::string_view name = value_name(old);
      if (!name.empty() && value_name(fresh).empty()) set_value_name(fresh, std::string(name));
    }
    replace_uses(old, fresh);
  }

  /// New nodes that no other new node precedes (or follows).
  std::vector<Handle> border(bool entries) const {
    std::vector<Handle> found;
    PairList pairs;
    std::vector<Handle> controls;
    const auto is_new = [this](Handle node) { return new_nodes_.contains(node); };
    for (const Created& made : created_) {
      bool inside = false;
      if (entries) {
        read_inputs(made.node, pairs);
        inside = std::any_of(pairs.nodes.begin(), pairs.nodes.begin() + static_cast<ptrdiff_t>(pairs.count), is_new);
        read_control_inputs(made.node, controls);
      } else {
        const uint64_t outputs = arity(made.node).second;
        for (uint32_t i = 0; i < outputs && !inside; ++i) {
          read_uses({made.node, i}, pairs);
          inside = std::any_of(pairs.nodes.begin(), pairs.nodes.begin() + static_cast<ptrdiff_t>(pairs.count), is_new);
        }
        read_control_outputs(made.node, controls);
      }
      if (!inside && std::none_of(controls.begin(), controls.end(), is_new)) found.push_back(made.node);
    }
    return found;
  }

  void carry_controls(const std::vector<Handle>& sources, const std::vector<Handle>& targets) {
    if (sources.empty() && targets.empty()) return;
    if (created_.empty()) {
      for (const Handle source : sources) {
        for (const Handle target : targets) add_control(source, target);
      }
      return;
    }
    if (!sources.empty()) {
      for (const Handle entry : border(true)) {
        for (const Handle source : sources) add_control(source, entry);
      }
    }
    if (targets.empty()) return;
    for (const Handle exit : border(false)) {
      for (const Handle target : targets) add_control(exit, target);
    }
  }

  void remove_old() {
    for (auto node = region_.nodes.rbegin(); node != region_.nodes.rend(); ++node) remove_node(*node);
    for (const Handle constant : region_.constants) {
      const uint64_t outputs = arity(constant).second;
      bool read = false;
      for (uint32_t i = 0; i < outputs && !read; ++i) read = use_count({constant, i}) != 0;
      if (read) continue;
      Region alone;
      alone.nodes.push_back(constant);
      find_controls(alone);
      carry_controls(alone.control_sources, alone.control_targets);
      remove_node(constant);
    }
  }

  const Region& region_;
  const Placement& placement_;
  Provenance provenance_;
  Copier copier_;
  std::vector<Created> created_;
  FlatMap new_nodes_;
};

}  // namespace

std::vector<Created> replace_region(const Region& region, const Placement& placement, Handle replacement,
                                    std::string_view pass_name, Transaction& transaction) {
  const GraphInterface plan = read_replacement(region, replacement);
  return Rewrite(region, placement, pass_name, transaction).run(plan);
}

}  // namespace ge_passes
