#include "ge_passes/region.h"

#include <algorithm>

namespace ge_passes {

bool Region::one_root() const noexcept {
  for (const Value& output : outputs) {
    if (output.node != outputs.front().node) return false;
  }
  return true;
}

Region region_of(const Match& match) {
  Region region;
  region.graph = match.graph;
  const CompiledPattern& program = *match.program;
  for (const Source& output : program.outputs) region.outputs.push_back({match.nodes[output.number], output.index});
  for (const Handle node : match.in_order) {
    const size_t number =
        static_cast<size_t>(std::find(match.nodes.begin(), match.nodes.end(), node) - match.nodes.begin());
    const PatternNode& known = program.nodes[number];
    const bool is_output = std::find(known.declared.begin(), known.declared.end(), 1) != known.declared.end();
    // A constant whose value is replaced is like any other node: its readers get the new value.
    (known.constant && !is_output ? region.constants : region.nodes).push_back(node);
  }
  region.inputs = match.inputs;
  for (const Handle node : region.nodes) region.members.set(node, 1);
  find_controls(region);
  return region;
}

Region region_of(Handle node) {
  Region region;
  region.graph = graph_of(node);
  region.nodes.push_back(node);
  region.members.set(node, 1);
  PairList inputs;
  read_inputs(node, inputs);
  while (inputs.count > 0 && inputs.nodes[inputs.count - 1] == 0) --inputs.count;
  for (size_t i = 0; i < inputs.count; ++i) region.inputs.push_back(inputs.value(i));
  const uint64_t outputs = arity(node).second;
  for (uint32_t i = 0; i < outputs; ++i) region.outputs.push_back({node, i});
  region.slots_may_lack = true;
  find_controls(region);
  return region;
}

void find_controls(Region& region) {
  thread_local std::vector<Handle> found;
  const auto add = [&region](std::vector<Handle>& to) {
    for (const Handle other : found) {
      if (!region.has(other) && std::find(to.begin(), to.end(), other) == to.end()) to.push_back(other);
    }
  };
  const Handle root = region.outputs.empty() ? 0 : region.outputs.back().node;
  for (const Handle node : region.nodes) {
    read_control_inputs(node, found);
    if (!found.empty()) add(region.control_sources);
    read_control_outputs(node, found);
    if (found.empty()) continue;
    const size_t before = region.control_targets.size();
    add(region.control_targets);
    region.inner_targets |= node != root && region.control_targets.size() != before;
  }
}

Handle host_in(Handle node, Handle graph) {
  for (;;) {
    const Handle at = graph_of(node);
    if (at == graph) return node;
    Handle owner = graph_owner(at);
    // A library subgraph is owned by a graph; no node of its owner runs it directly.
    if (GE_HANDLE_TYPE(owner) != GE_HANDLE_TYPE_NODE) return 0;
    node = owner;
  }
}

}  // namespace ge_passes
