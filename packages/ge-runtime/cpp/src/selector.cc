#include "ge_runtime/selector.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>

#include "ge_runtime/report.h"

namespace ge::runtime {
namespace {

bool has_manifest(const std::string& directory) {
  struct stat info;
  // lstat: a link named manifest.json is a candidate too, so that the report can say why it is refused.
  return lstat((directory + "/manifest.json").c_str(), &info) == 0;
}

// Names of the entries of a folder, sorted; empty if it cannot be read.
std::vector<std::string> entries(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
  if (stream == nullptr) return names;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> candidate_directories(const std::vector<std::string>& roots) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  const auto add = [&](const std::string& directory) {
    if (has_manifest(directory) && seen.insert(directory).second) found.push_back(directory);
  };
  for (const std::string& root : roots) {
    add(root);
    for (const std::string& name : entries(root)) add(root + "/" + name);
  }
  return found;
}

bool same_content(const Manifest& a, const Manifest& b) {
  return a.bridge.sha256 == b.bridge.sha256 && a.native.sha256 == b.native.sha256;
}

void choose(Selection& selection) {
  for (std::size_t i = 0; i < selection.candidates.size(); ++i) {
    const Candidate& candidate = selection.candidates[i];
    if (candidate.verdict != Verdict::kUsable) continue;
    if (selection.chosen == Selection::kNone) {
      selection.chosen = i;
      continue;
    }
    const Candidate& first = selection.candidates[selection.chosen];
    if (same_content(first.manifest, candidate.manifest)) continue;
    selection.conflict = "two usable artifact sets differ: " + first.directory + " (build " + first.manifest.build_id +
                         ") and " + candidate.directory + " (build " + candidate.manifest.build_id +
                         "); remove one of them";
    selection.chosen = Selection::kNone;
    return;
  }
}

}  // namespace

Selection select(std::vector<std::string> roots, const InterpreterKey& key, std::uint32_t bridge_abi) {
  Selection selection;
  selection.key = key;
  selection.bridge_abi = bridge_abi;
  selection.roots = std::move(roots);
  for (const std::string& directory : candidate_directories(selection.roots)) {
    selection.candidates.push_back(examine(directory, key, bridge_abi));
  }
  choose(selection);
  if (selection.usable()) {
    const Candidate& chosen = selection.candidates[selection.chosen];
    selection.directory = chosen.directory;
    selection.bridge_path = chosen.bridge_path();
    selection.native_path = chosen.native_path();
  }
  selection.text_report = text_report(selection);
  selection.json_report = json_report(selection);
  return selection;
}

}  // namespace ge::runtime
