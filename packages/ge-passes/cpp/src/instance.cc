#include "ge_passes/instance.h"

#include "ge_passes/hooks.h"

namespace ge_passes {

Instance::Instance(std::shared_ptr<PassRecord> record) : record_(std::move(record)) {
  registry().acquire(*record_);
  try {
    const ge_passes_callbacks& callbacks = record_->callbacks;
    call_hook("create", callbacks.create, const_cast<void*>(callbacks.user), record_->handle, &number_);
  } catch (...) {
    registry().release(*record_);
    throw;
  }
}

Instance::~Instance() {
  for (const auto& pattern : patterns) ge_passes::patterns().take(pattern->handle);
  patterns.clear();
  record_->callbacks.destroy(const_cast<void*>(record_->callbacks.user), number_);
  registry().release(*record_);
}

}  // namespace ge_passes
