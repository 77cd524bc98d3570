#include "bridge/bridge.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <memory>

#include "bridge/callbacks.h"
#include "bridge/interpreter.h"

namespace ge::bridge {
namespace {

namespace nb = nanobind;
using abi::Failure;

const std::uint8_t* bytes(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

std::uint32_t kind_number(const PassDescription& pass) {
  if (pass.kind == "fusion_base") return GE_PASSES_KIND_FUSION_BASE;
  if (pass.kind == "pattern_fusion") return GE_PASSES_KIND_PATTERN_FUSION;
  if (pass.kind == "decompose") return GE_PASSES_KIND_DECOMPOSE;
  throw Failure(GE_STATUS_INTERNAL, "pass " + pass.name + " has the unknown kind '" + pass.kind + "'");
}

std::uint32_t stage_number(const PassDescription& pass) {
  if (pass.stage == "BeforeInferShape") return GE_PASSES_STAGE_BEFORE_INFER_SHAPE;
  if (pass.stage == "AfterInferShape") return GE_PASSES_STAGE_AFTER_INFER_SHAPE;
  if (pass.stage == "AfterBuiltinFusionPass") return GE_PASSES_STAGE_AFTER_BUILTIN_FUSION_PASS;
  if (pass.stage == "AfterOriginGraphOptimize") return GE_PASSES_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE;
  throw Failure(GE_STATUS_INTERNAL, "pass " + pass.name + " has the unknown stage '" + pass.stage + "'");
}

// A Python error as a failure of the slot.
template <class Body>
void translated(const char* action, Body&& body) {
  try {
    body();
  } catch (nb::python_error& error) {
    const std::string what = std::string(Py_TYPE(error.value().ptr())->tp_name) + ": " + nb::str(error.value()).c_str();
    throw Failure(GE_STATUS_CALLBACK_FAILED, std::string(action) + ": " + what);
  }
}

}  // namespace

Bridge& Bridge::instance() {
  static auto* bridge = new Bridge;
  return *bridge;
}

void Bridge::configure(std::string native_module, std::string executable) {
  if (native_module.empty() || native_module.front() != '/') {
    throw Failure(GE_STATUS_INVALID_ARGUMENT,
                  "native_module_path must be the absolute path of _ge_pass_native, found '" + native_module + "'");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (live_passes_ != 0) {
    throw Failure(GE_STATUS_INVALID_STATE,
                  std::to_string(live_passes_) + " Python passes are registered; call reset first");
  }
  native_module_ = std::move(native_module);
  executable_ = std::move(executable);
}

void Bridge::start() {
  check_interpreter();
  if (ended_) throw Failure(GE_STATUS_SHUTDOWN, "the bridge was shut down in this process; Python passes stay off");
  std::string native_module;
  bool began = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (started_) return;
    if (native_module_.empty()) throw Failure(GE_STATUS_INVALID_STATE, "start: configure was not called");
    if (Py_IsInitialized() == 0) {
      if (executable_.empty()) {
        throw Failure(GE_STATUS_REFUSED,
                      "no interpreter runs in this process and no python_executable was configured to start");
      }
      start_interpreter(executable_);
      began = true;
    }
    owned_ = owned_ || began;
    native_module = native_module_;
  }
  const Locked lock;
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw Failure(GE_STATUS_REFUSED, "Python passes run in the main interpreter only, not in a sub-interpreter");
  }
  // The extension comes first: what it binds must exist before the bridge hands anything over.
  translated("import of the extension", [&] {
    initialise_nanobind();
    import_extension(native_module);
  });
  started_ = true;
}

ge_bridge_info Bridge::info() const {
  const Running running = running_interpreter();
  ge_bridge_info info{};
  info.struct_size = sizeof(info);
  info.initialized = running.initialized ? 1 : 0;
  info.built_major = PY_MAJOR_VERSION;
  info.built_minor = PY_MINOR_VERSION;
  info.running_major = static_cast<std::uint32_t>(running.major);
  info.running_minor = static_cast<std::uint32_t>(running.minor);
  info.passes = live_passes_;
  const std::lock_guard<std::mutex> lock(mutex_);
  info.owned = owned_ ? 1 : 0;
  return info;
}

void Bridge::require_python() const {
  if (ended_ || Py_IsInitialized() == 0) {
    throw Failure(GE_STATUS_SHUTDOWN, "Python has ended in this process; Python passes stay off");
  }
}

void Bridge::require_started() const {
  require_python();
  if (!started_) throw Failure(GE_STATUS_INVALID_STATE, "the bridge was not started; call start first");
}

void Bridge::bind(ge_abi_getter ir, ge_abi_getter passes) {
  if ((ir_getter_ != nullptr && ir_getter_ != ir) || (passes_getter_ != nullptr && passes_getter_ != passes)) {
    throw Failure(GE_STATUS_REFUSED, "the bridge is bound to other libraries (libge_ir, libge_passes) of this process");
  }
  if (ir_getter_ == nullptr) ir_.bind(ir);
  ir_getter_ = ir;
  if (passes_getter_ == nullptr) passes_.bind(passes);
  passes_getter_ = passes;
}

std::uint64_t Bridge::register_one(const PassDescription& pass) {
  std::vector<std::uint32_t> symbols;
  for (const std::string& type : pass.op_types) {
    symbols.push_back(0);
    abi::call(ir_->symbol_intern, type.data(), static_cast<std::uint64_t>(type.size()), &symbols.back());
  }
  ge_passes_pass_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.kind = kind_number(pass);
  desc.stage = stage_number(pass);
  desc.enabled = 1;
  desc.name = bytes(pass.name);
  desc.name_size = pass.name.size();
  desc.descriptor_key = bytes(pass.key);
  desc.descriptor_key_size = pass.key.size();
  desc.op_types = symbols.data();
  desc.op_type_count = symbols.size();
  auto registration = std::make_unique<Registration>(Registration{pass.key});
  const ge_passes_callbacks callbacks = make_callbacks(desc.kind, registration.get());
  std::uint64_t handle = 0;
  abi::call(passes_->pass_register, static_cast<const ge_passes_pass_desc*>(&desc), &callbacks, &handle);
  registration.release();
  ++live_passes_;
  return handle;
}

void Bridge::unregister(const std::vector<std::uint64_t>& handles, std::string* refused) {
  for (const std::uint64_t handle : handles) {
    ge_error error;
    ge_error_init(&error);
    const std::int32_t status = passes_->pass_unregister(handle, &error);
    // Somebody else may have unregistered it.
    if (status == GE_STATUS_OK || status == GE_STATUS_STALE_HANDLE || refused == nullptr) continue;
    *refused += "\n  " + abi::error_text(error);
  }
}

std::uint64_t Bridge::register_passes(ge_abi_getter ir, ge_abi_getter passes, bool strict) {
  require_started();
  const Locked lock;
  bind(ir, passes);
  report_.clear();
  python_.load();
  python_.check_libraries(reinterpret_cast<std::uint64_t>(ir), reinterpret_cast<std::uint64_t>(passes));
  const std::vector<PassDescription> found = python_.descriptions(strict);
  std::vector<std::uint64_t> handles;
  try {
    for (const PassDescription& pass : found) handles.push_back(register_one(pass));
  } catch (...) {
    unregister(handles, nullptr);
    throw;
  }
  registered_.insert(registered_.end(), handles.begin(), handles.end());
  report_ = python_.report();
  return handles.size();
}

std::string_view Bridge::report() const { return report_; }

void Bridge::reset() {
  if (!started_ || ended_ || Py_IsInitialized() == 0) return;
  std::string refused;
  {
    const Locked lock;
    report_.clear();
    const std::vector<std::uint64_t> handles = std::move(registered_);
    registered_.clear();
    if (passes_.bound()) unregister(handles, &refused);
    if (!refused.empty()) {
      registered_ = handles;
      throw Failure(GE_STATUS_INVALID_STATE, "Python passes are in use and cannot be unregistered:" + refused);
    }
    if (python_.loaded()) python_.clear();
    python_.unload();
  }
}

void Bridge::shutdown() {
  if (ended_) return;
  reset();
  ended_ = true;
  bool owned = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    owned = owned_;
    owned_ = false;
  }
  if (owned) finish_interpreter();
}

}  // namespace ge::bridge
