#include "ge_ir/undo.h"

#include <cstring>
#include <new>
#include <utility>

#include "ge_ir/edit.h"
#include "ge_ir/order.h"

namespace ge_ir {
namespace {

ControlEdge& edge_of(const Record& record) noexcept { return *static_cast<ControlEdge*>(record.p.pointer); }
Graph& child_of(const Record& record) noexcept { return *static_cast<Graph*>(record.p.pointer); }

AttrValue take_attr(const Record& record) noexcept { return AttrValue::adopt({record.attr.kind, record.attr.bits}); }

/// The graph that an attribute step belongs to when its owner is the graph itself.
AttrMap& attrs_of(const Record& record) noexcept {
  return *find_attrs(record.graph, record.node, record.scope, record.slot);
}

void undo_created(Node& node) noexcept {
  Graph& graph = *node.graph;
  for (uint32_t i = 0; i < node.inputs.size(); ++i) unlink_use(node, i);
  graph.names.erase(node.id);
  graph.unlink(node);
  graph.destroy_node(node);
}

void undo_removed(Node& node, uint32_t before) noexcept {
  node.graph->link(node, before);
  node.graph->names.insert(node.id);
  unpark_node(node);
  for_each_graph_below(node, [](Graph& below) {
    graphs().unpark(below.handle);
    for (Node* inner = below.first_node(); inner != nullptr; inner = Graph::next_node(*inner)) unpark_node(*inner);
  });
}

/// Puts a use back between its old neighbours.
void restore_input(Node& node, uint32_t slot, const uint32_t (&words)[6]) noexcept {
  unlink_use(node, slot);
  Input& input = node.inputs[slot];
  input.producer = words[0];
  input.output = words[1];
  input.previous = {words[2], words[3]};
  input.next = {words[4], words[5]};
  if (input.producer == kNoNode) return;
  Output& output = node_at(input.producer).outputs[input.output];
  const Use self{node.id, slot};
  (input.previous.present() ? node_at(input.previous.node).inputs[input.previous.slot].next : output.first) = self;
  (input.next.present() ? node_at(input.next.node).inputs[input.next.slot].previous : output.last) = self;
  ++output.use_count;
}

void undo_inputs_resized(Record& record) noexcept {
  Node& node = *record.node;
  std::vector<InputExtra>* dropped = static_cast<std::vector<InputExtra>*>(record.p.pointer);
  const size_t kept = node.inputs.size();
  if (record.slot < kept) {
    node.inputs.truncate(record.slot);
    if (node.extra && node.extra->inputs.size() > record.slot) node.extra->inputs.resize(record.slot);
    return;
  }
  node.inputs.extend(record.slot);
  if (dropped == nullptr) return;
  node.extra->inputs.resize(kept + dropped->size());
  for (size_t i = 0; i < dropped->size(); ++i) node.extra->inputs[kept + i] = std::move((*dropped)[i]);
  delete dropped;
}

void undo_outputs_resized(Record& record) noexcept {
  Node& node = *record.node;
  std::vector<Output>* dropped = static_cast<std::vector<Output>*>(record.p.pointer);
  node.outputs.truncate(record.slot);
  for (size_t i = 0; dropped != nullptr && i < dropped->size(); ++i) node.outputs.push(std::move((*dropped)[i]));
  delete dropped;
}

void undo_reordered(Graph& graph, const std::vector<uint32_t>& order) noexcept {
  for (const uint32_t id : order) graph.unlink(node_at(id));
  for (const uint32_t id : order) graph.link(node_at(id), kNoNode);
}

void undo_attached(Record& record) noexcept {
  Graph& child = child_of(record);
  unlink_subgraph(*subgraphs_of(record.graph, record.node), child);
  child.key = record.take_text();
  child.owner_node = nullptr;
  child.owner_graph = nullptr;
}

void undo_detached(Record& record) noexcept {
  Graph& child = child_of(record);
  if (record.scope != 0) child.log_home = nullptr;
  child.owner_node = record.node;
  child.owner_graph = record.node == nullptr ? record.graph : nullptr;
  child.previous_sibling = static_cast<Graph*>(record.siblings.previous);
  child.next_sibling = static_cast<Graph*>(record.siblings.next);
  SubgraphSet& set = *subgraphs_of(record.graph, record.node);
  (child.previous_sibling != nullptr ? child.previous_sibling->next_sibling : set.first) = &child;
  (child.next_sibling != nullptr ? child.next_sibling->previous_sibling : set.last) = &child;
  ++set.count;
  set.index.insert(handle_index(child.handle));
}

void undo_control_removed(ControlEdge& edge) noexcept {
  NodeExtra& source = *edge.source->extra;
  NodeExtra& target = *edge.target->extra;
  (edge.previous_out != nullptr ? edge.previous_out->next_out : source.first_out) = &edge;
  (edge.next_out != nullptr ? edge.next_out->previous_out : source.last_out) = &edge;
  (edge.previous_in != nullptr ? edge.previous_in->next_in : target.first_in) = &edge;
  (edge.next_in != nullptr ? edge.next_in->previous_in : target.last_in) = &edge;
  ++source.out_count;
  ++target.in_count;
}

/// Adds to the version of a graph and of all graphs around it.
void count_change(Graph* graph, uint64_t by) noexcept {
  for (; graph != nullptr; graph = graph->parent()) graph->version += by;
}

}  // namespace

void Record::put_text(SmallString&& value) noexcept {
  new (static_cast<void*>(text.bytes)) SmallString(std::move(value));
}

SmallString Record::take_text() noexcept {
  SmallString* held = std::launder(reinterpret_cast<SmallString*>(text.bytes));
  SmallString value = std::move(*held);
  held->~SmallString();
  return value;
}

void undo(Record& record) noexcept {
  // The owner chain of the step is the one of now: attaching and detaching are steps of their own.
  count_change(record.graph, ~uint64_t{0});
  switch (record.step) {
    case Step::kNodeCreated:
      return undo_created(*record.node);
    case Step::kNodeRemoved:
      return undo_removed(*record.node, record.words[0]);
    case Step::kNodeMoved:
      record.node->graph->unlink(*record.node);
      return record.node->graph->link(*record.node, record.words[0]);
    case Step::kNodeRenamed:
      record.node->graph->names.erase(record.node->id);
      record.node->name = record.take_text();
      return record.node->graph->names.insert(record.node->id);
    case Step::kOpChanged:
      record.node->type = record.words[0];
      record.node->domain = record.words[1];
      record.node->op_version = static_cast<int32_t>(record.words[2]);
      return;
    case Step::kInputChanged:
      return restore_input(*record.node, record.slot, record.words);
    case Step::kInputsResized:
      return undo_inputs_resized(record);
    case Step::kOutputsResized:
      return undo_outputs_resized(record);
    case Step::kValueRenamed:
      record.node->outputs[record.slot].name = record.take_text();
      return;
    case Step::kOutputDescSet:
      record.node->outputs[record.slot].desc = Ref<const Desc>(static_cast<const Desc*>(record.p.pointer));
      return;
    case Step::kInputDescSet:
      record.node->extra->inputs[record.slot].desc = Ref<const Desc>(static_cast<const Desc*>(record.p.pointer));
      return;
    case Step::kControlAdded:
      unlink_control(edge_of(record));
      delete &edge_of(record);
      return;
    case Step::kControlRemoved:
      return undo_control_removed(edge_of(record));
    case Step::kAttrAdded:
      attrs_of(record).erase(record.attr.position);
      return;
    case Step::kAttrReplaced:
      attrs_of(record).at(record.attr.position).value = take_attr(record);
      return;
    case Step::kAttrRemoved:
      return attrs_of(record).insert(record.attr.position, record.attr.key, take_attr(record));
    case Step::kGraphRenamed:
      record.graph->name = record.take_text();
      return;
    case Step::kListReordered: {
      std::vector<uint32_t>* order = static_cast<std::vector<uint32_t>*>(record.p.pointer);
      undo_reordered(*record.graph, *order);
      delete order;
      return;
    }
    case Step::kNameCounter:
      *static_cast<uint64_t*>(record.p.pointer) = record.p.number;
      return;
    case Step::kSubgraphAttached:
      return undo_attached(record);
    case Step::kSubgraphDetached:
      return undo_detached(record);
    case Step::kTreeReleased:
      return unpark_tree(child_of(record));
  }
}

void dispose(Record& record) noexcept {
  switch (record.step) {
    case Step::kNodeRemoved: {
      Node& node = *record.node;
      while (Graph* child = node.first_subgraph()) {
        node.extra->subgraphs.first = child->next_sibling;
        destroy_tree(*child);
      }
      return node.graph->destroy_node(node);
    }
    case Step::kNodeRenamed:
    case Step::kValueRenamed:
    case Step::kGraphRenamed:
    case Step::kSubgraphAttached:
      record.take_text();
      return;
    case Step::kInputsResized:
      delete static_cast<std::vector<InputExtra>*>(record.p.pointer);
      return;
    case Step::kOutputsResized:
      delete static_cast<std::vector<Output>*>(record.p.pointer);
      return;
    case Step::kOutputDescSet:
    case Step::kInputDescSet:
      Ref<const Desc>(static_cast<const Desc*>(record.p.pointer));
      return;
    case Step::kControlRemoved:
      delete &edge_of(record);
      return;
    case Step::kAttrReplaced:
    case Step::kAttrRemoved:
      take_attr(record);
      return;
    case Step::kListReordered:
      delete static_cast<std::vector<uint32_t>*>(record.p.pointer);
      return;
    case Step::kSubgraphDetached:
      if (record.scope != 0) child_of(record).log_home = nullptr;
      return;
    case Step::kTreeReleased:
      return destroy_tree(child_of(record));
    default:
      return;
  }
}

void UndoLog::reserve(size_t steps) {
  const size_t needed = records_.size() + steps;
  if (needed <= records_.capacity()) return;
  records_.reserve(needed > records_.capacity() * 2 ? needed : records_.capacity() * 2);
}

void UndoLog::begin() { marks_.push_back(records_.size()); }

void UndoLog::commit() noexcept {
  marks_.pop_back();
  if (!marks_.empty()) return;
  for (Record& record : records_) dispose(record);
  records_.clear();
}

void UndoLog::rollback() noexcept {
  const size_t mark = marks_.back();
  while (records_.size() > mark) {
    Record record = records_.back();
    records_.pop_back();
    undo(record);
  }
  marks_.pop_back();
}

void UndoLog::close() noexcept {
  marks_.clear();
  for (Record& record : records_) dispose(record);
  records_.clear();
}

Graph& log_root(Graph& graph) noexcept {
  Graph& top = graph.root();
  return top.log_home != nullptr ? *top.log_home : top;
}

UndoLog* open_log(Graph& graph) noexcept {
  UndoLog* log = log_root(graph).log.get();
  return log != nullptr && log->active() ? log : nullptr;
}

void Edit::done(Record record) noexcept {
  count_change(record.graph, 1);
  if (log_ != nullptr) {
    log_->push(record);
  } else {
    dispose(record);
  }
}

}  // namespace ge_ir
