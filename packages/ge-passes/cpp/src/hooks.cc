#include "ge_passes/hooks.h"

namespace ge_passes {

void hook_failed(const char* hook, int32_t status, const ge_error& error) {
  const std::string text = ge::abi::error_text(error);
  fail(GE_STATUS_CALLBACK_FAILED, hook, ": ",
       text.empty() ? cat("failed with status ", int64_t{status}, " and no message") : text);
}

}  // namespace ge_passes
