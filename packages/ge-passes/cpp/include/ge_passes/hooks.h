// Calling back.
#pragma once

#include <string>

#include "ge_passes/failure.h"

namespace ge_passes {

/// CALLBACK_FAILED with the name of the hook and its text.
[[noreturn]] void hook_failed(const char* hook, int32_t status, const ge_error& error);

/// Calls a hook; a status other than OK becomes a Failure.
template <class Function, class... Args>
void call_hook(const char* hook, Function* function, Args... args) {
  ge_error error;
  ge_error_init(&error);
  const int32_t status = function(args..., &error);
  if (status != GE_STATUS_OK) hook_failed(hook, status, error);
}

}  // namespace ge_passes
