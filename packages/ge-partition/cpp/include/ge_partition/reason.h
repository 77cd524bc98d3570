// Why a node is where it is: a rule and words, kept for every node of a split.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ge_partition/flat_graph.h"

namespace ge::partition {

// Numbers of ge_partition_rule.
enum class Rule : std::uint32_t {
  kStatic = 0,
  kForced = 1,
  kHostEngine = 2,
  kUnknownShape = 3,
  kSubgraph = 4,
  kTiling = 5,
  kAddress = 6,
  kAbsorbed = 7,
  kDemoted = 8,
  kReference = 9,
  kConstant = 10,
  kBoundary = 11,
};

// Verdict on one node. `text` is empty where the rule says all (static, constant, boundary).
struct Reason {
  Rule rule = Rule::kStatic;
  std::string text;
};

// Classifies every node by itself: rules C1 to C6, then reference variables with their consumers. No node looks at
// another but through shapes and bodies. `steps` grows by the nodes looked at.
std::vector<Reason> classify(const FlatGraph& flat, std::uint64_t& steps);

// A reason in words; the view lives as long as the reason.
std::string_view words_of(const Reason& reason);

// True for the rules that make a node dynamic.
bool is_dynamic(Rule rule);

}  // namespace ge::partition
