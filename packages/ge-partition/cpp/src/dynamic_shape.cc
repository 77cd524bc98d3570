#include "ge_partition/dynamic_shape.h"

#include <algorithm>
#include <limits>

#include "ge_partition/clusters.h"
#include "ge_partition/flat_graph.h"
#include "ge_partition/node_mover.h"

namespace ge::partition {
namespace {

constexpr std::int64_t kDefaultLimit = 4;
constexpr std::int64_t kEverythingDynamic = -1;

[[noreturn]] void bad_limit(std::string_view text) {
  throw abi::Failure(GE_STATUS_INVALID_ARGUMENT,
                     "E10001: the value '" + std::string(text) +
                         "' of option static_model_ops_lower_limit (ge.exec.static_model_ops_lower_limit) is not "
                         "accepted; expected an integer of -1 or more");
}

}  // namespace

void require_splittable(std::uint64_t graph) {
  if (ir::graph_owner(graph) != 0) {
    throw abi::Failure(GE_STATUS_INVALID_STATE,
                       "graph '" + ir::graph_name(graph) + "' is a subgraph; only a root graph can be split");
  }
  if (ir::get_int(graph, kSplitKey, 0) != 0) {
    throw abi::Failure(GE_STATUS_INVALID_STATE,
                       "graph '" + ir::graph_name(graph) + "' is split already; flatten it before splitting it again");
  }
}

namespace {

// The first node that says why, and what it says.
std::string part_reason(const Partition& result, const Cluster& cluster) {
  if (!cluster.dynamic) return "every shape is known";
  if (cluster.demoted) return result.reasons[cluster.members.front()].text;
  for (const std::uint32_t n : cluster.members) {
    const Reason& reason = result.reasons[n];
    if (reason.rule == Rule::kDemoted || reason.rule == Rule::kAbsorbed) continue;
    return "'" + result.names[n] + "': " + reason.text;
  }
  return result.reasons[cluster.members.front()].text;
}

Partition start(const FlatGraph& flat, std::int64_t limit) {
  Partition result;
  result.limit = limit;
  for (const std::uint64_t node : flat.nodes) result.names.push_back(ir::node_name(node));
  result.part_of.assign(flat.size(), -1);
  result.reasons = classify(flat, result.steps);
  return result;
}

// A graph that is not split is one part: itself.
void keep_whole(Partition& result, const FlatGraph& flat, Decision decision) {
  result.decision = decision;
  Part part;
  part.dynamic = decision == Decision::kAllDynamic;
  part.graph = flat.graph;
  part.name = ir::graph_name(flat.graph);
  part.reason = decision == Decision::kAllStatic    ? "every shape is known"
                : decision == Decision::kAllDynamic ? "the lower limit of -1 makes everything dynamic"
                                                    : "the graph's attribute _no_need_dynamic_shape_partition is true";
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    if (flat.roles[n] != Role::kOperator) continue;
    ++part.nodes;
    result.part_of[n] = 0;
  }
  result.parts.push_back(std::move(part));
}

void mark_whole(const FlatGraph& flat, bool dynamic) {
  for (std::uint32_t n = 0; n < flat.size(); ++n) ir::set_bool(flat.nodes[n], kOwnerKey, dynamic);
}

void split(Partition& result, const FlatGraph& flat, Transaction& transaction) {
  require_inner_orders(flat);
  const Clusters clusters = make_clusters(flat, result.reasons, result.limit, result.steps);
  result.parts = build_frame(flat, clusters, transaction);
  if (ir::attr(flat.graph, GE_IR_SCOPE_SELF, 0, kSplitKey).kind != GE_IR_ATTR_KIND_NONE) {
    ir::set_bool(flat.graph, kOldSplitKey, true);
  }
  ir::set_bool(flat.graph, kSplitKey, true);
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    result.parts[i].reason = part_reason(result, clusters.list[i]);
    result.crossing_values += result.parts[i].outputs;
  }
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    if (clusters.of[n] != Clusters::kNone) result.part_of[n] = clusters.of[n];
  }
}

}  // namespace

std::int64_t parse_limit(const std::string_view* text) {
  if (text == nullptr) return kDefaultLimit;
  std::int64_t value = 0;
  const bool negative = !text->empty() && text->front() == '-';
  const std::string_view digits = text->substr(negative ? 1 : 0);
  if (digits.empty()) bad_limit(*text);
  for (const char c : digits) {
    if (c < '0' || c > '9' || value > (std::numeric_limits<std::int64_t>::max() - (c - '0')) / 10) bad_limit(*text);
    value = value * 10 + (c - '0');
  }
  if (negative) value = -value;
  if (value < kEverythingDynamic) bad_limit(*text);
  return value;
}

Partition partition_dynamic(std::uint64_t graph, std::int64_t limit, Transaction& transaction) {
  const FlatGraph flat = FlatGraph::read(graph);
  Partition result = start(flat, limit);
  const auto dynamic = [](const Reason& reason) { return is_dynamic(reason.rule); };
  if (ir::get_int(graph, "_no_need_dynamic_shape_partition", 0) != 0) {
    keep_whole(result, flat, Decision::kNotAsked);
  } else if (limit == kEverythingDynamic) {
    keep_whole(result, flat, Decision::kAllDynamic);
    mark_whole(flat, true);
  } else if (std::none_of(result.reasons.begin(), result.reasons.end(), dynamic)) {
    keep_whole(result, flat, Decision::kAllStatic);
  } else {
    split(result, flat, transaction);
  }
  return result;
}

}  // namespace ge::partition
