// The slots of the ge_runtime table: argument checks, then one call into the concept that does the work.

#include <mutex>
#include <string>

#include "ge_bridge_api.h"
#include "ge_runtime/bridge.h"
#include "ge_runtime/interpreter_key.h"
#include "ge_runtime/selection_table.h"
#include "ge_runtime/selector.h"
#include "ge_runtime_slots.h"

namespace {

using ge::abi::Failure;
using ge::abi::guarded;
using ge::runtime::BridgeManager;
using ge::runtime::InterpreterKey;
using ge::runtime::Selection;
using ge::runtime::SelectionTable;

constexpr char kVersion[] = "0.1.0";

const std::uint8_t* bytes(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

std::string field_text(const std::uint8_t* pointer, std::uint64_t size, const char* what) {
  return std::string(ge::abi::text(reinterpret_cast<const char*>(pointer), size, what));
}

// The key of a request. What the process itself says wins: a request cannot claim another interpreter than
// the one here.
InterpreterKey requested_key(const void* pointer) {
  const auto present = ge::runtime::probe_interpreter();
  if (pointer == nullptr) {
    if (present.has_value()) return *present;
    throw Failure(GE_STATUS_NOT_FOUND, "no CPython is loaded in this process and the request names no key");
  }
  const auto given = ge::abi::read_struct(static_cast<const ge_runtime_key*>(pointer), "request.key");
  InterpreterKey key;
  key.implementation = field_text(given.implementation, given.implementation_size, "request.key.implementation");
  key.major = given.major;
  key.minor = given.minor;
  key.free_threaded = given.free_threaded != 0;
  key.debug = given.debug != 0;
  key.pointer_bits = given.pointer_bits;
  key.platform = field_text(given.platform, given.platform_size, "request.key.platform");
  key.libc = field_text(given.libc, given.libc_size, "request.key.libc");
  key.libc_major = given.libc_major;
  key.libc_minor = given.libc_minor;
  if (present.has_value() &&
      (present->major != key.major || present->minor != key.minor || present->free_threaded != key.free_threaded)) {
    throw Failure(GE_STATUS_REFUSED, "the request names " + key.tag() + ", but this process runs " + present->tag() +
                                         "; one process has one CPython");
  }
  return key;
}

std::vector<std::string> requested_roots(const ge_runtime_request& request) {
  std::vector<std::string> roots;
  if (request.root_count == 0) return roots;
  const auto offsets = ge::abi::view(request.root_offsets, request.root_count + 1, "request.root_offsets");
  const auto joined = ge::abi::view(request.roots, offsets[request.root_count], "request.roots");
  for (std::uint64_t i = 0; i < request.root_count; ++i) {
    if (offsets[i] > offsets[i + 1]) ge::abi::invalid("request.root_offsets must not decrease");
    roots.emplace_back(reinterpret_cast<const char*>(joined.data()) + offsets[i], offsets[i + 1] - offsets[i]);
    const std::string& root = roots.back();
    if (root.empty() || root.front() != '/' || root.find('\0') != std::string::npos) {
      ge::abi::invalid("root " + std::to_string(i) + " must be an absolute path without NUL, found \"" + root + "\"");
    }
  }
  return roots;
}

const Selection& usable(const std::shared_ptr<const Selection>& selection) {
  if (!selection->usable()) throw Failure(GE_STATUS_INVALID_STATE, selection->text_report);
  return *selection;
}

}  // namespace

extern "C" {

int32_t ge_runtime_slot_library_version(const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, kVersion, "text"); });
}

int32_t ge_runtime_slot_library_shutdown(ge_error* error) noexcept {
  return guarded(error, [] { BridgeManager::instance().shutdown(); });
}

