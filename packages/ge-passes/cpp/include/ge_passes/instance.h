// The object of one pass for one executor.
#pragma once

#include <memory>
#include <vector>

#include "ge_passes/pattern.h"
#include "ge_passes/registry.h"

namespace ge_passes {

/// Created and destroyed exactly once through the callbacks of the pass, which cannot be unregistered meanwhile.
class Instance {
 public:
  explicit Instance(std::shared_ptr<PassRecord> record);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const PassRecord& pass() const noexcept { return *record_; }
  const std::shared_ptr<PassRecord>& record() const noexcept { return record_; }
  uint64_t number() const noexcept { return number_; }

  bool asked_for_patterns = false;
  std::vector<std::shared_ptr<Pattern>> patterns;

 private:
  std::shared_ptr<PassRecord> record_;
  uint64_t number_ = 0;
};

}  // namespace ge_passes
