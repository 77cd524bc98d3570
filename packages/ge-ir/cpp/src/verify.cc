#include "ge_ir/verify.h"

#include <cstring>
#include <unordered_map>

#include "ge_ir/edit.h"
#include "ge_ir/failure.h"
#include "ge_ir/order.h"
#include "ge_ir/symbol.h"
#include "ge_ir_slots.h"

namespace ge_ir {
namespace {

/// Collects findings about one tree.
class Verifier {
 public:
  explicit Verifier(Graph& top) : top_(top) {}

  std::string run() {
    const uint64_t stamp = new_stamp();
    for_each_graph(top_, [stamp](Graph& graph) { graph.stamp = stamp; });
    for_each_graph(top_, [this](Graph& graph) { check_graph(graph); });
    // Ordering uses the stamps of graphs as well, so it comes after the walk.
    for_each_graph(top_, [this](Graph& graph) { check_cycles(graph); });
    return std::move(findings_);
  }

 private:
  template <class... Parts>
  void find(const Parts&... parts) {
    findings_ += cat(parts..., '\n');
  }

  void check_graph(Graph& graph) {
    check_list(graph);
    check_special_nodes(graph);
    check_subgraphs(graph, graph.library, nullptr);
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      check_inputs(*node);
      check_uses(*node);
      check_controls(*node);
      if (node->extra) check_subgraphs(graph, node->extra->subgraphs, node);
    }
  }

  void check_list(const Graph& graph) {
    uint64_t count = 0;
    uint32_t previous = kNoNode;
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      if (node->previous != previous) find("the list of ", describe(graph), " is broken before ", describe(*node));
      if (node->graph != &graph) find(describe(*node), " is listed in ", describe(graph));
      if (graph.find(node->name.view()) != node) find("the name of ", describe(*node), " leads to another node");
      if (node->type == 0) find(describe(*node), " has no operator type");
      previous = node->id;
      ++count;
    }
    if (count != graph.count || count != graph.names.count() || previous != graph.tail) {
      find(describe(graph), " lists ", count, " nodes, counts ", graph.count, " and names ", graph.names.count());
    }
  }

  void check_inputs(const Node& node) {
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      const Input& input = node.inputs[i];
      if (input.producer == kNoNode) continue;
      const Node& producer = node_at(input.producer);
      if (input.output >= producer.outputs.size()) {
        find("input ", i, " of ", describe(node), " reads output ", input.output, " of ", describe(producer),
             ", which has ", producer.outputs.size());
        continue;
      }
      if (producer.graph != node.graph && !producer.graph->encloses(*node.graph)) {
        find("input ", i, " of ", describe(node), " reads ", describe(producer), ", which is out of scope");
      }
      const Use back = input.previous.present() ? node_at(input.previous.node).inputs[input.previous.slot].next
                                                : producer.outputs[input.output].first;
      if (back.node != node.id || back.slot != i) {
        find("input ", i, " of ", describe(node), " is missing in the use list of ", describe(producer));
      }
    }
  }

  void check_uses(const Node& node) {
    for (uint32_t index = 0; index < node.outputs.size(); ++index) {
      const Output& output = node.outputs[index];
      uint32_t count = 0;
      for (Use use = output.first; use.present() && count <= output.use_count; ++count) {
        const Node& reader = node_at(use.node);
        if (use.slot >= reader.inputs.size() || reader.inputs[use.slot].producer != node.id ||
            reader.inputs[use.slot].output != index) {
          find("the use list of output ", index, " of ", describe(node), " names input ", use.slot, " of ",
               describe(reader), ", which reads something else");
          break;
        }
        use = reader.inputs[use.slot].next;
      }
      if (count != output.use_count) {
        find("output ", index, " of ", describe(node), " counts ", output.use_count, " uses, its list has ", count);
      }
    }
  }

  void check_controls(const Node& node) {
    uint64_t outs = 0;
    uint64_t ins = 0;
    const ControlEdge* previous = nullptr;
    for (const ControlEdge* edge = node.first_control_out(); edge != nullptr; edge = edge->next_out, ++outs) {
      if (edge->source != &node || edge->previous_out != previous || edge->target->graph != node.graph) {
        find("a control edge from ", describe(node), " is not the one its target knows");
      }
      previous = edge;
    }
    previous = nullptr;
    for (const ControlEdge* edge = node.first_control_in(); edge != nullptr; edge = edge->next_in, ++ins) {
      if (edge->target != &node || edge->previous_in != previous || edge->source->graph != node.graph) {
        find("a control edge to ", describe(node), " is not the one its source knows");
      }
      previous = edge;
    }
    if (node.extra && (outs != node.extra->out_count || ins != node.extra->in_count)) {
      find(describe(node), " counts ", node.extra->in_count, " + ", node.extra->out_count,
           " control edges, its lists have ", ins, " + ", outs);
    }
  }

  void check_subgraphs(const Graph& graph, const SubgraphSet& set, const Node* owner) {
    uint64_t count = 0;
    for (const Graph* child = set.first; child != nullptr; child = child->next_sibling, ++count) {
      if (child->owner_node != owner || child->parent() != &graph) {
        find(describe(*child), " does not know its owner in ", describe(graph));
      }
      if (set.index.find(child->key.view()) != handle_index(child->handle)) {
        find("the key ", quoted(child->key.view()), " in ", describe(graph), " leads to another subgraph");
      }
    }
    if (count != set.count) find(describe(graph), " counts ", set.count, " subgraphs, the list has ", count);
  }

  void check_special_nodes(const Graph& graph) {
    const uint32_t net_output = find_symbol("NetOutput");
    const uint32_t data = find_symbol("Data");
    const Node* output = nullptr;
    std::unordered_map<int64_t, const Node*> by_index;
    for (Node* node = graph.first_node(); node != nullptr; node = Graph::next_node(*node)) {
      if (node->type == net_output && node->domain == 0) {
        if (output != nullptr) {
          find(describe(graph), " has more than one NetOutput: ", quoted(output->name.view()), " and ",
               quoted(node->name.view()));
        }
        output = node;
      }
      if (node->type == data && node->domain == 0) check_data_index(*node, by_index);
    }
  }

  void check_data_index(const Node& node, std::unordered_map<int64_t, const Node*>& by_index) {
    const uint32_t position = node.attrs ? node.attrs->find(find_symbol("index")) : AttrMap::kNone;
    if (position == AttrMap::kNone || node.attrs->at(position).value.kind() != GE_IR_ATTR_KIND_INT) return;
    ge_ir_attr value{};
    node.attrs->at(position).value.fill(value);
    const auto placed = by_index.emplace(value.i, &node);
    if (!placed.second) {
      find(describe(node), " has input index ", value.i, ", and so has ", quoted(placed.first->second->name.view()));
    }
  }

  void check_cycles(Graph& graph) {
    const Topology topology = order_nodes(graph);
    if (topology.cycle.empty()) return;
    find(describe(graph), " has a cycle of ", uint64_t{topology.cycle.size()}, " nodes: ", describe_cycle(topology));
  }

  Graph& top_;
  std::string findings_;
};

}  // namespace

std::string verify_graph(Graph& graph) { return Verifier(graph).run(); }

}  // namespace ge_ir
