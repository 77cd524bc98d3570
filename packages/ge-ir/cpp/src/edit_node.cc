#include <string>
#include <utility>
#include <vector>

#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/symbol.h"
#include "ge_ir/undo.h"

namespace ge_ir {
namespace {

[[noreturn]] void name_taken(const Graph& graph, const Node& holder) {
  fail(GE_STATUS_ALREADY_EXISTS, describe(graph), " already has a node named ", quoted(holder.name.view()), " (a ",
       symbol_text(holder.type), ")");
}

/// One input of a node inside a subgraph that reads a value from around it.
struct Capture {
  Node* reader;
  uint32_t slot;
};

/// Captures by the subgraphs of a node from around the node.
std::vector<Capture> captures_below(const Node& node) {
  std::vector<Capture> found;
  const uint64_t stamp = new_stamp();
  for_each_graph_below(node, [stamp](Graph& graph) { graph.stamp = stamp; });
  for_each_graph_below(node, [&found, stamp](Graph& graph) {
    for (Node* inner = graph.first_node(); inner != nullptr; inner = Graph::next_node(*inner)) {
      for (uint32_t slot = 0; slot < inner->inputs.size(); ++slot) {
        const uint32_t producer = inner->inputs[slot].producer;
        if (producer != kNoNode && node_at(producer).graph->stamp != stamp) found.push_back({inner, slot});
      }
    }
  });
  return found;
}

/// Readers of a node's outputs outside the node and its subgraphs.
std::vector<Capture> outer_readers(const Node& node) {
  std::vector<Capture> found;
  for (const Output& output : node.outputs) {
    for (Use use = output.first; use.present();) {
      Node& reader = node_at(use.node);
      if (!is_within(reader, node)) found.push_back({&reader, use.slot});
      use = reader.inputs[use.slot].next;
    }
  }
  return found;
}

void drop_controls(Edit& edit, Node& node) noexcept {
  const auto drop = [&edit](ControlEdge* edge) {
    unlink_control(*edge);
    Record record(Step::kControlRemoved, edge->source->graph);
    record.p.pointer = edge;
    edit.done(record);
  };
  while (ControlEdge* edge = node.first_control_in()) drop(edge);
  while (ControlEdge* edge = node.first_control_out()) drop(edge);
}

void park_below(Node& node) noexcept {
  for_each_graph_below(node, [](Graph& below) {
    graphs().park(below.handle);
    for (Node* inner = below.first_node(); inner != nullptr; inner = Graph::next_node(*inner)) park_node(*inner);
  });
}

void check_arity(uint64_t count, const char* what) {
  if (count > kMaxArity) fail(GE_STATUS_OUT_OF_RANGE, "a node with ", count, " ", what, "; at most ", kMaxArity);
}

void resize_inputs(Edit& edit, Node& node, uint32_t count, std::vector<InputExtra>* dropped) noexcept {
  Record record(Step::kInputsResized, node.graph, &node, node.inputs.size());
  if (count < node.inputs.size()) {
    node.inputs.truncate(count);
    if (dropped != nullptr) {
      for (size_t i = count; i < node.extra->inputs.size(); ++i) dropped->push_back(std::move(node.extra->inputs[i]));
      node.extra->inputs.resize(count);
    }
    record.p.pointer = dropped;
  } else {
    node.inputs.extend(count);
  }
  edit.done(record);
}

void resize_outputs(Edit& edit, Node& node, uint32_t count, std::vector<Output>* dropped) noexcept {
  Record record(Step::kOutputsResized, node.graph, &node, node.outputs.size());
  for (uint32_t i = count; i < node.outputs.size(); ++i) dropped->push_back(std::move(node.outputs[i]));
  record.p.pointer = dropped;
  node.outputs.truncate(count);
  node.outputs.extend(count);
  edit.done(record);
}

/// Inputs that must be cut when the input count becomes `count`.
size_t present_from(const Node& node, uint64_t count) noexcept {
  size_t present = 0;
  for (uint64_t i = count; i < node.inputs.size(); ++i) present += node.inputs[i].producer != kNoNode ? 1 : 0;
  return present;
}

void check_outputs_unread(const Node& node, uint64_t count) {
  for (uint64_t i = count; i < node.outputs.size(); ++i) {
    const Use use = node.outputs[i].first;
    if (!use.present()) continue;
    fail(GE_STATUS_INVALID_STATE, "output ", i, " of ", describe(node), " cannot go: input ", use.slot, " of ",
         describe(node_at(use.node)), " reads it");
  }
}

}  // namespace

std::string describe(const Graph& graph) { return cat("graph ", quoted(graph.name.view())); }

std::string describe(const Node& node) { return cat("node ", quoted(node.name.view()), " of ", describe(*node.graph)); }

std::string make_unique_name(Graph& graph, std::string_view base) {
  if (graph.names.find(base) == kNoNode) return std::string(base);
  Edit edit(graph, 1);
  uint64_t& counter = graph.name_counters[std::string(base)];
  const uint64_t before = counter;
  uint64_t next = before == 0 ? 1 : before;
  std::string name = cat(base, '_', next);
  while (graph.names.find(name) != kNoNode) name = cat(base, '_', ++next);
  counter = next;
  if (next != before && edit.logged()) {
    Record record(Step::kNameCounter, nullptr);
    record.p.pointer = &counter;
    record.p.number = before;
    edit.done(record);
  }
  return name;
}

Node& create_node(Graph& graph, const NodeSpec& spec) {
  check_arity(spec.input_count, "inputs");
  check_arity(spec.output_count, "outputs");
  for (uint32_t i = 0; i < spec.input_count; ++i) {
    if (spec.inputs[i].node != nullptr) check_visible(*spec.inputs[i].node, graph);
  }
  SmallString name;
  if (spec.name.empty()) {
    name = SmallString(make_unique_name(graph, symbol_text(spec.type)));
  } else {
    if (const Node* holder = graph.find(spec.name)) name_taken(graph, *holder);
    name = SmallString(spec.name);
  }
  Edit edit(graph, 1);
  graph.reserve_node();
  Node& node = graph.construct_node();
  try {
    node.inputs.reserve(spec.input_count);
    node.outputs.reserve(spec.output_count);
  } catch (...) {
    graph.destroy_node(node);
    throw;
  }
  node.name = std::move(name);
  node.type = spec.type;
  node.domain = spec.domain;
  node.op_version = spec.op_version;
  node.outputs.extend(spec.output_count);
  node.inputs.extend(spec.input_count);
  for (uint32_t i = 0; i < spec.input_count; ++i) {
    if (spec.inputs[i].node == nullptr) continue;
    node.inputs[i].producer = spec.inputs[i].node->id;
    node.inputs[i].output = spec.inputs[i].index;
    link_use(node, i);
  }
  graph.link(node, spec.before != nullptr ? spec.before->id : kNoNode);
  graph.names.insert(node.id);
  edit.done(Record(Step::kNodeCreated, &graph, &node));
  return node;
}

void remove_node(Node& node, bool drop_uses) {
  const std::vector<Capture> readers = outer_readers(node);
  if (!readers.empty() && !drop_uses) {
    fail(GE_STATUS_INVALID_STATE, describe(node), " cannot be removed: input ", readers.front().slot, " of ",
         describe(*readers.front().reader), " reads it (", uint64_t{readers.size()},
         " readers in all; replace them first or pass DROP_USES)");
  }
  const std::vector<Capture> captures = captures_below(node);
  const uint64_t controls = node.extra ? node.extra->in_count + node.extra->out_count : 0;
  Edit edit(*node.graph, readers.size() + captures.size() + node.inputs.size() + controls + 1);
  for (const Capture& use : readers) change_input(edit, *use.reader, use.slot, {});
  for (const Capture& use : captures) change_input(edit, *use.reader, use.slot, {});
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].producer != kNoNode) change_input(edit, node, i, {});
  }
  drop_controls(edit, node);
  Graph& graph = *node.graph;
  Record record(Step::kNodeRemoved, &graph, &node);
  record.words[0] = node.next;
  graph.names.erase(node.id);
  graph.unlink(node);
  park_node(node);
  park_below(node);
  edit.done(record);
}

