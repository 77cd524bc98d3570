// What the selector reads of a shared library without mapping it for execution.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ge::runtime {

// The bytes are not an ELF shared library that this reader understands; what() says why.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Facts of a 64-bit little-endian ELF file.
struct ElfFile {
  std::uint16_t type = 0;     // 3: shared object
  std::uint16_t machine = 0;  // 62: x86-64, 183: AArch64
  std::vector<std::string> needed;
  std::string artifact_note;  // descriptor of the note in .note.ge.artifact, owner "GE", type 1; empty if absent

  // Reads the facts. Every offset is checked against the size, so hostile bytes give ElfError.
  static ElfFile parse(std::string_view bytes);

  // Machine number of the running process.
  static std::uint16_t native_machine();

  // Name of a machine number for messages.
  static std::string machine_name(std::uint16_t machine);
};

}  // namespace ge::runtime
