#include "ge_runtime/interpreter_key.h"

#include <dlfcn.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace ge::runtime {

std::string InterpreterKey::tag() const {
  const std::string prefix = implementation == "cpython" ? "cp" : implementation + "-";
  return prefix + std::to_string(major) + std::to_string(minor) + (free_threaded ? "t" : "") + (debug ? "d" : "");
}

std::string InterpreterKey::describe() const {
  std::string text = implementation + " " + std::to_string(major) + "." + std::to_string(minor);
  if (free_threaded) text += " free-threaded";
  if (debug) text += " debug";
  text += " on " + platform + ", " + std::to_string(pointer_bits) + "-bit, " + libc;
  if (libc_major != 0) text += " " + std::to_string(libc_major) + "." + std::to_string(libc_minor);
  return text;
}

InterpreterKey platform_key() {
  InterpreterKey key;
  key.pointer_bits = 8 * sizeof(void*);
  utsname names{};
  if (uname(&names) == 0) {
    std::string system = names.sysname;
    std::transform(system.begin(), system.end(), system.begin(), [](unsigned char c) { return std::tolower(c); });
    // The kernel may be another machine than the process (32-bit user space); the file was compiled for this
    // one.
#if defined(__x86_64__)
    key.platform = system + "-x86_64";
#elif defined(__aarch64__)
    key.platform = system + "-aarch64";
#else
#error "unknown machine: add its platform name here"
#endif
  }
  using LibcVersion = const char* (*)();
  // Looked up, not linked: on musl the symbol does not exist.
  const auto version = reinterpret_cast<LibcVersion>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
  key.libc = version != nullptr ? "glibc" : "musl";
  if (version != nullptr) std::sscanf(version(), "%u.%u", &key.libc_major, &key.libc_minor);
  return key;
}

bool read_version_text(const std::string& text, InterpreterKey& key) {
  if (std::sscanf(text.c_str(), "%u.%u.", &key.major, &key.minor) != 2) return false;
  key.free_threaded = text.find("free-threading build") != std::string::npos;
  return true;
}

std::optional<InterpreterKey> probe_interpreter() {
  using GetVersion = const char* (*)();
  const auto version = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
  if (version == nullptr) return std::nullopt;
  InterpreterKey key = platform_key();
  if (!read_version_text(version(), key)) return std::nullopt;
  // Only builds that count references globally (Py_DEBUG) export one of these; which one depends on the
  // minor.
  for (const char* symbol : {"_Py_GetRefTotal", "_Py_GetGlobalRefTotal", "_Py_GetLegacyRefTotal"}) {
    key.debug = key.debug || dlsym(RTLD_DEFAULT, symbol) != nullptr;
  }
  return key;
}

}  // namespace ge::runtime
