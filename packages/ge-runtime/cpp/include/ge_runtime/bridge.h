// The one Python pass bridge of this process: opened once, never unmapped, shut down by whoever opened it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "ge_abi.h"
#include "ge_bridge_api.h"
#include "ge_runtime/candidate.h"

namespace ge::runtime {

using Getter = std::int32_t (*)(void* table, std::uint64_t table_bytes, ge_error* error);

// Process-wide manager of the bridge. All members may be called from any thread.
class BridgeManager {
 public:
  // The manager of this process; never destroyed, so that late callers find it.
  static BridgeManager& instance();

  // Maps, configures and starts the bridge of a usable candidate; returns its getter. The same file again is
  // fine. Failure{REFUSED} for another file, Failure{INVALID_STATE} after shutdown or if the file changed
  // since it was verified, Failure{IO_ERROR} with the loader's text if it cannot be mapped.
  Getter open(const Candidate& candidate, std::string_view python_executable);

  // Runs discovery in the bridge; number of passes registered.
  std::uint64_t register_passes(Getter ir, Getter passes, std::uint32_t flags);

  // What failed in the last register_passes.
  std::string_view report();

  // Drops pass state; nothing without a bridge.
  void reset();

  // Ends the bridge for this process; nothing without one.
  void shutdown();

 private:
  void map(const Candidate& candidate);
  void start(const Candidate& candidate, std::string_view python_executable);
  const ge_bridge_api& opened() const;

  std::mutex mutex_;
  std::string path_;
  std::string sha256_;
  Getter getter_ = nullptr;
  ge_bridge_api api_{};
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace ge::runtime
