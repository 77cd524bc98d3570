#include "ge_passes/graph_interface.h"

namespace ge_passes {
namespace {

/// Bounds the table of inputs: an index far beyond the number of nodes is a mistake, not a wish for a huge table.
constexpr int64_t kMostInputs = 1 << 20;

int64_t data_index(Handle node, int64_t place) {
  if (!has_key(node, symbols().index)) return place;
  const ge_ir_attr value = get_attr(node, GE_IR_SCOPE_SELF, 0, symbols().index);
  if (value.kind != GE_IR_ATTR_KIND_INT) {
    fail(GE_STATUS_INVALID_ARGUMENT, describe(node), ": attribute 'index' is no INT (kind ", value.kind, ")");
  }
  return value.i;
}

void place_data(GraphInterface& found, Handle node, int64_t place, const char* what) {
  const int64_t index = data_index(node, place);
  if (index < 0 || index >= kMostInputs) {
    fail(GE_STATUS_INVALID_ARGUMENT, what, ": ", describe(node), " has input index ", index, "; expected 0 to ",
         kMostInputs - 1);
  }
  const size_t at = static_cast<size_t>(index);
  if (found.data.size() <= at) found.data.resize(at + 1, 0);
  if (found.data[at] != 0) {
    fail(GE_STATUS_INVALID_ARGUMENT, what, ": ", describe(node), " and ", describe(found.data[at]),
         " both have input index ", index);
  }
  found.data[at] = node;
}

}  // namespace

GraphInterface read_interface(Handle graph, const std::vector<Handle>& order, const char* what) {
  GraphInterface found;
  Handle net_output = 0;
  int64_t data_count = 0;
  for (const Handle node : order) {
    const Op op = op_of(node);
    if (op.domain == 0 && op.type == symbols().data) {
      place_data(found, node, data_count++, what);
    } else if (op.domain == 0 && op.type == symbols().net_output) {
      if (net_output != 0) {
        fail(GE_STATUS_INVALID_ARGUMENT, what, " ", describe_graph(graph),
             " has two NetOutput nodes: ", quoted(node_name(net_output)), " and ", quoted(node_name(node)));
      }
      net_output = node;
    } else {
      found.inner.push_back(node);
    }
  }
  if (net_output != 0) {
    thread_local PairList inputs;
    read_inputs(net_output, inputs);
    for (size_t i = 0; i < inputs.count; ++i) found.outputs.push_back(inputs.value(i));
  }
  return found;
}

}  // namespace ge_passes
