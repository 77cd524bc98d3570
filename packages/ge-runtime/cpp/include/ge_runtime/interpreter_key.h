// The exact key of an interpreter: an artifact set fits it or does not; there is no nearest match.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ge::runtime {

// Everything that must agree between an interpreter and a set made for it.
struct InterpreterKey {
  std::string implementation = "cpython";
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  bool free_threaded = false;
  bool debug = false;
  std::uint32_t pointer_bits = 64;
  std::string platform;  // "linux-x86_64"
  std::string libc;      // "glibc" or "musl"
  std::uint32_t libc_major = 0;
  std::uint32_t libc_minor = 0;

  // Tag of the key: cp311, cp313t, cp313td.
  std::string tag() const;

  // Key in words, for reports.
  std::string describe() const;
};

// Platform and libc of this process; the interpreter's own fields are left at their defaults.
InterpreterKey platform_key();

// Key of the CPython that is in this process, found by symbol look-up alone; nothing if there is none.
std::optional<InterpreterKey> probe_interpreter();

// Reads "3.13.0 experimental free-threading build (...)", as Py_GetVersion gives it, into `key`; false if it
// is not that.
bool read_version_text(const std::string& text, InterpreterKey& key);

}  // namespace ge::runtime
