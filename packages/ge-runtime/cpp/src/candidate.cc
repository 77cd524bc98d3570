#include "ge_runtime/candidate.h"

#include <cstring>

#include "ge_runtime/elf_file.h"
#include "ge_runtime/sha256.h"

namespace ge::runtime {
namespace {

constexpr std::uint64_t kMaxLibraryBytes = std::uint64_t{256} << 20;
constexpr std::uint16_t kSharedObject = 3;  // ET_DYN

// Ends an examination with a verdict.
struct Rejected {
  Verdict verdict;
  std::string reason;
  std::string wanted;
  std::string found;
};

void require(bool fits, Verdict verdict, const std::string& what, const std::string& wanted, const std::string& found) {
  if (!fits) throw Rejected{verdict, what, wanted, found};
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string version_text(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

void check_key(const Manifest& manifest, const InterpreterKey& key) {
  const auto same = [](const std::string& what, const std::string& wanted, const std::string& found) {
    require(wanted == found, Verdict::kKeyMismatch, what + " differs", wanted, found);
  };
  same("implementation", key.implementation, manifest.implementation);
  same("python_tag", key.tag(), manifest.python_tag);
  same("python_version", version_text(key.major, key.minor), manifest.python_version);
  same("free_threaded", yes_no(key.free_threaded), yes_no(manifest.free_threaded));
  same("debug", yes_no(key.debug), yes_no(manifest.debug));
  same("platform", key.platform, manifest.platform);
  same("pointer_bits", std::to_string(key.pointer_bits), std::to_string(manifest.pointer_bits));
  // A set without versioned libc symbols states no family that matters.
  if (manifest.libc_major == 0) return;
  same("libc family", key.libc, manifest.libc_family);
  const bool new_enough = key.libc_major > manifest.libc_major ||
                          (key.libc_major == manifest.libc_major && key.libc_minor >= manifest.libc_minor);
  require(new_enough, Verdict::kKeyMismatch, key.libc + " is too old for the set",
          "at least " + version_text(manifest.libc_major, manifest.libc_minor),
          version_text(key.libc_major, key.libc_minor));
}

// The artifact libraries may need the C and C++ run-time and nothing else; above all no libpython.
bool allowed_library(const std::string& name) {
  static constexpr const char* kAllowed[] = {"libc.so.",    "libm.so.",      "libdl.so.",  "libpthread.so.",
                                             "libgcc_s.so", "libstdc++.so.", "ld-linux",   "librt.so.",
                                             "libasan.so",  "libubsan.so",   "libtsan.so", "libc.musl"};
  for (const char* prefix : kAllowed) {
    if (name.compare(0, std::strlen(prefix), prefix) == 0) return true;
  }
  return false;
}

// Fields of ge::artifact::Note (ge-bridge-native, cpp/common/artifact_note.h), whose layout is frozen.
struct NoteFields {
  std::uint32_t schema_version, bridge_abi, python_version, flags, role, pointer_bits;
  std::uint8_t build_id[16];
  char python_tag[16];
  char platform[40];
};
static_assert(sizeof(NoteFields) == 96, "the note's layout is frozen");

std::string hex(const std::uint8_t (&bytes)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

void check_note(const std::string& file, const std::string& note, const Manifest& manifest, std::uint32_t role,
                const InterpreterKey& key) {
  require(note.size() >= sizeof(NoteFields), Verdict::kNoteMismatch, file + ": artifact note missing or too short",
          std::to_string(sizeof(NoteFields)) + " bytes in .note.ge.artifact", std::to_string(note.size()) + " bytes");
  NoteFields fields;
  std::memcpy(&fields, note.data(), sizeof(fields));
  const auto same = [&](const char* what, const std::string& wanted, const std::string& found) {
    require(wanted == found, Verdict::kNoteMismatch, file + ": the note's " + what + " contradicts the manifest",
            wanted, found);
  };
  same("bridge_abi", std::to_string(manifest.bridge_abi), std::to_string(fields.bridge_abi));
  same("python version", version_text(key.major, key.minor),
       version_text(fields.python_version >> 8, fields.python_version & 0xff));
  same("flags", std::to_string((manifest.free_threaded ? 1u : 0u) | (manifest.debug ? 2u : 0u)),
       std::to_string(fields.flags));
  same("role", std::to_string(role), std::to_string(fields.role));
  same("pointer bits", std::to_string(manifest.pointer_bits), std::to_string(fields.pointer_bits));
  same("build_id", manifest.build_id, hex(fields.build_id));
  same("python_tag", manifest.python_tag, std::string(fields.python_tag, strnlen(fields.python_tag, 16)));
  same("platform", manifest.platform, std::string(fields.platform, strnlen(fields.platform, 40)));
}

FileIdentity check_file(const Candidate& candidate, const ArtifactFile& artifact, std::uint32_t role,
                        const InterpreterKey& key) {
  VerifiedFile file;
  try {
    file = VerifiedFile::read(candidate.directory + "/" + artifact.file, kMaxLibraryBytes);
  } catch (const FileError& error) {
    throw Rejected{Verdict::kFileInvalid, error.what(), "a regular file", ""};
  }
  require(file.bytes.size() == artifact.size, Verdict::kFileInvalid, artifact.file + ": size differs from the manifest",
          std::to_string(artifact.size) + " bytes", std::to_string(file.bytes.size()) + " bytes");
  Sha256 hash;
  hash.update(file.bytes.data(), file.bytes.size());
  const std::string digest = hash.hex();
  require(digest == artifact.sha256, Verdict::kHashMismatch,
          artifact.file + ": SHA-256 differs from the manifest (damaged, or files of two installs mixed)",
          artifact.sha256, digest);
  try {
    const ElfFile elf = ElfFile::parse(file.bytes);
    require(elf.type == kSharedObject, Verdict::kElfMismatch, artifact.file + ": not a shared library", "ELF type 3",
            "ELF type " + std::to_string(elf.type));
    require(elf.machine == ElfFile::native_machine(), Verdict::kElfMismatch,
            artifact.file + ": made for another machine", ElfFile::machine_name(ElfFile::native_machine()),
            ElfFile::machine_name(elf.machine));
    for (const std::string& name : elf.needed) {
      require(allowed_library(name), Verdict::kElfMismatch,
              artifact.file + ": needs a library that a set must not need", "the C and C++ run-time libraries only",
              name);
    }
    check_note(artifact.file, elf.artifact_note, candidate.manifest, role, key);
  } catch (const ElfError& error) {
    throw Rejected{Verdict::kElfMismatch, artifact.file + ": " + error.what(), "a 64-bit ELF shared library", ""};
  }
  return file.identity;
}

Manifest read_manifest(const std::string& directory) {
  try {
    return Manifest::parse(VerifiedFile::read(directory + "/manifest.json", Manifest::kMaxBytes).bytes);
  } catch (const FileError& error) {
    throw Rejected{Verdict::kManifestInvalid, error.what(), "a manifest.json", ""};
  } catch (const ManifestError& error) {
    throw Rejected{Verdict::kManifestInvalid, std::string("manifest.json: ") + error.what(), "", ""};
  }
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kUsable:
      return "usable";
    case Verdict::kManifestMissing:
      return "manifest missing";
    case Verdict::kManifestInvalid:
      return "manifest invalid";
    case Verdict::kKeyMismatch:
      return "key mismatch";
    case Verdict::kAbiMismatch:
      return "bridge_abi mismatch";
    case Verdict::kFileInvalid:
      return "file invalid";
    case Verdict::kHashMismatch:
      return "hash mismatch";
    case Verdict::kElfMismatch:
      return "not for this machine";
    case Verdict::kNoteMismatch:
      return "note contradicts manifest";
  }
  return "unknown";
}

Candidate examine(const std::string& directory, const InterpreterKey& key, std::uint32_t bridge_abi) {
  constexpr std::uint32_t kBridgeRole = 1;
  constexpr std::uint32_t kNativeRole = 2;
  Candidate candidate;
  candidate.directory = directory;
  try {
    candidate.manifest = read_manifest(directory);
    check_key(candidate.manifest, key);
    require(candidate.manifest.bridge_abi == bridge_abi, Verdict::kAbiMismatch, "bridge_abi differs",
            std::to_string(bridge_abi), std::to_string(candidate.manifest.bridge_abi));
    candidate.bridge_identity = check_file(candidate, candidate.manifest.bridge, kBridgeRole, key);
    check_file(candidate, candidate.manifest.native, kNativeRole, key);
  } catch (const Rejected& rejected) {
    candidate.verdict = rejected.verdict;
    candidate.reason = rejected.reason;
    candidate.wanted = rejected.wanted;
    candidate.found = rejected.found;
  }
  return candidate;
}

}  // namespace ge::runtime
