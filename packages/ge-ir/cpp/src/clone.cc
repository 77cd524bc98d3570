#include "ge_ir/clone.h"

#include <memory>
#include <vector>

#include "ge_ir/edit.h"
#include "ge_ir/failure.h"

namespace ge_ir {
namespace {

/// Where the copies are while a clone is being made. Node::mark of an original says which copy is its.
struct CloneState {
  std::vector<Graph*> originals;  ///< owners first
  std::vector<Graph*> copies;
  std::vector<Node*> nodes;  ///< original nodes, in the order of their marks
  std::vector<Node*> node_copies;
};

std::unique_ptr<AttrMap> copy_attrs(const std::unique_ptr<AttrMap>& attrs) {
  return attrs ? std::unique_ptr<AttrMap>(new AttrMap(*attrs)) : nullptr;
}

void copy_slots(const Node& from, Node& to) {
  to.inputs.reserve(from.inputs.size());
  to.inputs.extend(from.inputs.size());
  to.outputs.reserve(from.outputs.size());
  to.outputs.extend(from.outputs.size());
  for (uint32_t i = 0; i < from.outputs.size(); ++i) {
    to.outputs[i].desc = from.outputs[i].desc;
    to.outputs[i].name = SmallString(from.outputs[i].name.view());
    to.outputs[i].attrs = copy_attrs(from.outputs[i].attrs);
  }
  if (!from.extra) return;
  NodeExtra& extra = to.need_extra();
  extra.inputs.resize(from.extra->inputs.size());
  for (size_t i = 0; i < extra.inputs.size(); ++i) {
    extra.inputs[i].desc = from.extra->inputs[i].desc;
    extra.inputs[i].attrs = copy_attrs(from.extra->inputs[i].attrs);
  }
}

/// Copies nodes without their edges; each is linked at once, so that ending the copy after an error finds it.
void copy_nodes(Graph& from, Graph& to, CloneState& state) {
  for (Node* node = from.first_node(); node != nullptr; node = Graph::next_node(*node)) {
    to.reserve_node();
    Node& copy = to.construct_node();
    to.link(copy, kNoNode);
    copy.name = SmallString(node->name.view());
    to.names.insert(copy.id);
    copy.type = node->type;
    copy.domain = node->domain;
    copy.op_version = node->op_version;
    copy.attrs = copy_attrs(node->attrs);
    copy_slots(*node, copy);
    node->mark = static_cast<uint32_t>(state.nodes.size());
    state.nodes.push_back(node);
    state.node_copies.push_back(&copy);
  }
}

/// Use lists are copied output by output, which gives the copies the use order of the originals.
void copy_data_edges(const CloneState& state) noexcept {
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    for (uint32_t index = 0; index < state.nodes[i]->outputs.size(); ++index) {
      for (Use use = state.nodes[i]->outputs[index].first; use.present();) {
        const Node& reader = node_at(use.node);
        Node& reader_copy = *state.node_copies[reader.mark];
        reader_copy.inputs[use.slot].producer = state.node_copies[i]->id;
        reader_copy.inputs[use.slot].output = index;
        link_use(reader_copy, use.slot);
        use = reader.inputs[use.slot].next;
      }
    }
  }
}

/// Out lists and in lists have an order each, so the edges are made along one and the other is set afterwards.
void copy_control_edges(const CloneState& state) {
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    for (ControlEdge* edge = state.nodes[i]->first_control_out(); edge != nullptr; edge = edge->next_out) {
      Node& source = *state.node_copies[i];
      Node& target = *state.node_copies[edge->target->mark];
      source.need_extra();
      target.need_extra();
      ControlEdge* copy = new ControlEdge{&source, &target};
      link_control(*copy);
    }
  }
}

void order_control_inputs(const CloneState& state) {
  // Last copied edge of each source, found through the source's mark while one target is rebuilt.
  std::vector<ControlEdge*> edge_from(state.nodes.size(), nullptr);
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    if (state.nodes[i]->first_control_in() == nullptr) continue;
    NodeExtra& target = *state.node_copies[i]->extra;
    for (ControlEdge* copy = target.first_in; copy != nullptr; copy = copy->next_in) {
      edge_from[copy->source->mark] = copy;
    }
    ControlEdge* last = nullptr;
    for (ControlEdge* edge = state.nodes[i]->first_control_in(); edge != nullptr; edge = edge->next_in) {
      ControlEdge* copy = edge_from[edge->source->mark];
      copy->previous_in = last;
      copy->next_in = nullptr;
      (last != nullptr ? last->next_in : target.first_in) = copy;
      last = copy;
    }
    target.last_in = last;
  }
}

