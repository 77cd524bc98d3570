// The note that both libraries of an artifact set carry in the ELF section .note.ge.artifact.
//
// It repeats, inside the file, what the manifest beside it claims, so a loader can tell a swapped or
// stale file before it maps it: owner "GE", type 1, and the 96 bytes below in the file's byte order.
// The layout is frozen; a later schema appends fields and raises schema_version.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ge::artifact {

// Which library of the set a file is.
#define GE_ARTIFACT_ROLE_BRIDGE 1
#define GE_ARTIFACT_ROLE_NATIVE 2

// Flag bits of Note::flags.
inline constexpr std::uint32_t kFreeThreaded = 1u << 0;
inline constexpr std::uint32_t kDebug = 1u << 1;

inline constexpr std::uint32_t kNoteType = 1;
inline constexpr std::uint32_t kSchemaVersion = 1;

// Descriptor of the note. Text fields are ASCII and padded with NUL; they always hold at least one NUL.
struct Note {
  std::uint32_t schema_version;
  std::uint32_t bridge_abi;      // abi_major of the ge_bridge table
  std::uint32_t python_version;  // major << 8 | minor
  std::uint32_t flags;
  std::uint32_t role;
  std::uint32_t pointer_bits;
  std::uint8_t build_id[16];
  char python_tag[16];  // "cp311"
  char platform[40];    // "linux-x86_64"
};

static_assert(sizeof(Note) == 96 && offsetof(Note, build_id) == 24 && offsetof(Note, python_tag) == 40 &&
                  offsetof(Note, platform) == 56,
              "the note's layout is frozen");

}  // namespace ge::artifact
