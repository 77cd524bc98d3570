// One folder that may hold an artifact set, and what was found out about it.
#pragma once

#include <cstdint>
#include <string>

#include "ge_runtime/interpreter_key.h"
#include "ge_runtime/manifest.h"
#include "ge_runtime/verified_file.h"

namespace ge::runtime {

// Numbers of ge_runtime_verdict.
enum class Verdict : std::uint32_t {
  kUsable = 0,
  kManifestMissing = 1,
  kManifestInvalid = 2,
  kKeyMismatch = 3,
  kAbiMismatch = 4,
  kFileInvalid = 5,
  kHashMismatch = 6,
  kElfMismatch = 7,
  kNoteMismatch = 8,
};

// Stable name of a verdict for reports: "usable", "key mismatch".
const char* verdict_name(Verdict verdict);

// A candidate after examination. Nothing of it was mapped or run.
struct Candidate {
  std::string directory;
  Verdict verdict = Verdict::kUsable;
  std::string reason;  // empty when usable
  std::string wanted;  // what the interpreter or this library needs; may be empty
  std::string found;   // what the set has; may be empty
  Manifest manifest;   // filled as far as it could be read
  FileIdentity bridge_identity;

  std::string bridge_path() const { return directory + "/" + manifest.bridge.file; }
  std::string native_path() const { return directory + "/" + manifest.native.file; }
};

// Examines the set in `directory` for an interpreter: manifest, key, bridge_abi, files, hashes, ELF facts,
// notes, in this order; the first thing that does not fit decides.
Candidate examine(const std::string& directory, const InterpreterKey& key, std::uint32_t bridge_abi);

}  // namespace ge::runtime
