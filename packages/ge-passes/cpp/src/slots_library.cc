// Slots: library, binding, registry; and the getter.
#include "ge_passes/executor.h"
#include "ge_passes/registry.h"
#include "ge_passes_slots.h"

#ifndef GE_PASSES_VERSION
#define GE_PASSES_VERSION "0.1.0"
#endif

using namespace ge_passes;
using ge::abi::guarded;

extern "C" GE_ABI_EXPORT int32_t ge_passes_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {
  return ge_passes_fill(table, table_bytes, error);
}

extern "C" int32_t ge_passes_slot_library_version(const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, GE_PASSES_VERSION, "text"); });
}

extern "C" int32_t ge_passes_slot_library_shutdown(ge_error* error) noexcept {
  return guarded(error, [&] {
    // Objects of passes go before the passes; a running executor keeps its own until it is released.
    for (const auto& executor : executors().all()) {
      try {
        executor->close();
      } catch (const Failure&) {
      }
    }
    registry().shutdown();
  });
}

extern "C" int32_t ge_passes_slot_bind_ir(ge_abi_getter ir_getter, ge_error* error) noexcept {
  return guarded(error, [&] { bind_ir(ir_getter); });
}

namespace {

std::string copy_text(const uint8_t* data, uint64_t size, const char* what) {
  const std::string_view value = ge::abi::text(reinterpret_cast<const char*>(data), size, what);
  if (value.empty()) ge::abi::invalid(std::string(what) + " is empty");
  return std::string(value);
}

void require_callback(bool present, const char* name, const PassRecord& record) {
  if (present) return;
  fail(GE_STATUS_INVALID_ARGUMENT, "pass ", quoted(record.name), " of kind ", ge_passes_kind_name(record.kind),
       " needs the callback ", name);
}

void check_callbacks(const PassRecord& record) {
  const ge_passes_callbacks& callbacks = record.callbacks;
  require_callback(callbacks.create != nullptr, "create", record);
  require_callback(callbacks.destroy != nullptr, "destroy", record);
  if (record.kind == GE_PASSES_KIND_FUSION_BASE) return require_callback(callbacks.run != nullptr, "run", record);
  if (record.kind == GE_PASSES_KIND_PATTERN_FUSION) {
    require_callback(callbacks.patterns != nullptr, "patterns", record);
  }
  require_callback(callbacks.replacement != nullptr, "replacement", record);
}

std::shared_ptr<PassRecord> read_record(const ge_passes_pass_desc* given, const ge_passes_callbacks* callbacks) {
  const ge_passes_pass_desc desc = ge::abi::read_struct(given, "desc");
  auto record = std::make_shared<PassRecord>();
  record->callbacks = ge::abi::read_struct(callbacks, "callbacks");
  ge_passes_kind_require(desc.kind, "desc.kind");
  ge_passes_stage_require(desc.stage, "desc.stage");
  if (desc.enabled > 1) ge::abi::invalid("desc.enabled is " + std::to_string(desc.enabled) + "; expected 0 or 1");
  record->kind = desc.kind;
  record->stage = desc.stage;
  record->enabled = desc.enabled != 0;
  record->name = copy_text(desc.name, desc.name_size, "desc.name");
  record->key = copy_text(desc.descriptor_key, desc.descriptor_key_size, "desc.descriptor_key");
  const auto types = ge::abi::view(desc.op_types, desc.op_type_count, "desc.op_types");
  record->op_types.assign(types.begin(), types.end());
  const bool decompose = record->kind == GE_PASSES_KIND_DECOMPOSE;
  if (decompose == record->op_types.empty()) {
    fail(GE_STATUS_INVALID_ARGUMENT, "pass ", quoted(record->name), " of kind ", ge_passes_kind_name(record->kind),
         decompose ? " needs op_types" : " takes no op_types; only DECOMPOSE does");
  }
  check_callbacks(*record);
  return record;
}

}  // namespace

extern "C" int32_t ge_passes_slot_pass_register(const ge_passes_pass_desc* desc, const ge_passes_callbacks* callbacks,
                                                uint64_t* pass, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(pass, "pass");
    out = registry().add(read_record(desc, callbacks));
  });
}

extern "C" int32_t ge_passes_slot_pass_unregister(uint64_t pass, ge_error* error) noexcept {
  return guarded(error, [&] { registry().remove(pass); });
}

extern "C" int32_t ge_passes_slot_pass_list(uint64_t* passes, uint64_t passes_capacity, uint64_t* passes_count,
                                            ge_error* error) noexcept {
  return guarded(error, [&] {
    std::vector<uint64_t> handles;
    for (const auto& record : registry().list()) handles.push_back(record->handle);
    ge::abi::write_buffer(passes, passes_capacity, passes_count, handles, "passes");
  });
}

extern "C" int32_t ge_passes_slot_pass_find(const char* name, uint64_t name_size, uint64_t* pass,
                                            ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(pass, "pass");
    out = registry().find(ge::abi::text(name, name_size, "name"))->handle;
  });
}

extern "C" int32_t ge_passes_slot_pass_info(uint64_t pass, ge_passes_pass_desc* desc, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<PassRecord> record = registry().require(pass);
    ge_passes_pass_desc info{};
    info.kind = record->kind;
    info.stage = record->stage;
    info.enabled = registry().enabled(*record) ? 1 : 0;
    info.name = reinterpret_cast<const uint8_t*>(record->name.data());
    info.name_size = record->name.size();
    info.descriptor_key = reinterpret_cast<const uint8_t*>(record->key.data());
    info.descriptor_key_size = record->key.size();
    info.op_types = record->op_types.data();
    info.op_type_count = record->op_types.size();
    ge::abi::write_struct(desc, info, "desc");
  });
}

extern "C" int32_t ge_passes_slot_pass_set_enabled(uint64_t pass, uint32_t enabled, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<PassRecord> record = registry().require(pass);
    if (enabled > 1) ge::abi::invalid("enabled is " + std::to_string(enabled) + "; expected 0 or 1");
    registry().set_enabled(*record, enabled != 0);
  });
}
