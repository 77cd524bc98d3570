// manifest.json of an artifact set: who it was made for, and which files it has.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ge::runtime {

// The manifest cannot be used; what() names the key, what was expected and what was found.
class ManifestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One library of a set.
struct ArtifactFile {
  std::string file;  // plain name inside the set's folder
  std::string sha256;
  std::uint64_t size = 0;
};

// The parsed manifest. Unknown keys are ignored, unknown required features are not.
struct Manifest {
  static constexpr std::int64_t kSchemaVersion = 1;
  static constexpr std::uint64_t kMaxBytes = 256 * 1024;

  std::string python_tag;
  std::string python_version;  // "3.11"
  std::string platform;
  std::uint32_t bridge_abi = 0;
  std::string build_id;
  std::string implementation;
  bool free_threaded = false;
  bool debug = false;
  std::uint32_t pointer_bits = 0;
  std::string libc_family;
  std::uint32_t libc_major = 0;  // lowest version that can load the set
  std::uint32_t libc_minor = 0;
  ArtifactFile bridge;
  ArtifactFile native;

  // Reads a manifest. Checks schema, presence and type of each key, and that file names stay inside the
  // folder.
  static Manifest parse(std::string_view text);
};

}  // namespace ge::runtime
