#include "common/artifact_note.h"

#include <Python.h>

namespace ge::artifact {
namespace {

constexpr std::uint32_t BuildFlags() {
  std::uint32_t flags = 0;
#ifdef Py_GIL_DISABLED
  flags |= kFreeThreaded;
#endif
#ifdef Py_DEBUG
  flags |= kDebug;
#endif
  return flags;
}

constexpr std::uint8_t HexDigit(char c) { return static_cast<std::uint8_t>(c >= 'a' ? c - 'a' + 10 : c - '0'); }

template <std::size_t N, std::size_t M>
constexpr void CopyText(char (&to)[N], const char (&from)[M]) {
  static_assert(M <= N, "text does not fit the note");
  for (std::size_t i = 0; i < M; ++i) to[i] = from[i];
}

constexpr Note MakeNote() {
  constexpr char id[] = GE_ARTIFACT_BUILD_ID;
  static_assert(sizeof(id) == 33, "the build identifier is 32 hex digits");
  Note note{};
  note.schema_version = kSchemaVersion;
  note.bridge_abi = GE_ARTIFACT_BRIDGE_ABI;
  note.python_version = PY_MAJOR_VERSION << 8 | PY_MINOR_VERSION;
  note.flags = BuildFlags();
  note.role = GE_ARTIFACT_ROLE;
  note.pointer_bits = 8 * sizeof(void*);
  for (std::size_t i = 0; i < sizeof(note.build_id); ++i) {
    note.build_id[i] = static_cast<std::uint8_t>(HexDigit(id[2 * i]) << 4 | HexDigit(id[2 * i + 1]));
  }
  CopyText(note.python_tag, GE_ARTIFACT_PYTHON_TAG);
  CopyText(note.platform, GE_ARTIFACT_PLATFORM);
  return note;
}

// ELF note: sizes of owner and descriptor, type, owner padded to four bytes, descriptor.
struct ElfNote {
  std::uint32_t owner_size;
  std::uint32_t descriptor_size;
  std::uint32_t type;
  char owner[4];
  Note descriptor;
};

// No code reads it, hence "used"; the linker keeps SHT_NOTE sections even with --gc-sections.
__attribute__((section(".note.ge.artifact"), used, aligned(4)))
const ElfNote kElfNote = {3, sizeof(Note), kNoteType, "GE", MakeNote()};

}  // namespace
}  // namespace ge::artifact
