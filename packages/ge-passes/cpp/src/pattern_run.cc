// Pattern passes: patterns in order; for each, candidates in topological order, then the nodes that its own
// replacements made. A candidate is looked at when its turn comes, so a match never names a node that an earlier
// rewrite took.
#include "ge_passes/pass_run.h"

namespace ge_passes {
namespace {

/// Rewrites that may lie behind a node. A rewrite of nodes of the graph makes generation 1; one that consumes only
/// nodes of generation g makes g + 1. A rule that consumes one older node each time ends by itself and stays at 1.
constexpr uint32_t kMostGenerations = 64;

class PatternRun {
 public:
  PatternRun(PassRun& run, GraphIndex& index, uint64_t& rewrites) : run_(run), index_(index), rewrites_(rewrites) {}

  void look_for(const std::shared_ptr<Pattern>& pattern) {
    run_.pattern = pattern.get();
    Matcher matcher(index_, pattern);
    if (matcher.possible()) {
      for (size_t i = 0; i < matcher.candidates().size(); ++i) {
        matcher.start(matcher.candidates()[i]);
        while (matcher.next() && !take(matcher.match())) {
        }
      }
    }
    run_.pattern = nullptr;
    run_.node = 0;
  }

 private:
  /// Handles one match; true if it was replaced.
  bool take(const std::shared_ptr<Match>& match) {
    ++run_.row.matches;
    run_.node = match->nodes.front();
    const Region region = region_of(*match);
    const Placement placement = find_placement(region, index_.places());
    if (!placement.cycle.empty() || !ask(match)) {
      ++run_.row.skipped;
      return false;
    }
    const uint32_t generation = next_generation(region);
    count_rewrite(run_, rewrites_);
    const Lease<Match> lease(matches(), match);
    const std::vector<Created> created = replace(run_, region, placement, lease.handle());
    for (const Created& made : created) {
      index_.add(made.node, made.key, generation);
      if (placement.placed) index_.places().set(made.node, placement.place);
    }
    for (const Handle moved : placement.moved) index_.places().set(moved, placement.place);
    return true;
  }

  bool ask(const std::shared_ptr<Match>& match) {
    const Lease<Match> lease(matches(), match);
    return accepted(run_, lease.handle());
  }

  uint32_t next_generation(const Region& region) const {
    uint32_t least = UINT32_MAX;
    for (const Handle node : region.nodes) least = std::min(least, index_.generation(node));
    if (least < kMostGenerations) return least + 1;
    fail(GE_STATUS_REFUSED, "its replacements have been replaced ", kMostGenerations,
         " times over: the rule makes what it looks for and would never end");
  }

  PassRun& run_;
  GraphIndex& index_;
  uint64_t& rewrites_;
};

}  // namespace

void run_patterns(PassRun& run) {
  if (run.instance.patterns.empty()) return;
  GraphIndex index(run.graph);
  uint64_t rewrites = 0;
  PatternRun pass(run, index, rewrites);
  for (const auto& pattern : run.instance.patterns) pass.look_for(pattern);
}

}  // namespace ge_passes
