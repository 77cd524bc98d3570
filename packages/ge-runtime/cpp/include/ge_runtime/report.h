// A selection in words and as JSON: every candidate, what was wanted and found, and what helps.
#pragma once

#include <string>

namespace ge::runtime {

struct Selection;

// Lines for people.
std::string text_report(const Selection& selection);

// One JSON object with keys key, bridge_abi, usable, roots, candidates, conflict, remedy.
std::string json_report(const Selection& selection);

}  // namespace ge::runtime
