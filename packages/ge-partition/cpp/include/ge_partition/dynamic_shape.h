// The dynamic-shape partitioner: classify, cluster, decide, frame; and what it found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ge_partition/frame.h"
#include "ge_partition/name_index.h"
#include "ge_partition/reason.h"

namespace ge::partition {

// Numbers of ge_partition_decision.
enum class Decision : std::uint32_t { kSplit = 0, kAllStatic = 1, kAllDynamic = 2, kNotAsked = 3 };

// Result of one split, kept after the graph has changed.
struct Partition {
  Decision decision = Decision::kSplit;
  std::int64_t limit = 0;
  std::uint64_t steps = 0;
  std::uint64_t crossing_values = 0;
  std::vector<Part> parts;
  std::vector<std::string> names;     // of the nodes before the split, in list order
  std::vector<Reason> reasons;        // by the same numbers
  std::vector<std::int64_t> part_of;  // -1: none
  NameIndex index;
};

// Lower limit of a static part from its text: an integer of -1 or more; null or absent text is 4. Failure with E10001.
std::int64_t parse_limit(const std::string_view* text);

// Failure{INVALID_STATE} for a subgraph and for a graph that is split.
void require_splittable(std::uint64_t graph);

// Splits a root graph that is splittable. The edits belong to the transaction that the caller holds.
Partition partition_dynamic(std::uint64_t graph, std::int64_t limit, Transaction& transaction);

}  // namespace ge::partition
