#include "ge_passes/compiled_pattern.h"

#include "ge_passes/graph_interface.h"
#include "ge_passes_api.h"

namespace ge_passes {
namespace {

constexpr uint32_t kUnbound = 0xFFFFFFFF;

[[noreturn]] void refuse(Handle graph, const std::string& rule) {
  fail(GE_STATUS_INVALID_ARGUMENT, "pattern ", describe_graph(graph), ": ", rule);
}

/// Builds a CompiledPattern: reads the graph, checks it, orders the binding, emits steps.
class Compiler {
 public:
  Compiler(Handle graph, uint32_t flags) : graph_(graph), flags_(flags) {}

  std::shared_ptr<const CompiledPattern> run() {
    out_->compare_values = (flags_ & GE_PASSES_MATCH_FLAGS_CONST_VALUE) != 0;
    out_->compare_attributes = (flags_ & GE_PASSES_MATCH_FLAGS_IR_ATTR) != 0;
    read_graph();
    check_outputs();
    check_reach();
    emit();
    renumber();
    count_needs();
    return out_;
  }

 private:
  void read_graph() {
    if (subgraph_count(graph_) != 0) refuse(graph_, "it owns subgraphs; a pattern must have none");
    std::vector<Handle> order;
    try {
      order = graph_nodes(graph_, GE_IR_ORDER_TOPOLOGICAL);
    } catch (const Failure& failure) {
      if (failure.status == GE_STATUS_CYCLE) refuse(graph_, failure.what());
      throw;
    }
    interface_ = read_interface(graph_, order, "pattern");
    out_->inputs = interface_.data;
    for (uint32_t i = 0; i < out_->inputs.size(); ++i) {
      if (out_->inputs[i] == 0) refuse(graph_, cat("input ", i, " is missing: no Data node has that index"));
      inputs_.set(out_->inputs[i], i);
    }
    for (const Handle node : interface_.inner) {
      check_node(node);
      numbers_.set(node, out_->nodes.size());
      out_->nodes.push_back(read_node(node));
    }
    for (const Value& output : interface_.outputs) outputs_.push_back(source_of(output));
  }

  void check_node(Handle node) {
    if (subgraph_count(node) != 0) refuse(graph_, describe(node) + " owns subgraphs; a pattern must have none");
    std::vector<Handle> controls;
    read_control_inputs(node, controls);
    if (!controls.empty()) {
      refuse(graph_, cat(describe(node), " has a control edge from ", describe(controls.front()),
                         "; a pattern must have none"));
    }
  }

  PatternNode read_node(Handle handle) {
    PatternNode node;
    node.handle = handle;
    const Op op = op_of(handle);
    node.type = op.type;
    node.domain = op.domain;
    node.constant = is_constant(op);
    read_inputs(handle, reading_);
    size_t count = reading_.count;
    while (count > 0 && reading_.nodes[count - 1] == 0) --count;
    for (size_t i = 0; i < count; ++i) node.inputs.push_back(source_of(reading_.value(i)));
    const size_t outputs = static_cast<size_t>(arity(handle).second);
    node.inner_uses.assign(outputs, 0);
    node.declared.assign(outputs, 0);
    for (const Source& source : node.inputs) {
      if (source.kind == Source::kInner) ++out_->nodes[source.number].inner_uses[source.index];
    }
    if (node.constant) {
      if (out_->compare_values) node.has_data = read_constant(handle, node.data);
    } else if (out_->compare_attributes) {
      node.attributes = read_attributes(handle);
    }
    return node;
  }

  Source source_of(Value value) const {
    Source source;
    if (value.node == 0) return source;
    if (const uint64_t* input = inputs_.find(value.node)) {
      source.kind = Source::kInput;
      source.number = static_cast<uint32_t>(*input);
      return source;
    }
    source.kind = Source::kInner;
    source.number = static_cast<uint32_t>(*numbers_.find(value.node));
    source.index = value.index;
    return source;
  }

  void check_outputs() {
    if (outputs_.empty()) refuse(graph_, "it has no output: nothing stands on a NetOutput");
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Source& output = outputs_[i];
      if (output.kind != Source::kInner) {
        refuse(graph_, cat("output ", uint64_t{i}, " is ",
                           output.kind == Source::kInput ? cat("input ", output.number) : "absent",
                           "; a match must have at least one node behind each output"));
      }
      uint8_t& declared = out_->nodes[output.number].declared[output.index];
      if (declared != 0) {
        refuse(graph_, cat("output ", uint64_t{i}, " is the value of an earlier output: output ", output.index, " of ",
                           describe(out_->nodes[output.number].handle)));
      }
      declared = 1;
    }
    out_->one_root = true;
    for (const Source& output : outputs_) out_->one_root &= output.number == outputs_.front().number;
  }

