#include "ge_partition/clusters.h"

#include <algorithm>
#include <numeric>

namespace ge::partition {
namespace {

constexpr std::uint32_t kNone = Clusters::kNone;

// Union-find over node numbers, with path halving and the smaller number as root, so that results do not depend on
// luck.
class Unions {
 public:
  explicit Unions(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::uint32_t find(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// For each node a dynamic node from which a path leads here (or to which one leads from here), kNone if there is none.
struct Witnesses {
  std::vector<std::uint32_t> above;
  std::vector<std::uint32_t> below;
};

std::uint32_t witness(const std::vector<Reason>& reasons, const std::vector<std::uint32_t>& known, std::uint32_t n) {
  return is_dynamic(reasons[n].rule) ? n : known[n];
}

Witnesses find_witnesses(const FlatGraph& flat, const std::vector<Reason>& reasons) {
  Witnesses found{std::vector<std::uint32_t>(flat.size(), kNone), std::vector<std::uint32_t>(flat.size(), kNone)};
  for (const std::uint32_t user : flat.order) {
    for (std::uint32_t e = flat.first_edge[user]; e < flat.first_edge[user + 1]; ++e) {
      if (found.above[user] != kNone) break;
      found.above[user] = witness(reasons, found.above, flat.edges[e].producer);
    }
  }
  for (auto user = flat.order.rbegin(); user != flat.order.rend(); ++user) {
    const std::uint32_t reached = witness(reasons, found.below, *user);
    if (reached == kNone) continue;
    for (std::uint32_t e = flat.first_edge[*user]; e < flat.first_edge[*user + 1]; ++e) {
      std::uint32_t& below = found.below[flat.edges[e].producer];
      if (below == kNone) below = reached;
    }
  }
  return found;
}

void absorb(const FlatGraph& flat, const Witnesses& witnesses, std::vector<Reason>& reasons) {
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    if (flat.roles[n] != Role::kOperator || is_dynamic(reasons[n].rule)) continue;
    if (witnesses.above[n] == kNone || witnesses.below[n] == kNone) continue;
    reasons[n] = {Rule::kAbsorbed, "it lies on a path from '" + ir::node_name(flat.nodes[witnesses.above[n]]) +
                                       "' to '" + ir::node_name(flat.nodes[witnesses.below[n]]) + "', both dynamic"};
  }
}

// What may merge with what: equal kinds only.
enum class Kind : std::uint8_t { kNoOperator, kDynamic, kStaticBefore, kStaticAfter };

std::vector<Kind> kinds_of(const FlatGraph& flat, const Witnesses& witnesses, const std::vector<Reason>& reasons) {
  std::vector<Kind> kinds(flat.size(), Kind::kNoOperator);
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    if (flat.roles[n] != Role::kOperator) continue;
    const Kind where = witnesses.above[n] == kNone ? Kind::kStaticBefore : Kind::kStaticAfter;
    kinds[n] = is_dynamic(reasons[n].rule) ? Kind::kDynamic : where;
  }
  return kinds;
}

void unite_equal(const FlatGraph& flat, const std::vector<Kind>& kinds, Unions& unions) {
  for (const Edge& edge : flat.edges) {
    if (kinds[edge.user] != Kind::kNoOperator && kinds[edge.user] == kinds[edge.producer]) {
      unions.unite(edge.user, edge.producer);
    }
  }
}

// Static groups below the limit become dynamic; true if there were any.
bool demote(const FlatGraph& flat, std::int64_t limit, Unions& unions, std::vector<Kind>& kinds,
            std::vector<Reason>& reasons) {
  std::vector<std::int64_t> sizes(flat.size(), 0);
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    if (kinds[n] != Kind::kNoOperator) ++sizes[unions.find(n)];
  }
  bool any = false;
  for (std::uint32_t n = 0; n < flat.size(); ++n) {
    if (kinds[n] != Kind::kStaticBefore && kinds[n] != Kind::kStaticAfter) continue;
    const std::int64_t size = sizes[unions.find(n)];
    if (size >= limit) continue;
    any = true;
    kinds[n] = Kind::kDynamic;
    reasons[n] = {Rule::kDemoted, "its static part of " + std::to_string(size) + (size == 1 ? " node" : " nodes") +
                                      " is below the limit of " + std::to_string(limit)};
  }
  return any;
}

// Clusters in the order of their first members would do for merging, but not for running: a cluster may begin before
// one that it needs. Kahn's walk over clusters gives the order.
std::vector<std::uint32_t> run_order(const FlatGraph& flat, const std::vector<std::uint32_t>& of, std::size_t count) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;  // producer cluster, user cluster
  for (const Edge& edge : flat.edges) {
    const std::uint32_t from = of[edge.producer];
    const std::uint32_t to = of[edge.user];
    if (from != kNone && to != kNone && from != to) links.emplace_back(from, to);
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  std::vector<std::uint32_t> waiting(count, 0);
  for (const auto& link : links) ++waiting[link.second];
  std::vector<std::uint32_t> order;
  for (std::uint32_t c = 0; c < count; ++c) {
    if (waiting[c] == 0) order.push_back(c);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto link = std::lower_bound(links.begin(), links.end(), std::make_pair(order[i], 0u));
    for (; link != links.end() && link->first == order[i]; ++link) {
      if (--waiting[link->second] == 0) order.push_back(link->second);
    }
  }
  if (order.size() != count) throw abi::Failure(GE_STATUS_INTERNAL, "the parts depend on each other in a cycle");
  return order;
}

Clusters collect(const FlatGraph& flat, const std::vector<Kind>& kinds, const std::vector<Reason>& reasons,
                 Unions& unions) {
  std::vector<Cluster> list;
  std::vector<std::uint32_t> cluster_of_root(flat.size(), kNone);
  std::vector<std::uint32_t> of(flat.size(), kNone);
  for (const std::uint32_t n : flat.order) {
    if (kinds[n] == Kind::kNoOperator) continue;
    std::uint32_t& cluster = cluster_of_root[unions.find(n)];
    if (cluster == kNone) {
      cluster = static_cast<std::uint32_t>(list.size());
      list.push_back({kinds[n] == Kind::kDynamic, true, {}});
    }
    of[n] = cluster;
    list[cluster].members.push_back(n);
    list[cluster].demoted = list[cluster].demoted && reasons[n].rule == Rule::kDemoted;
  }
  const std::vector<std::uint32_t> order = run_order(flat, of, list.size());
  Clusters clusters;
  std::vector<std::uint32_t> place(list.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    clusters.list.push_back(std::move(list[order[i]]));
  }
  for (std::uint32_t& cluster : of) {
    if (cluster != kNone) cluster = place[cluster];
  }
  clusters.of = std::move(of);
  return clusters;
}

}  // namespace

Clusters make_clusters(const FlatGraph& flat, std::vector<Reason>& reasons, std::int64_t limit, std::uint64_t& steps) {
  const Witnesses witnesses = find_witnesses(flat, reasons);
  absorb(flat, witnesses, reasons);
  std::vector<Kind> kinds = kinds_of(flat, witnesses, reasons);
  Unions unions(flat.size());
  unite_equal(flat, kinds, unions);
  if (demote(flat, limit, unions, kinds, reasons)) unite_equal(flat, kinds, unions);
  steps += 4 * (flat.size() + flat.edges.size());
  return collect(flat, kinds, reasons, unions);
}

}  // namespace ge::partition
