// Moves a node into another graph of the same tree: a new node takes over everything, the bodies included.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ge_partition/flat_graph.h"

namespace ge::partition {

// Attribute that keeps the place of a node in the list order of the graph that was split.
inline constexpr char kOrderKey[] = "_partition_order";
// Attribute with the places of all nodes that a node had control edges from, if one of them is in another part.
inline constexpr char kControlKey[] = "_partition_control_inputs";
// Attribute of the calls that a split made: the number of the part. Other calls are operators like all.
inline constexpr char kPartKey[] = "_partition_part";
// Mark on each operator of a part, and what it was before if there was one.
inline constexpr char kOwnerKey[] = "OwnerGraphIsUnknown";
inline constexpr char kOldOwnerKey[] = "_partition_owner_graph_is_unknown";
// Mark on a graph that is split, and on one that had the mark (false) before.
inline constexpr char kSplitKey[] = "_dynamic_shape_partitioned";
inline constexpr char kOldSplitKey[] = "_partition_was_marked";

// True if two descriptors say the same.
bool same_desc(const ge_ir_desc& a, const ge_ir_desc& b);

// Copies operator, attributes, descriptors and value names of `node` to a new node in `graph` that reads `inputs`.
// Bodies are not copied.
std::uint64_t copy_node(std::uint64_t node, std::uint64_t graph, std::string_view name,
                        const std::vector<Value>& inputs);

// Takes the bodies of `from` to `to`. Captured values are replaced as `replace` says: capture -> value that the body
// reads from now on. The bodies read nothing of the outside while they move, because a graph that does cannot move.
template <class Replace>
void move_bodies(std::uint64_t from, std::uint64_t to, const std::vector<Capture>& captures, Replace replace) {
  for (const Capture& capture : captures) ir::set_input(capture.user, capture.slot, Value{});
  for (const std::uint64_t body : ir::subgraphs(from)) {
    const std::string key = ir::graph_key(body);
    ir::attach(to, key, ir::detach(from, key));
  }
  for (const Capture& capture : captures) ir::set_input(capture.user, capture.slot, replace(capture.value));
}

}  // namespace ge::partition
