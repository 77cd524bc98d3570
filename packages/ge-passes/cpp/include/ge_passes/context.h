// What a hook is told about the run it is in.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge_passes/handle_table.h"
#include "ge_passes/pattern.h"

namespace ge_passes {

using Options = std::map<std::string, std::string, std::less<>>;

/// One per pass and run, behind a CONTEXT handle that lives for one callback.
struct Context {
  std::string pass_name;
  std::string error_message;
  const Options* options = nullptr;                           ///< of the executor, which does not change while it runs
  std::vector<std::shared_ptr<Pattern>>* patterns = nullptr;  ///< set during the patterns callback
};

HandleTable<Context>& contexts();

}  // namespace ge_passes