  /// Every input and node must lead to an output, or a match could not say what it is bound to.
  void check_reach() {
    std::vector<uint8_t> reached(out_->nodes.size(), 0);
    std::vector<uint8_t> read(out_->inputs.size(), 0);
    std::vector<uint32_t> todo;
    const auto visit = [&](const Source& source) {
      if (source.kind == Source::kInput) read[source.number] = 1;
      if (source.kind != Source::kInner || reached[source.number] != 0) return;
      reached[source.number] = 1;
      todo.push_back(source.number);
    };
    for (const Source& output : outputs_) visit(output);
    while (!todo.empty()) {
      const uint32_t number = todo.back();
      todo.pop_back();
      for (const Source& source : out_->nodes[number].inputs) visit(source);
    }
    for (size_t i = 0; i < reached.size(); ++i) {
      if (reached[i] == 0) refuse(graph_, describe(out_->nodes[i].handle) + " leads to no output");
    }
    for (size_t i = 0; i < read.size(); ++i) {
      if (read[i] == 0) refuse(graph_, cat("input ", uint64_t{i}, " leads to no output; a match could not bind it"));
    }
  }

  // ---------------------------------------------------------------- the program

  void emit() {
    place_.assign(out_->nodes.size(), kUnbound);
    input_bound_.assign(out_->inputs.size(), 0);
    start(Step::kRoot, outputs_.front().number, {});
    for (const Source& output : outputs_) {
      while (place_[output.number] == kUnbound) bind_more(output.number);
    }
  }

  /// Binds one more node: a reader of something bound if there is one, else the output's own node.
  void bind_more(uint32_t root) {
    for (uint32_t number = 0; number < out_->nodes.size(); ++number) {
      if (place_[number] != kUnbound) continue;
      std::vector<Anchor> anchors = anchors_of(number);
      if (anchors.empty()) continue;
      start(Step::kUp, number, std::move(anchors));
      return;
    }
    start(Step::kRoot, root, {});
  }

  std::vector<Anchor> anchors_of(uint32_t number) const {
    std::vector<Anchor> anchors;
    const std::vector<Source>& inputs = out_->nodes[number].inputs;
    for (uint32_t slot = 0; slot < inputs.size(); ++slot) {
      const Source& source = inputs[slot];
      const bool bound = source.kind == Source::kInput ? input_bound_[source.number] != 0
                                                       : source.kind == Source::kInner && is_bound(source.number);
      if (bound) anchors.push_back({slot, source});
    }
    return anchors;
  }

  bool is_bound(uint32_t number) const { return place_[number] != kUnbound; }

  void bind(uint32_t number) {
    place_[number] = static_cast<uint32_t>(bound_.size());
    bound_.push_back(number);
  }

  /// One choice, and the expansion of everything that it binds.
  void start(Step::Kind kind, uint32_t number, std::vector<Anchor> anchors) {
    Step step;
    step.kind = kind;
    step.node = number;
    step.anchors = std::move(anchors);
    out_->steps.push_back(std::move(step));
    const size_t first = bound_.size();
    bind(number);
    for (size_t i = first; i < bound_.size(); ++i) expand(bound_[i]);
  }

  void expand(uint32_t number) {
    Step step;
    step.kind = Step::kExpand;
    step.node = number;
    out_->steps.push_back(std::move(step));
    for (Source& source : out_->nodes[number].inputs) {
      if (source.kind == Source::kInput && input_bound_[source.number] == 0) {
        source.first = true;
        input_bound_[source.number] = 1;
      } else if (source.kind == Source::kInner && !is_bound(source.number)) {
        source.first = true;
        bind(source.number);
      }
    }
  }

  /// From numbers in topological order to numbers in the order of binding.
  void renumber() {
    const auto move = [this](Source& source) {
      if (source.kind == Source::kInner) source.number = place_[source.number];
    };
    std::vector<PatternNode> nodes(out_->nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (Source& source : out_->nodes[i].inputs) move(source);
      nodes[place_[i]] = std::move(out_->nodes[i]);
      out_->topology.push_back(place_[i]);
    }
    out_->nodes = std::move(nodes);
    for (Step& step : out_->steps) {
      step.node = place_[step.node];
      for (Anchor& anchor : step.anchors) move(anchor.source);
    }
    for (Source& output : outputs_) move(output);
    out_->outputs = outputs_;
  }

  void count_needs() {
    for (const PatternNode& node : out_->nodes) {
      const uint64_t key = class_key({node.type, node.domain, 0});
      size_t i = 0;
      while (i < out_->needs.size() && out_->needs[i].key != key) ++i;
      if (i == out_->needs.size()) out_->needs.push_back({key, 0});
      ++out_->needs[i].count;
    }
  }

  Handle graph_;
  uint32_t flags_;
  std::shared_ptr<CompiledPattern> out_ = std::make_shared<CompiledPattern>();
  GraphInterface interface_;
  FlatMap inputs_;
  FlatMap numbers_;
  PairList reading_;
  std::vector<Source> outputs_;
  std::vector<uint32_t> place_;  ///< per node: its place in the order of binding
  std::vector<uint32_t> bound_;
  std::vector<uint8_t> input_bound_;
};

}  // namespace

bool is_constant(const Op& op) noexcept {
  return op.domain == 0 && (op.type == symbols().constant_ge || op.type == symbols().constant_onnx);
}

uint64_t class_key(const Op& op) noexcept { return is_constant(op) ? uint64_t{symbols().constant_ge} << 32 : op.key(); }

std::shared_ptr<const CompiledPattern> CompiledPattern::compile(Handle graph, uint32_t flags) {
  return Compiler(graph, flags).run();
}

int64_t CompiledPattern::node_number(Handle node) const noexcept {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].handle == node) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t CompiledPattern::input_number(Handle node) const noexcept {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == node) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace ge_passes
