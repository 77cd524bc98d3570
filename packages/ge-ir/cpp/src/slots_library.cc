// Slots: library, symbols, blobs; and the getter.
#include "ge_ir/blob.h"
#include "ge_ir/slot_support.h"
#include "ge_ir/symbol.h"
#include "ge_ir/tensor.h"

#ifndef GE_IR_VERSION
#define GE_IR_VERSION "0.1.0"
#endif

using namespace ge_ir;

extern "C" GE_ABI_EXPORT int32_t ge_ir_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {
  return ge_ir_fill(table, table_bytes, error);
}

extern "C" int32_t ge_ir_slot_library_version(const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, GE_IR_VERSION, "text"); });
}

extern "C" int32_t ge_ir_slot_library_stats(ge_ir_stats* stats, ge_error* error) noexcept {
  return guarded(error, [&] {
    ge_ir_stats now{};
    now.graphs = graphs().live();
    now.nodes = node_count();
    now.tensors = tensors().live();
    now.blobs = blobs().live();
    now.symbols = symbol_count();
    now.tensor_bytes = tensor_heap_bytes();
    ge::abi::write_struct(stats, now, "stats");
  });
}

extern "C" int32_t ge_ir_slot_library_shutdown(ge_error* error) noexcept {
  return guarded(error, [&] { stop_running(); });
}

extern "C" int32_t ge_ir_slot_symbol_intern(const char* text, uint64_t text_size, uint32_t* symbol,
                                            ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::string_view value = require_name(text, text_size, "text");
    uint32_t& out = ge::abi::require(symbol, "symbol");
    const uint32_t known = find_symbol(value);
    if (known == kNoSymbol) require_running();
    out = known != kNoSymbol ? known : intern(value);
  });
}

extern "C" int32_t ge_ir_slot_symbol_text(uint32_t symbol, const char** text, uint64_t* text_size,
                                          ge_error* error) noexcept {
  return guarded(error, [&] {
    require_symbol(symbol, "symbol");
    ge::abi::write_text(text, text_size, symbol_text(symbol), "text");
  });
}

namespace {

void require_blob_type(uint64_t handle) {
  if (handle_type(handle) == static_cast<uint8_t>(HandleType::kBlob)) return;
  fail(GE_STATUS_WRONG_TYPE, "blob ", hex(handle), " is a handle of type ", handle_type_name(handle_type(handle)),
       "; expected BLOB");
}

}  // namespace

extern "C" int32_t ge_ir_slot_blob_view(uint64_t blob, const void** data, uint64_t* data_size,
                                        ge_error* error) noexcept {
  return guarded(error, [&] {
    require_blob_type(blob);
    ge::abi::require(data, "data");
    ge::abi::require(data_size, "data_size");
    const Blob* found = blobs().retain(blob);
    if (found == nullptr) fail(GE_STATUS_STALE_HANDLE, "blob ", hex(blob), " was released");
    ge::abi::write_bytes(data, data_size, found->bytes.data(), found->bytes.size(), "data");
    Blob* last = nullptr;
    blobs().release(blob, &last);
    delete last;
  });
}

extern "C" int32_t ge_ir_slot_blob_release(uint64_t blob, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_blob_type(blob);
    Blob* last = nullptr;
    if (!blobs().release(blob, &last)) fail(GE_STATUS_STALE_HANDLE, "blob ", hex(blob), " was already released");
    delete last;
  });
}