int32_t ge_runtime_slot_interpreter_probe(ge_runtime_key* key, ge_error* error) noexcept {
  return guarded(error, [&] {
    // The texts of the result are lent for the life of the process; a process has one interpreter, so one
    // copy serves.
    static std::mutex mutex;
    static const InterpreterKey* known = nullptr;
    const std::lock_guard<std::mutex> lock(mutex);
    if (known == nullptr) {
      const auto found = ge::runtime::probe_interpreter();
      if (!found.has_value()) throw Failure(GE_STATUS_NOT_FOUND, "no CPython is loaded in this process");
      known = new InterpreterKey(*found);
    }
    const InterpreterKey& value = *known;
    ge_runtime_key result{};
    result.major = value.major;
    result.minor = value.minor;
    result.free_threaded = value.free_threaded ? 1 : 0;
    result.debug = value.debug ? 1 : 0;
    result.pointer_bits = value.pointer_bits;
    result.implementation = bytes(value.implementation);
    result.implementation_size = value.implementation.size();
    result.platform = bytes(value.platform);
    result.platform_size = value.platform.size();
    result.libc = bytes(value.libc);
    result.libc_size = value.libc.size();
    result.libc_major = value.libc_major;
    result.libc_minor = value.libc_minor;
    ge::abi::write_struct(key, result, "key");
  });
}

int32_t ge_runtime_slot_select(const ge_runtime_request* request, uint64_t* selection, ge_error* error) noexcept {
  return guarded(error, [&] {
    ge::abi::require(selection, "selection");
    const auto given = ge::abi::read_struct(request, "request");
    const InterpreterKey key = requested_key(given.key);
    *selection = SelectionTable::instance().add(ge::runtime::select(requested_roots(given), key, GE_BRIDGE_ABI_MAJOR));
  });
}

int32_t ge_runtime_slot_selection_info(uint64_t selection, ge_runtime_selection_info* info, ge_error* error) noexcept {
  return guarded(error, [&] {
    const auto found = SelectionTable::instance().get(selection);
    ge_runtime_selection_info result{};
    result.usable = found->usable() ? 1 : 0;
    result.candidates = static_cast<uint32_t>(found->candidates.size());
    if (found->usable()) {
      result.chosen = static_cast<uint32_t>(found->chosen);
      result.directory = bytes(found->directory);
      result.directory_size = found->directory.size();
      result.bridge_path = bytes(found->bridge_path);
      result.bridge_path_size = found->bridge_path.size();
      result.native_path = bytes(found->native_path);
      result.native_path_size = found->native_path.size();
    }
    ge::abi::write_struct(info, result, "info");
  });
}

int32_t ge_runtime_slot_selection_report(uint64_t selection, uint32_t format, const char** text, uint64_t* text_size,
                                         ge_error* error) noexcept {
  return guarded(error, [&] {
    ge_runtime_report_format_require(format, "format");
    const auto found = SelectionTable::instance().get(selection);
    const bool json = format == GE_RUNTIME_REPORT_FORMAT_JSON;
    ge::abi::write_text(text, text_size, json ? found->json_report : found->text_report, "text");
  });
}

int32_t ge_runtime_slot_selection_release(uint64_t selection, ge_error* error) noexcept {
  return guarded(error, [&] { SelectionTable::instance().release(selection); });
}

int32_t ge_runtime_slot_bridge_open(uint64_t selection, const char* python_executable, uint64_t python_executable_size,
                                    uint64_t* getter, ge_error* error) noexcept {
  return guarded(error, [&] {
    ge::abi::require(getter, "getter");
    const auto executable = ge::abi::text(python_executable, python_executable_size, "python_executable");
    const auto found = SelectionTable::instance().get(selection);
    const auto opened = BridgeManager::instance().open(usable(found).candidates[found->chosen], executable);
    *getter = reinterpret_cast<uintptr_t>(opened);
  });
}

int32_t ge_runtime_slot_bridge_register_passes(ge_abi_getter ir_getter, ge_abi_getter passes_getter, uint32_t flags,
                                               uint64_t* registered, ge_error* error) noexcept {
  return guarded(error, [&] {
    ge::abi::require(registered, "registered");
    if (ir_getter == nullptr || passes_getter == nullptr) ge::abi::invalid("both getters must be given");
    *registered = BridgeManager::instance().register_passes(ir_getter, passes_getter, flags);
  });
}

int32_t ge_runtime_slot_bridge_report(const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, BridgeManager::instance().report(), "text"); });
}

int32_t ge_runtime_slot_bridge_reset(ge_error* error) noexcept {
  return guarded(error, [] { BridgeManager::instance().reset(); });
}

int32_t ge_runtime_slot_bridge_shutdown(ge_error* error) noexcept {
  return guarded(error, [] { BridgeManager::instance().shutdown(); });
}

GE_ABI_EXPORT int32_t ge_runtime_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {
  return ge_runtime_fill(table, table_bytes, error);
}

}  // extern "C"
