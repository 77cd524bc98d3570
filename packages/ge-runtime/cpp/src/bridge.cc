#include "ge_runtime/bridge.h"

#include <dlfcn.h>

#include "ge_abi_support.hpp"
#include "ge_bridge_stubs.h"

namespace ge::runtime {
namespace {

using abi::Failure;

ge_error new_error() {
  ge_error error;
  ge_error_init(&error);
  return error;
}

// Turns a status of the bridge into a Failure with the bridge's text.
void check(std::int32_t status, const ge_error& error, const char* action) {
  if (status == GE_STATUS_OK) return;
  throw Failure(status, std::string("Python pass bridge: ") + action + ": " + abi::error_text(error));
}

const std::uint8_t* text(const std::string_view& view) { return reinterpret_cast<const std::uint8_t*>(view.data()); }

}  // namespace

BridgeManager& BridgeManager::instance() {
  static auto* manager = new BridgeManager;  // never destroyed: exit handlers of others may still ask
  return *manager;
}

const ge_bridge_api& BridgeManager::opened() const {
  if (!started_) throw Failure(GE_STATUS_INVALID_STATE, "no Python pass bridge is open; call bridge_open first");
  return api_;
}

void BridgeManager::map(const Candidate& candidate) {
  const std::string path = candidate.bridge_path();
  try {
    if (!(file_identity(path) == candidate.bridge_identity)) {
      throw Failure(GE_STATUS_INVALID_STATE, path + ": changed since it was verified; select again");
    }
  } catch (const FileError& error) {
    throw Failure(GE_STATUS_IO_ERROR, error.what());
  }
  // Not linked to libpython: its symbols come from the interpreter that is in the process, which stays in
  // charge.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    throw Failure(GE_STATUS_IO_ERROR, "cannot load the Python pass bridge: " +
                                          std::string(reason != nullptr ? reason : path + ": unknown reason"));
  }
  const auto getter = reinterpret_cast<Getter>(dlsym(library, "ge_bridge_get_api"));
  if (getter == nullptr) throw Failure(GE_STATUS_ABI_MISMATCH, path + ": exports no ge_bridge_get_api");
  ge_bridge_api_init(&api_);
  ge_error error = new_error();
  check(getter(&api_, sizeof(api_), &error), error, "handshake");
  getter_ = getter;
  path_ = path;
  sha256_ = candidate.manifest.bridge.sha256;
}

void BridgeManager::start(const Candidate& candidate, std::string_view python_executable) {
  const std::string native = candidate.native_path();
  ge_bridge_config config{};
  config.struct_size = sizeof(config);
  config.native_module_path = text(native);
  config.native_module_path_size = native.size();
  config.python_executable = text(python_executable);
  config.python_executable_size = python_executable.size();
  ge_error error = new_error();
  check(api_.configure(&config, &error), error, "configure");
  check(api_.start(&error), error, "start");
  started_ = true;
}

Getter BridgeManager::open(const Candidate& candidate, std::string_view python_executable) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) throw Failure(GE_STATUS_SHUTDOWN, "the Python pass bridge of this process was shut down");
  if (getter_ != nullptr && sha256_ != candidate.manifest.bridge.sha256) {
    throw Failure(GE_STATUS_REFUSED, "this process already uses the bridge " + path_ + "; a second one, " +
                                         candidate.bridge_path() + ", cannot be opened");
  }
  if (getter_ == nullptr) map(candidate);
  if (!started_) start(candidate, python_executable);
  return getter_;
}

std::uint64_t BridgeManager::register_passes(Getter ir, Getter passes, std::uint32_t flags) {
  // The lock is not held while the bridge runs Python, which may come back here.
  const ge_bridge_api* api;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    api = &opened();
  }
  std::uint64_t registered = 0;
  ge_error error = new_error();
  check(api->register_passes(ir, passes, flags, &registered, &error), error, "register passes");
  return registered;
}

std::string_view BridgeManager::report() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!started_) return {};
  const char* data = nullptr;
  std::uint64_t size = 0;
  ge_error error = new_error();
  check(api_.report(&data, &size, &error), error, "report");
  return {data, size};
}

void BridgeManager::reset() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!started_) return;
  }
  ge_error error = new_error();
  check(api_.reset(&error), error, "reset");
}

void BridgeManager::shutdown() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    if (!started_) return;
    started_ = false;
  }
  ge_error error = new_error();
  check(api_.shutdown(&error), error, "shutdown");
}

}  // namespace ge::runtime
