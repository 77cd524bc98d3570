// One pass on one graph.
#pragma once

#include <memory>

#include "ge_passes/executor.h"
#include "ge_passes/graph_index.h"
#include "ge_passes/matcher.h"
#include "ge_passes/rewriter.h"
#include "ge_passes/transaction.h"

namespace ge_passes {

/// What a run of a pass works with; says in a failure where it was.
struct PassRun {
  Instance& instance;
  const std::shared_ptr<Context>& context;
  Transaction& transaction;
  Statistics& row;
  Handle root = 0;
  Handle graph = 0;
  uint64_t max_rewrites = 0;
  const Pattern* pattern = nullptr;  ///< in work
  Handle node = 0;                   ///< in work

  /// Pass, graph, pattern, node, for messages.
  std::string where() const;
};

/// Asks for the patterns, once per instance.
void load_patterns(PassRun& run);
/// Finds and replaces; see the rules in pattern_run.cc.
void run_patterns(PassRun& run);
/// Replaces nodes by type; see the rules in decompose_run.cc.
void run_decompose(PassRun& run);
/// Calls the whole-graph callback.
void run_fusion_base(PassRun& run);

/// Asks meet_requirements about a MATCH or a NODE.
bool accepted(PassRun& run, uint64_t subject);
/// Gets the replacement graph for a subject, puts it in the region's place and ends it. New nodes are returned.
std::vector<Created> replace(PassRun& run, const Region& region, const Placement& placement, uint64_t subject);
/// Throws when a run makes more rewrites than it may.
void count_rewrite(PassRun& run, uint64_t& rewrites);

}  // namespace ge_passes
