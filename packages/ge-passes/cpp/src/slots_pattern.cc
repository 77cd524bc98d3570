// Slots: patterns and find_matches.
#include <algorithm>

#include "ge_passes/hooks.h"
#include "ge_passes/matcher.h"
#include "ge_passes/pattern.h"
#include "ge_passes/registry.h"
#include "ge_passes_slots.h"

using namespace ge_passes;
using ge::abi::guarded;

extern "C" int32_t ge_passes_slot_pattern_create(uint64_t graph, uint64_t* pattern, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(pattern, "pattern");
    registry().require_running();
    const std::shared_ptr<Pattern> made = Pattern::create(graph);
    made->handle = patterns().insert(made);
    out = made->handle;
  });
}

extern "C" int32_t ge_passes_slot_pattern_release(uint64_t pattern, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Pattern> held = patterns().require(pattern, "pattern");
    if (held->owned) fail(GE_STATUS_INVALID_STATE, "pattern ", quoted(held->name()), " belongs to an executor");
    patterns().take(pattern);
  });
}

extern "C" int32_t ge_passes_slot_pattern_set_flags(uint64_t pattern, uint32_t flags, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Pattern> held = patterns().require(pattern, "pattern");
    ge_passes_match_flags_require(flags, "flags");
    held->set_flags(flags);
  });
}

extern "C" int32_t ge_passes_slot_pattern_graph(uint64_t pattern, uint64_t* graph, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(graph, "graph");
    out = patterns().require(pattern, "pattern")->graph();
  });
}

extern "C" int32_t ge_passes_slot_pattern_capture(uint64_t pattern, uint64_t node, uint32_t index,
                                                  ge_error* error) noexcept {
  return guarded(error, [&] { patterns().require(pattern, "pattern")->capture(node, index); });
}

extern "C" int32_t ge_passes_slot_pattern_captures(uint64_t pattern, uint64_t* nodes, uint64_t nodes_capacity,
                                                   uint64_t* nodes_count, uint32_t* indices, uint64_t indices_capacity,
                                                   uint64_t* indices_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::vector<Value> captures = patterns().require(pattern, "pattern")->captures();
    ge::abi::Buffer<uint64_t> out_nodes(nodes, nodes_capacity, nodes_count, "nodes");
    ge::abi::Buffer<uint32_t> out_indices(indices, indices_capacity, indices_count, "indices");
    ge::abi::announce(captures.size(), out_nodes, out_indices);
    for (size_t i = 0; i < captures.size(); ++i) {
      out_nodes[i] = captures[i].node;
      out_indices[i] = captures[i].index;
    }
  });
}

extern "C" int32_t ge_passes_slot_find_matches(uint64_t pattern, uint64_t graph, ge_passes_match_fn visit, void* user,
                                               ge_error* error) noexcept {
  return guarded(error, [&] {
    if (visit == nullptr) ge::abi::invalid("visit is null");
    const std::shared_ptr<Pattern> held = patterns().require(pattern, "pattern");
    GraphIndex index(graph);
    Matcher matcher(index, held);
    if (!matcher.possible()) return;
    // The visitor may not edit the graph; a copy of the version tells if it did.
    const uint64_t version = graph_version(graph);
    for (size_t i = 0; i < matcher.candidates().size(); ++i) {
      matcher.start(matcher.candidates()[i]);
      while (matcher.next()) {
        uint32_t stop = 0;
        const Lease<Match> lease(matches(), matcher.match());
        call_hook("visit", visit, user, lease.handle(), &stop);
        if (stop != 0) return;
        if (graph_version(graph) != version) {
          fail(GE_STATUS_INVALID_STATE, "visit changed ", describe_graph(graph), " while its matches were listed");
        }
      }
    }
  });
}
