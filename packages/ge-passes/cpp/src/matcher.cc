#include "ge_passes/matcher.h"

#include <algorithm>

namespace ge_passes {

HandleTable<Match>& matches() {
  static auto* table = new HandleTable<Match>(GE_HANDLE_TYPE_MATCH, "MATCH", GE_STATUS_EXPIRED);
  return *table;
}

Matcher::Matcher(GraphIndex& index, std::shared_ptr<Pattern> pattern)
    : index_(index), program_(pattern->program()), match_(std::make_shared<Match>()) {
  match_->pattern = std::move(pattern);
  match_->program = program_;
  match_->graph = index.graph();
  match_->nodes.resize(program_->nodes.size());
  match_->inputs.resize(program_->inputs.size());
  match_->in_order.resize(program_->nodes.size());
  uses_.resize(program_->steps.size());
  const PatternNode& root = program_->nodes[program_->steps.front().node];
  root_key_ = class_key({root.type, root.domain, 0});
}

bool Matcher::possible() {
  for (const OpNeed& need : program_->needs) {
    if (index_.most(need.key) < need.count) return false;
  }
  return true;
}

void Matcher::start(Handle candidate) {
  root_ = candidate;
  resume_ = false;
  choices_.clear();
}

bool Matcher::next() {
  const size_t end = program_->steps.size();
  bool good = false;
  size_t step = 0;
  if (resume_) {
    good = advance();
    step = choices_.empty() ? 0 : choices_.back().step;
  } else {
    resume_ = true;
    // A candidate of the list can be gone, or have another operator by now.
    good = is_live(root_) && bind(program_->steps.front().node, root_);
  }
  for (;;) {
    while (good && ++step < end) {
      good = enter(step);
      if (good && program_->steps[step].kind != Step::kExpand) step = choices_.back().step;
    }
    if (good && closed()) {
      put_in_order();
      return true;
    }
    if (choices_.empty()) return false;
    good = advance();
    if (!good) return false;
    step = choices_.back().step;
  }
}

/// Executes a step for the first time.
bool Matcher::enter(size_t number) {
  const Step& step = program_->steps[number];
  if (step.kind == Step::kExpand) return expand(program_->nodes[step.node], match_->nodes[step.node]);
  if (step.kind == Step::kUp && !choose_anchor(step, uses_[number])) return false;
  choices_.push_back({number, 0});
  return advance();
}

/// Takes the next alternative of the latest choice that has one, dropping those that have none; false if all are
/// dropped.
bool Matcher::advance() {
  while (!choices_.empty()) {
    Choice& choice = choices_.back();
    const Step& step = program_->steps[choice.step];
    if (step.kind == Step::kUp) {
      const PairList& uses = uses_[choice.step];
      const uint32_t slot = step.anchors[uses.numbers.back()].slot;
      while (choice.cursor < uses.count) {
        const size_t at = choice.cursor++;
        if (uses.numbers[at] != slot || graph_of(uses.nodes[at]) != index_.graph()) continue;
        if (bind(step.node, uses.nodes[at])) return true;
      }
    } else {
      const PatternNode& node = program_->nodes[step.node];
      const std::vector<Handle>& list = index_.nodes_of(class_key({node.type, node.domain, 0}));
      while (choice.cursor < list.size()) {
        const Handle target = list[choice.cursor++];
        if (is_live(target) && bind(step.node, target)) return true;
      }
    }
    choices_.pop_back();
  }
  return false;
}

/// Reads the readers of the anchor that has the fewest; its number is left behind the list.
bool Matcher::choose_anchor(const Step& step, PairList& uses) {
  uint32_t best = 0;
  uint64_t fewest = UINT64_MAX;
  for (uint32_t i = 0; i < step.anchors.size() && step.anchors.size() > 1; ++i) {
    const uint64_t count = use_count(bound_value(step.anchors[i].source));
    if (count >= fewest) continue;
    fewest = count;
    best = i;
  }
  read_uses(bound_value(step.anchors[best].source), uses);
  if (uses.count == uses.numbers.size()) {
    uses.nodes.resize(uses.count * 2 + 1);
    uses.numbers.resize(uses.nodes.size());
  }
  uses.numbers.back() = best;
  return uses.count != 0;
}

Value Matcher::bound_value(const Source& source) const noexcept {
  if (source.kind == Source::kInput) return match_->inputs[source.number];
  return {match_->nodes[source.number], source.index};
}

bool Matcher::bind(uint32_t number, Handle target) {
  const PatternNode& node = program_->nodes[number];
  const Op op = op_of(target);
  if (node.constant) {
    if (!is_constant(op)) return false;
  } else if (op.key() != node.key()) {
    return false;
  }
  // Different pattern nodes are different nodes. Numbers follow the order of binding, so lower ones are bound.
  for (uint32_t i = 0; i < number; ++i) {
    if (match_->nodes[i] == target) return false;
  }
  if (node.has_data && !equals_constant(target, node.data)) return false;
  if (program_->compare_attributes && !node.constant && !equals_attributes(target, node.attributes)) return false;
  match_->nodes[number] = target;
  return true;
}

bool Matcher::expand(const PatternNode& node, Handle target) {
  if (node.inputs.empty() && node.constant) return true;
  read_inputs(target, inputs_);
  size_t count = inputs_.count;
  while (count > 0 && inputs_.nodes[count - 1] == 0) --count;
  if (count != node.inputs.size()) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!read_slot(node.inputs[i], inputs_.value(i))) return false;
  }
  return true;
}