void rename_node(Node& node, std::string_view name) {
  if (name.empty()) fail(GE_STATUS_INVALID_ARGUMENT, "the new name of ", describe(node), " is empty");
  if (node.name.view() == name) return;
  if (const Node* holder = node.graph->find(name)) name_taken(*node.graph, *holder);
  SmallString fresh(name);
  Edit edit(*node.graph, 1);
  Record record(Step::kNodeRenamed, node.graph, &node);
  node.graph->names.erase(node.id);
  node.name.swap(fresh);
  node.graph->names.insert(node.id);
  record.put_text(std::move(fresh));
  edit.done(record);
}

void set_op(Node& node, uint32_t type, uint32_t domain, int32_t op_version) {
  if (node.type == type && node.domain == domain && node.op_version == op_version) return;
  Edit edit(*node.graph, 1);
  Record record(Step::kOpChanged, node.graph, &node);
  record.words[0] = node.type;
  record.words[1] = node.domain;
  record.words[2] = static_cast<uint32_t>(node.op_version);
  node.type = type;
  node.domain = domain;
  node.op_version = op_version;
  edit.done(record);
}

void move_before(Node& node, Node* anchor) {
  if (anchor != nullptr && anchor->graph != node.graph) {
    fail(GE_STATUS_FOREIGN, describe(node), " cannot move before ", describe(*anchor), ": both must be in one graph");
  }
  const uint32_t before = anchor != nullptr ? anchor->id : kNoNode;
  if (anchor == &node || node.next == before) return;
  Edit edit(*node.graph, 1);
  Record record(Step::kNodeMoved, node.graph, &node);
  record.words[0] = node.next;
  node.graph->unlink(node);
  node.graph->link(node, before);
  edit.done(record);
}

void set_arity(Node& node, uint64_t inputs, uint64_t outputs) {
  check_arity(inputs, "inputs");
  check_arity(outputs, "outputs");
  check_outputs_unread(node, outputs);
  const uint32_t new_inputs = static_cast<uint32_t>(inputs);
  const uint32_t new_outputs = static_cast<uint32_t>(outputs);
  const bool shrink_extra = node.extra && node.extra->inputs.size() > inputs;
  std::unique_ptr<std::vector<InputExtra>> dropped_inputs(shrink_extra ? new std::vector<InputExtra> : nullptr);
  std::unique_ptr<std::vector<Output>> dropped_outputs;
  if (shrink_extra) dropped_inputs->reserve(node.extra->inputs.size() - inputs);
  if (new_outputs < node.outputs.size()) {
    dropped_outputs.reset(new std::vector<Output>);
    dropped_outputs->reserve(node.outputs.size() - new_outputs);
  }
  node.inputs.reserve(new_inputs);
  node.outputs.reserve(new_outputs);
  Edit edit(*node.graph, present_from(node, inputs) + 2);
  for (uint32_t i = new_inputs; i < node.inputs.size(); ++i) {
    if (node.inputs[i].producer != kNoNode) change_input(edit, node, i, {});
  }
  if (new_inputs != node.inputs.size()) resize_inputs(edit, node, new_inputs, dropped_inputs.release());
  if (new_outputs != node.outputs.size()) resize_outputs(edit, node, new_outputs, dropped_outputs.release());
}

}  // namespace ge_ir
