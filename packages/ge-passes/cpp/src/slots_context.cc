// Slots: the context of a hook, and rewriting by hand.
#include "ge_passes/context.h"
#include "ge_passes/registry.h"
#include "ge_passes/rewriter.h"
#include "ge_passes_slots.h"

using namespace ge_passes;
using ge::abi::guarded;

namespace ge_passes {

HandleTable<Context>& contexts() {
  static auto* table = new HandleTable<Context>(GE_HANDLE_TYPE_CONTEXT, "CONTEXT", GE_STATUS_EXPIRED);
  return *table;
}

}  // namespace ge_passes

extern "C" int32_t ge_passes_slot_context_pass_name(uint64_t context, const char** text, uint64_t* text_size,
                                                    ge_error* error) noexcept {
  return guarded(
      error, [&] { ge::abi::write_text(text, text_size, contexts().require(context, "context")->pass_name, "text"); });
}

extern "C" int32_t ge_passes_slot_context_set_pass_name(uint64_t context, const char* name, uint64_t name_size,
                                                        ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Context> held = contexts().require(context, "context");
    const std::string_view value = ge::abi::text(name, name_size, "name");
    if (value.empty()) ge::abi::invalid("name is empty");
    held->pass_name = std::string(value);
  });
}

extern "C" int32_t ge_passes_slot_context_error_message(uint64_t context, const char** text, uint64_t* text_size,
                                                        ge_error* error) noexcept {
  return guarded(error, [&] {
    ge::abi::write_text(text, text_size, contexts().require(context, "context")->error_message, "text");
  });
}

extern "C" int32_t ge_passes_slot_context_set_error_message(uint64_t context, const char* message,
                                                            uint64_t message_size, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Context> held = contexts().require(context, "context");
    held->error_message = std::string(ge::abi::text(message, message_size, "message"));
  });
}

extern "C" int32_t ge_passes_slot_context_option(uint64_t context, const char* key, uint64_t key_size,
                                                 const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Context> held = contexts().require(context, "context");
    const std::string_view wanted = ge::abi::text(key, key_size, "key");
    const auto found = held->options->find(wanted);
    if (found == held->options->end()) fail(GE_STATUS_NOT_FOUND, "the executor has no option ", quoted(wanted));
    ge::abi::write_text(text, text_size, found->second, "text");
  });
}

extern "C" int32_t ge_passes_slot_context_add_pattern(uint64_t context, uint64_t pattern, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Context> held = contexts().require(context, "context");
    const std::shared_ptr<Pattern> added = patterns().require(pattern, "pattern");
    if (held->patterns == nullptr) {
      fail(GE_STATUS_INVALID_STATE, "patterns are handed over in the patterns callback only");
    }
    if (added->owned)
      fail(GE_STATUS_INVALID_STATE, "pattern ", quoted(added->name()), " belongs to an executor already");
    held->patterns->push_back(added);
    added->owned = true;
  });
}

namespace {

std::string name_of(uint64_t context) {
  return context == 0 ? std::string() : contexts().require(context, "context")->pass_name;
}

Handle root_of(Handle graph) {
  while (const Handle owner = graph_owner(graph)) {
    graph = GE_HANDLE_TYPE(owner) == GE_HANDLE_TYPE_NODE ? graph_of(owner) : owner;
  }
  return graph;
}

void require_replacement(Handle replacement, Handle root) {
  if (replacement == root || graph_owner(replacement) != 0) {
    fail(GE_STATUS_INVALID_ARGUMENT, "replacement ", describe_graph(replacement),
         " is part of a graph; expected a root graph of its own");
  }
}

}  // namespace

extern "C" int32_t ge_passes_slot_rewrite_replace(const ge_passes_boundary* boundary, uint64_t replacement,
                                                  uint64_t context, ge_error* error) noexcept {
  return guarded(error, [&] {
    const ge_passes_boundary given = ge::abi::read_struct(boundary, "boundary");
    const std::string pass_name = name_of(context);
    const Region region = region_of(given);
    const Handle root = root_of(region.graph);
    require_replacement(replacement, root);
    Places places(region.graph);
    const Placement placement = find_placement(region, places);
    if (!placement.cycle.empty()) refuse_cycle(region, placement);
    Transaction transaction(root);
    replace_region(region, placement, replacement, pass_name, transaction);
    transaction.commit();
  });
}