bool Matcher::read_slot(const Source& source, Value value) {
  if (source.kind == Source::kAbsent) return value.node == 0;
  if (value.node == 0) return false;
  if (source.kind == Source::kInput) {
    if (!source.first) return match_->inputs[source.number] == value;
    match_->inputs[source.number] = value;
    return true;
  }
  if (value.index != source.index) return false;
  if (!source.first) return match_->nodes[source.number] == value.node;
  // A producer of a root graph is in that graph; one of a subgraph's node may lie around it.
  if (!index_.is_root() && graph_of(value.node) != index_.graph()) return false;
  return bind(source.number, value.node);
}

bool Matcher::closed() {
  for (size_t i = 0; i < program_->nodes.size(); ++i) {
    const PatternNode& node = program_->nodes[i];
    if (!node.constant && !node_closed(node, match_->nodes[i])) return false;
  }
  for (const Value& input : match_->inputs) {
    for (size_t i = 0; i < program_->nodes.size(); ++i) {
      if (match_->nodes[i] == input.node && !program_->nodes[i].constant) return false;
    }
  }
  return true;
}

/// Undeclared outputs must have exactly the readers that the pattern has; those are all in the match.
bool Matcher::node_closed(const PatternNode& node, Handle target) {
  const size_t outputs = static_cast<size_t>(arity(target).second);
  for (uint32_t index = 0; index < outputs; ++index) {
    const bool known = index < node.inner_uses.size();
    if (known && node.declared[index] != 0) continue;
    if (use_count({target, index}) != (known ? node.inner_uses[index] : 0)) return false;
  }
  // A declared output must be there, even if the pattern's node has more outputs than the target's.
  for (size_t index = outputs; index < node.declared.size(); ++index) {
    if (node.declared[index] != 0) return false;
  }
  return subgraph_count(target) == 0;
}

void Matcher::put_in_order() {
  for (size_t i = 0; i < program_->topology.size(); ++i) match_->in_order[i] = match_->nodes[program_->topology[i]];
  if (program_->one_root) return;
  // With several roots, nodes that the pattern does not order can be ordered by the graph.
  std::stable_sort(match_->in_order.begin(), match_->in_order.end(),
                   [this](Handle a, Handle b) { return index_.places().of(a) < index_.places().of(b); });
}

}  // namespace ge_passes
