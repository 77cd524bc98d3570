#include <memory>
#include <vector>

#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/undo.h"

namespace ge_ir {
namespace {

ControlEdge* find_control(const Node& source, const Node& target) noexcept {
  if (!source.extra || !target.extra) return nullptr;
  // Barriers have many edges on one side, so the shorter list is searched.
  if (source.extra->out_count < target.extra->in_count) {
    for (ControlEdge* edge = source.extra->first_out; edge != nullptr; edge = edge->next_out) {
      if (edge->target == &target) return edge;
    }
    return nullptr;
  }
  for (ControlEdge* edge = target.extra->first_in; edge != nullptr; edge = edge->next_in) {
    if (edge->source == &source) return edge;
  }
  return nullptr;
}

/// The node of `level` that holds `graph` in its subgraphs, or null if `level` is not around `graph`.
const Node* host_in(const Graph& graph, const Graph& level) noexcept {
  const Node* host = nullptr;
  for (const Graph* at = &graph; at != &level; at = at->parent()) {
    if (at == nullptr) return nullptr;
    host = at->owner_node;
  }
  return host;
}

/// Readers that must move, in use order. Throws FOREIGN before anything is changed.
std::vector<Use> movable_uses(const Output& output, const Node& new_node) {
  std::vector<Use> uses;
  uses.reserve(output.use_count);
  const Graph* last_graph = nullptr;
  const Node* last_host = nullptr;
  for (Use use = output.first; use.present();) {
    const Node& reader = node_at(use.node);
    if (reader.graph != last_graph) {
      check_visible(new_node, *reader.graph);
      last_graph = reader.graph;
      last_host = host_in(*reader.graph, *new_node.graph);
    }
    if (&reader != &new_node && last_host != &new_node) uses.push_back(use);
    use = reader.inputs[use.slot].next;
  }
  return uses;
}

}  // namespace

void check_visible(const Node& producer, const Graph& reader) {
  if (producer.graph == &reader || producer.graph->encloses(reader)) return;
  fail(GE_STATUS_FOREIGN, describe(producer), " cannot be read from ", describe(reader),
       ": a producer must be in the same graph or in one around it");
}

bool is_within(const Node& node, const Node& owner) noexcept {
  if (&node == &owner) return true;
  if (owner.first_subgraph() == nullptr) return false;
  return node.graph != owner.graph && host_in(*node.graph, *owner.graph) == &owner;
}

void link_use(Node& reader, uint32_t slot) noexcept {
  Input& input = reader.inputs[slot];
  Output& output = node_at(input.producer).outputs[input.output];
  const Use self{reader.id, slot};
  input.previous = output.last;
  input.next = Use{};
  (output.last.present() ? node_at(output.last.node).inputs[output.last.slot].next : output.first) = self;
  output.last = self;
  ++output.use_count;
}

void unlink_use(Node& reader, uint32_t slot) noexcept {
  Input& input = reader.inputs[slot];
  if (input.producer == kNoNode) return;
  Output& output = node_at(input.producer).outputs[input.output];
  (input.previous.present() ? node_at(input.previous.node).inputs[input.previous.slot].next : output.first) =
      input.next;
  (input.next.present() ? node_at(input.next.node).inputs[input.next.slot].previous : output.last) = input.previous;
  --output.use_count;
  input = Input{};
}

void change_input(Edit& edit, Node& reader, uint32_t slot, Value value) noexcept {
  Input& input = reader.inputs[slot];
  Record record(Step::kInputChanged, reader.graph, &reader, slot);
  record.words[0] = input.producer;
  record.words[1] = input.output;
  record.words[2] = input.previous.node;
  record.words[3] = input.previous.slot;
  record.words[4] = input.next.node;
  record.words[5] = input.next.slot;
  unlink_use(reader, slot);
  if (value.node != nullptr) {
    input.producer = value.node->id;
    input.output = value.index;
    link_use(reader, slot);
  }
  edit.done(record);
}

void set_input(Node& node, uint32_t slot, Value value) {
  const Input& input = node.inputs[slot];
  const uint32_t producer = value.node != nullptr ? value.node->id : kNoNode;
  if (input.producer == producer && (producer == kNoNode || input.output == value.index)) return;
  if (value.node != nullptr) check_visible(*value.node, *node.graph);
  Edit edit(*node.graph, 1);
  change_input(edit, node, slot, value);
}

void replace_uses(Node& node, uint32_t index, Node& new_node, uint32_t new_index) {
  if (&node == &new_node && index == new_index) return;
  const std::vector<Use> uses = movable_uses(node.outputs[index], new_node);
  Edit edit(*node.graph, uses.size());
  for (const Use& use : uses) change_input(edit, node_at(use.node), use.slot, {&new_node, new_index});
}

void link_control(ControlEdge& edge) noexcept {
  NodeExtra& source = *edge.source->extra;
  NodeExtra& target = *edge.target->extra;
  edge.previous_out = source.last_out;
  edge.next_out = nullptr;
  (source.last_out != nullptr ? source.last_out->next_out : source.first_out) = &edge;
  source.last_out = &edge;
  ++source.out_count;
  edge.previous_in = target.last_in;
  edge.next_in = nullptr;
  (target.last_in != nullptr ? target.last_in->next_in : target.first_in) = &edge;
  target.last_in = &edge;
  ++target.in_count;
}

void unlink_control(ControlEdge& edge) noexcept {
  NodeExtra& source = *edge.source->extra;
  NodeExtra& target = *edge.target->extra;
  (edge.previous_out != nullptr ? edge.previous_out->next_out : source.first_out) = edge.next_out;
  (edge.next_out != nullptr ? edge.next_out->previous_out : source.last_out) = edge.previous_out;
  (edge.previous_in != nullptr ? edge.previous_in->next_in : target.first_in) = edge.next_in;
  (edge.next_in != nullptr ? edge.next_in->previous_in : target.last_in) = edge.previous_in;
  --source.out_count;
  --target.in_count;
}

void add_control(Node& source, Node& target) {
  if (source.graph != target.graph) {
    fail(GE_STATUS_FOREIGN, "a control edge from ", describe(source), " to ", describe(target),
         ": both must be in one graph");
  }
  if (&source == &target) fail(GE_STATUS_CYCLE, "a control edge from ", describe(source), " to itself");
  if (find_control(source, target) != nullptr) return;
  std::unique_ptr<ControlEdge> edge(new ControlEdge{&source, &target});
  source.need_extra();
  target.need_extra();
  Edit edit(*source.graph, 1);
  link_control(*edge);
  Record record(Step::kControlAdded, source.graph);
  record.p.pointer = edge.release();
  edit.done(record);
}

void remove_control(Node& source, Node& target) {
  ControlEdge* edge = find_control(source, target);
  if (edge == nullptr) {
    fail(GE_STATUS_NOT_FOUND, "no control edge from ", describe(source), " to ", describe(target));
  }
  Edit edit(*source.graph, 1);
  unlink_control(*edge);
  Record record(Step::kControlRemoved, source.graph);
  record.p.pointer = edge;
  edit.done(record);
}

}  // namespace ge_ir
