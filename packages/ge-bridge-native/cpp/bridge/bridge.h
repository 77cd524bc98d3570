// The one bridge of this process: configuration, interpreter, registered passes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/python_side.h"
#include "ge_abi_support.hpp"
#include "ge_bridge_api.h"
#include "ge_ir_stubs.h"
#include "ge_passes_stubs.h"

namespace ge::bridge {

// Locks: `mutex_` guards the configuration and states and is never held while the interpreter lock is waited for;
// everything of Python is guarded by the interpreter lock.
class Bridge {
 public:
  // The bridge of this process; never destroyed, so that late callbacks find it.
  static Bridge& instance();

  void configure(std::string native_module, std::string executable);
  void start();
  ge_bridge_info info() const;
  std::uint64_t register_passes(ge_abi_getter ir, ge_abi_getter passes, bool strict);
  std::string_view report() const;
  void reset();
  void shutdown();

  // For callbacks; need the interpreter lock.
  PythonSide& python() noexcept { return python_; }
  const ge_passes_api& passes() const noexcept { return *passes_; }
  // Throws Failure{SHUTDOWN} once Python is gone or the bridge was shut down.
  void require_python() const;
  std::uint64_t next_instance() noexcept { return ++instances_; }
  void pass_dropped() noexcept { --live_passes_; }

 private:
  void bind(ge_abi_getter ir, ge_abi_getter passes);
  std::uint64_t register_one(const PassDescription& pass);
  void unregister(const std::vector<std::uint64_t>& handles, std::string* refused);
  void require_started() const;

  mutable std::mutex mutex_;
  std::string native_module_, executable_;
  std::atomic<bool> started_{false};
  bool owned_ = false;
  std::atomic<bool> ended_{false};
  std::atomic<std::uint64_t> instances_{0};
  std::atomic<std::uint32_t> live_passes_{0};

  abi::Table<ge_ir_api> ir_;
  abi::Table<ge_passes_api> passes_;
  ge_abi_getter ir_getter_ = nullptr;
  ge_abi_getter passes_getter_ = nullptr;
  PythonSide python_;
  std::vector<std::uint64_t> registered_;
  std::string report_;
};

}  // namespace ge::bridge
