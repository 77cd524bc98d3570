#include "ge_runtime/report.h"

#include "ge_runtime/json.h"
#include "ge_runtime/selector.h"
#include "ge_runtime/utf8.h"

namespace ge::runtime {
namespace {

// The command that most likely helps; empty when a set was chosen.
std::string remedy(const Selection& selection) {
  if (selection.usable()) return "";
  if (!selection.conflict.empty())
    return "pip uninstall ge-bridge-native, then pip install --force-reinstall ge-bridge-native";
  bool abi = false;
  bool damaged = false;
  for (const Candidate& candidate : selection.candidates) {
    abi = abi || candidate.verdict == Verdict::kAbiMismatch;
    damaged = damaged || (candidate.verdict != Verdict::kKeyMismatch && candidate.verdict != Verdict::kAbiMismatch);
  }
  if (abi) return "pip install --upgrade ge-bridge-native ge-runtime";
  if (damaged) return "pip install --force-reinstall ge-bridge-native";
  return "pip install ge-bridge-native (with the interpreter that runs now)";
}

std::string candidate_text(const Candidate& candidate) {
  std::string text = "  " + candidate.directory + ": " + verdict_name(candidate.verdict);
  if (!candidate.reason.empty()) text += ": " + candidate.reason;
  if (!candidate.wanted.empty()) text += "; wanted " + candidate.wanted;
  if (!candidate.found.empty()) text += "; found " + candidate.found;
  return text + "\n";
}

std::string json_field(const char* key, const std::string& value) { return json_quote(key) + ": " + json_quote(value); }

std::string candidate_json(const Candidate& candidate) {
  return "{" + json_field("directory", candidate.directory) + ", " +
         json_field("verdict", verdict_name(candidate.verdict)) + ", " + json_field("reason", candidate.reason) + ", " +
         json_field("wanted", candidate.wanted) + ", " + json_field("found", candidate.found) + ", " +
         json_field("python_tag", candidate.manifest.python_tag) + ", " +
         json_field("build_id", candidate.manifest.build_id) + "}";
}

template <typename Items, typename Render>
std::string json_array(const Items& items, Render render) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ", ";
    text += render(item);
  }
  return text + "]";
}

}  // namespace

std::string text_report(const Selection& selection) {
  std::string text = selection.usable() ? "artifact set " + selection.candidates[selection.chosen].directory + "\n"
                                        : "no artifact set fits this interpreter\n";
  text += "  interpreter: " + selection.key.tag() + " (" + selection.key.describe() + "), bridge_abi " +
          std::to_string(selection.bridge_abi) + "\n";
  for (const std::string& root : selection.roots) text += "  looked in: " + root + "\n";
  if (selection.candidates.empty()) text += "  candidates: none (no manifest.json there or one level below)\n";
  for (const Candidate& candidate : selection.candidates) text += candidate_text(candidate);
  if (!selection.conflict.empty()) text += "  conflict: " + selection.conflict + "\n";
  if (const std::string help = remedy(selection); !help.empty()) text += "  way out: " + help + "\n";
  return valid_utf8(text);
}

std::string json_report(const Selection& selection) {
  const std::string chosen = selection.usable() ? selection.candidates[selection.chosen].directory : "";
  return "{" + json_field("tag", selection.key.tag()) + ", " + json_field("interpreter", selection.key.describe()) +
         ", \"bridge_abi\": " + std::to_string(selection.bridge_abi) +
         ", \"usable\": " + (selection.usable() ? "true" : "false") + ", " + json_field("chosen", chosen) +
         ", \"roots\": " + json_array(selection.roots, [](const std::string& root) { return json_quote(root); }) +
         ", \"candidates\": " + json_array(selection.candidates, candidate_json) + ", " +
         json_field("conflict", selection.conflict) + ", " + json_field("remedy", remedy(selection)) + "}";
}

}  // namespace ge::runtime
