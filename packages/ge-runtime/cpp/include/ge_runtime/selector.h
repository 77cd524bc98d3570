// Chooses the artifact set for an interpreter among all that are installed, and says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ge_runtime/candidate.h"
#include "ge_runtime/interpreter_key.h"

namespace ge::runtime {

// Everything a selection found. `chosen` is an index into `candidates`, or kNone.
struct Selection {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  InterpreterKey key;
  std::uint32_t bridge_abi = 0;
  std::vector<std::string> roots;
  std::vector<Candidate> candidates;
  std::size_t chosen = kNone;
  std::string conflict;   // why two usable sets were not chosen between; empty otherwise
  std::string directory;  // of the chosen set; kept here, with the paths, so that views of them can be lent
  std::string bridge_path;
  std::string native_path;
  std::string text_report;
  std::string json_report;

  bool usable() const { return chosen != kNone; }
};

// Looks at `root` and each folder directly below it that holds a manifest.json, in sorted order, for every
// root. The first usable set wins; usable sets that are byte-equal copies of it are fine; a usable set with
// other content makes the choice ambiguous and none is chosen.
Selection select(std::vector<std::string> roots, const InterpreterKey& key, std::uint32_t bridge_abi);

}  // namespace ge::runtime
