#include "ge_ir/blob.h"
#include "ge_ir/text.h"
#include "ge_ir_slots.h"

extern "C" int32_t ge_ir_slot_graph_print(uint64_t graph, uint32_t flags, uint64_t* text, ge_error* error) noexcept {
  return ge::abi::guarded(error, [&] {
    uint64_t& result = ge::abi::require(text, "text");
    ge_ir_print_flags_require(flags, "flags");
    result = ge_ir::make_blob(ge_ir::text::print_graph(graph, flags));
  });
}

extern "C" int32_t ge_ir_slot_graph_parse(const char* text, uint64_t text_size, const char* source_name,
                                          uint64_t source_name_size, uint64_t* graph, ge_error* error) noexcept {
  return ge::abi::guarded(error, [&] {
    uint64_t& result = ge::abi::require(graph, "graph");
    result = ge_ir::text::parse_graph(ge::abi::text(text, text_size, "text"),
                                      ge::abi::text(source_name, source_name_size, "source_name"));
  });
}
