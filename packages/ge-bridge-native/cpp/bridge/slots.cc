// The table of the library: argument checks, then the bridge of this process.
#include "bridge/bridge.h"
#include "ge_bridge_slots.h"

namespace {

using ge::abi::guarded;
using ge::abi::read_struct;
using ge::bridge::Bridge;

std::string text(const std::uint8_t* data, std::uint64_t size, const char* what) {
  return std::string(ge::abi::text(reinterpret_cast<const char*>(data), size, what));
}

}  // namespace

int32_t ge_bridge_slot_configure(const ge_bridge_config* config, ge_error* error) noexcept {
  return guarded(error, [&] {
    const ge_bridge_config given = read_struct(config, "config");
    Bridge::instance().configure(text(given.native_module_path, given.native_module_path_size, "native_module_path"),
                                 text(given.python_executable, given.python_executable_size, "python_executable"));
  });
}

int32_t ge_bridge_slot_start(ge_error* error) noexcept {
  return guarded(error, [] { Bridge::instance().start(); });
}

int32_t ge_bridge_slot_info(ge_bridge_info* info, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_struct(info, Bridge::instance().info(), "info"); });
}

int32_t ge_bridge_slot_register_passes(ge_abi_getter ir_getter, ge_abi_getter passes_getter, uint32_t flags,
                                       uint64_t* registered, ge_error* error) noexcept {
  return guarded(error, [&] {
    ge_bridge_flags_require(flags, "flags");
    if (ir_getter == nullptr) ge::abi::invalid("ir_getter is null");
    if (passes_getter == nullptr) ge::abi::invalid("passes_getter is null");
    uint64_t& count = ge::abi::require(registered, "registered");
    count = Bridge::instance().register_passes(ir_getter, passes_getter, (flags & GE_BRIDGE_FLAGS_STRICT) != 0);
  });
}

int32_t ge_bridge_slot_report(const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, Bridge::instance().report(), "text"); });
}

int32_t ge_bridge_slot_reset(ge_error* error) noexcept {
  return guarded(error, [] { Bridge::instance().reset(); });
}

int32_t ge_bridge_slot_shutdown(ge_error* error) noexcept {
  return guarded(error, [] { Bridge::instance().shutdown(); });
}

extern "C" GE_ABI_EXPORT int32_t ge_bridge_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {
  return ge_bridge_fill(table, table_bytes, error);
}
