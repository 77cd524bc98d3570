#include "ge_runtime/manifest.h"

#include <cstdio>

#include "ge_runtime/json.h"

namespace ge::runtime {
namespace {

// A field of an object with the kind it must have; the error names the full key.
const Json& field(const Json& object, const std::string& where, const char* key, Json::Kind kind) {
  const std::string name = where.empty() ? key : where + "." + key;
  const Json* value = object.find(key);
  if (value == nullptr) throw ManifestError("key \"" + name + "\" is missing");
  if (value->kind != kind) {
    throw ManifestError("key \"" + name + "\" must be " + Json::describe(kind) + ", found " +
                        Json::describe(value->kind));
  }
  return *value;
}

std::string text_field(const Json& object, const std::string& where, const char* key) {
  return field(object, where, key, Json::Kind::kString).string;
}

std::uint64_t number_field(const Json& object, const std::string& where, const char* key, std::uint64_t limit) {
  const std::int64_t value = field(object, where, key, Json::Kind::kInteger).integer;
  if (value < 0 || static_cast<std::uint64_t>(value) > limit) {
    throw ManifestError(std::string("key \"") + key + "\" must be from 0 to " + std::to_string(limit) + ", found " +
                        std::to_string(value));
  }
  return static_cast<std::uint64_t>(value);
}

// A plain file name: visible ASCII without separators, not a dot name. The set's folder is all it can reach.
void check_file_name(const std::string& name, const std::string& key) {
  bool plain = !name.empty() && name.size() <= 255 && name.front() != '.';
  for (const char c : name) plain = plain && c > ' ' && c < 0x7f && c != '/' && c != '\\';
  if (!plain) throw ManifestError("key \"" + key + "\" must be a plain file name, found " + json_quote(name));
}

ArtifactFile artifact(const Json& artifacts, const char* role) {
  const std::string where = std::string("artifacts.") + role;
  const Json& entry = field(artifacts, "artifacts", role, Json::Kind::kObject);
  ArtifactFile file;
  file.file = text_field(entry, where, "file");
  check_file_name(file.file, where + ".file");
  file.sha256 = text_field(entry, where, "sha256");
  if (file.sha256.size() != 64 || file.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw ManifestError("key \"" + where + ".sha256\" must be 64 lower-case hexadecimal digits, found " +
                        json_quote(file.sha256));
  }
  file.size = number_field(entry, where, "size", std::uint64_t{1} << 32);
  return file;
}

void check_schema(const Json& root) {
  const std::int64_t schema = field(root, "", "schema_version", Json::Kind::kInteger).integer;
  if (schema < 1 || schema > Manifest::kSchemaVersion) {
    throw ManifestError("schema_version is " + std::to_string(schema) + ", this ge-runtime reads 1 to " +
                        std::to_string(Manifest::kSchemaVersion) + "; upgrade ge-runtime to use a newer set");
  }
  const Json* required = root.find("required_features");
  if (required == nullptr) return;
  if (required->kind != Json::Kind::kArray) throw ManifestError("key \"required_features\" must be an array");
  if (!required->items.empty()) {
    throw ManifestError("the set requires the feature " + json_quote(required->items.front().string) +
                        ", which this ge-runtime does not know; upgrade ge-runtime");
  }
}

void read_libc(const Json& root, Manifest& manifest) {
  const Json& libc = field(root, "", "libc", Json::Kind::kObject);
  manifest.libc_family = text_field(libc, "libc", "family");
  const std::string version = text_field(libc, "libc", "version");
  if (version.empty()) return;  // the files ask for no versioned symbol
  if (std::sscanf(version.c_str(), "%u.%u", &manifest.libc_major, &manifest.libc_minor) != 2) {
    throw ManifestError("key \"libc.version\" must be MAJOR.MINOR, found " + json_quote(version));
  }
}

}  // namespace

Manifest Manifest::parse(std::string_view text) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const JsonError& error) {
    throw ManifestError(std::string("not valid JSON: ") + error.what());
  }
  if (root.kind != Json::Kind::kObject) {
    throw ManifestError(std::string("must be an object, found ") + Json::describe(root.kind));
  }
  check_schema(root);
  Manifest manifest;
  manifest.python_tag = text_field(root, "", "python_tag");
  manifest.python_version = text_field(root, "", "python_version");
  manifest.platform = text_field(root, "", "platform");
  manifest.bridge_abi = static_cast<std::uint32_t>(number_field(root, "", "bridge_abi", 0xffffffffu));
  manifest.build_id = text_field(root, "", "build_id");
  manifest.implementation = text_field(root, "", "implementation");
  manifest.free_threaded = field(root, "", "free_threaded", Json::Kind::kBool).boolean;
  manifest.debug = field(root, "", "debug", Json::Kind::kBool).boolean;
  manifest.pointer_bits = static_cast<std::uint32_t>(number_field(root, "", "pointer_bits", 64));
  read_libc(root, manifest);
  const Json& artifacts = field(root, "", "artifacts", Json::Kind::kObject);
  manifest.bridge = artifact(artifacts, "bridge");
  manifest.native = artifact(artifacts, "native");
  return manifest;
}

}  // namespace ge::runtime
