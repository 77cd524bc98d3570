// Decompose passes: the nodes of the wanted types as they are when the pass starts, in topological order. Nodes that
// the replacements make are not visited. Inputs of the replacement are the node's input slots by number, whatever they
// read: two slots with one producer are two inputs, and an absent slot keeps its number (its Data may be left out; who
// reads it gets an absent input).
#include <algorithm>

#include "ge_passes/pass_run.h"

namespace ge_passes {
namespace {

void decompose(PassRun& run, Handle node, Places& places, uint64_t& rewrites) {
  ++run.row.matches;
  run.node = node;
  if (!accepted(run, node)) {
    ++run.row.skipped;
    return;
  }
  const Region region = region_of(node);
  if (region.outputs.empty()) {
    fail(GE_STATUS_REFUSED, describe(node), " has no outputs; only nodes with outputs can be decomposed");
  }
  const Placement placement = find_placement(region, places);
  count_rewrite(run, rewrites);
  const std::vector<Created> created = replace(run, region, placement, node);
  for (const Created& made : created) {
    if (placement.placed) places.set(made.node, placement.place);
  }
  for (const Handle moved : placement.moved) places.set(moved, placement.place);
}

}  // namespace

void run_decompose(PassRun& run) {
  OpColumns columns;
  read_ops(run.graph, columns);
  std::vector<uint32_t> wanted = run.instance.pass().op_types;
  std::sort(wanted.begin(), wanted.end());
  const auto is_wanted = [&wanted](uint32_t type) { return std::binary_search(wanted.begin(), wanted.end(), type); };
  if (std::none_of(columns.types.begin(), columns.types.end(), is_wanted)) return;
  std::vector<Handle> chosen;
  for (const Handle node : graph_nodes(run.graph, GE_IR_ORDER_TOPOLOGICAL)) {
    if (is_wanted(op_of(node).type)) chosen.push_back(node);
  }
  Places places(run.graph);
  uint64_t rewrites = 0;
  for (const Handle node : chosen) {
    if (is_live(node)) decompose(run, node, places, rewrites);
  }
  run.node = 0;
}

}  // namespace ge_passes
