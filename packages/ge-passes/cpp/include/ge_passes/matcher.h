// Runs the program of a pattern against a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ge_passes/graph_index.h"
#include "ge_passes/match.h"

namespace ge_passes {

/// Finds matches one by one. Reads only. Iterative: the depth of a pattern costs no stack.
///
/// A match needs: type and domain of every node; every input slot present or absent as in the pattern (absent ones at
/// the end count as not there) and reading the same output index; a pattern input or node read twice bound to one and
/// the same value; different nodes for different pattern nodes; all nodes in one graph and without subgraphs; every
/// value that is not a declared output read only by the match (captures and NetOutput count as readers; constants are
/// exempt, they stay if somebody else reads them); and no input bound to a value that the match makes.
class Matcher {
 public:
  Matcher(GraphIndex& index, std::shared_ptr<Pattern> pattern);

  /// Candidates for the first output's node. May grow while matches are replaced.
  const std::vector<Handle>& candidates() { return index_.nodes_of(root_key_); }
  /// Whether the graph has enough nodes of every operator for one match at all.
  bool possible();
  /// Starts with a candidate; dead ones and such that changed their operator find nothing.
  void start(Handle candidate);
  /// The next match with that candidate; false when there is none left. The graph must not change in between.
  bool next();
  /// Of the last next() that was true.
  const std::shared_ptr<Match>& match() const noexcept { return match_; }

 private:
  struct Choice {
    size_t step = 0;
    size_t cursor = 0;
  };
  bool enter(size_t step);
  bool advance();
  bool bind(uint32_t number, Handle target);
  bool expand(const PatternNode& node, Handle target);
  bool read_slot(const Source& source, Value value);
  bool choose_anchor(const Step& step, PairList& uses);
  bool closed();
  bool node_closed(const PatternNode& node, Handle target);
  void put_in_order();
  Value bound_value(const Source& source) const noexcept;

  GraphIndex& index_;
  std::shared_ptr<const CompiledPattern> program_;
  std::shared_ptr<Match> match_;
  uint64_t root_key_ = 0;
  Handle root_ = 0;
  bool resume_ = false;
  std::vector<Choice> choices_;
  std::vector<PairList> uses_;  ///< per step
  PairList inputs_;
};

}  // namespace ge_passes