void copy_graph_parts(const Graph& from, Graph& to) {
  to.attrs = from.attrs;
  to.name_counters = from.name_counters;
}

void attach_copies(const CloneState& state) {
  // Siblings were visited last first; following the originals' own lists gives the order of attaching.
  const auto attach = [](SubgraphSet& set, Graph& copy, Graph& original, Node* node, Graph* graph) {
    copy.key = SmallString(original.key.view());
    set.index.reserve_one();
    copy.owner_node = node;
    copy.owner_graph = graph;
    link_subgraph(set, copy);
  };
  for (size_t i = 0; i < state.originals.size(); ++i) {
    for (Graph* child = state.originals[i]->library.first; child != nullptr; child = child->next_sibling) {
      attach(state.copies[i]->library, *state.copies[child->walk_index], *child, nullptr, state.copies[i]);
    }
  }
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    for (Graph* child = state.nodes[i]->first_subgraph(); child != nullptr; child = child->next_sibling) {
      Node& owner = *state.node_copies[i];
      attach(owner.need_extra().subgraphs, *state.copies[child->walk_index], *child, &owner, nullptr);
    }
  }
}

/// Ends copies after an error, attached or not.
void abandon(CloneState& state) noexcept {
  for (Graph* copy : state.copies) {
    copy->library.first = nullptr;
    for (Node* node = copy->first_node(); node != nullptr; node = Graph::next_node(*node)) {
      if (node->extra) node->extra->subgraphs.first = nullptr;
    }
  }
  for (Graph* copy : state.copies) destroy_tree(*copy);
}

void build(Graph& graph, std::string_view name, CloneState& state) {
  size_t graph_count = 0;
  size_t node_count = 0;
  for_each_graph(graph, [&](Graph& each) {
    ++graph_count;
    node_count += each.count;
  });
  state.originals.reserve(graph_count);
  state.copies.reserve(graph_count);
  state.nodes.reserve(node_count);
  state.node_copies.reserve(node_count);
  for_each_graph(graph, [&state](Graph& each) {
    each.walk_index = state.originals.size();
    state.originals.push_back(&each);
  });
  for (Graph* original : state.originals) {
    Graph& copy = create_graph(original == &graph ? name : original->name.view());
    state.copies.push_back(&copy);
    copy_graph_parts(*original, copy);
    copy_nodes(*original, copy, state);
  }
  for (size_t i = 0; i < state.node_copies.size(); ++i) state.node_copies[i]->mark = static_cast<uint32_t>(i);
  attach_copies(state);
  copy_control_edges(state);
  order_control_inputs(state);
  copy_data_edges(state);
}

}  // namespace

const Node* find_capture(Graph& top, uint32_t* slot) noexcept {
  const uint64_t stamp = new_stamp();
  for_each_graph(top, [stamp](Graph& graph) { graph.stamp = stamp; });
  const Node* found = nullptr;
  for_each_graph(top, [&](Graph& graph) {
    if (found != nullptr) return;
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      for (uint32_t i = 0; i < node->inputs.size(); ++i) {
        const uint32_t producer = node->inputs[i].producer;
        if (producer == kNoNode || node_at(producer).graph->stamp == stamp) continue;
        found = node;
        *slot = i;
        return;
      }
    }
  });
  return found;
}

Graph& clone_graph(Graph& graph, std::string_view name) {
  uint32_t slot = 0;
  if (const Node* reader = find_capture(graph, &slot)) {
    const Input& input = reader->inputs[slot];
    fail(GE_STATUS_REFUSED, describe(graph), " cannot be copied to a root graph: input ", slot, " of ",
         describe(*reader), " reads output ", input.output, " of ", describe(node_at(input.producer)));
  }
  CloneState state;
  try {
    build(graph, name, state);
  } catch (...) {
    abandon(state);
    throw;
  }
  return *state.copies.front();
}

}  // namespace ge_ir
