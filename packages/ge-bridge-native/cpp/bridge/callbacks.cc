#include "bridge/callbacks.h"

#include "bridge/bridge.h"
#include "bridge/interpreter.h"

namespace ge::bridge {
namespace {

// Runs `body` with the interpreter lock, behind the barrier that a callback needs.
template <class Body>
std::int32_t with_python(ge_error* error, Body&& body) noexcept {
  return abi::guarded(error, [&] {
    Bridge& bridge = Bridge::instance();
    bridge.require_python();
    const Locked lock;
    body(bridge);
  });
}

std::int32_t create(void* user, std::uint64_t, std::uint64_t* instance, ge_error* error) {
  return with_python(error, [&](Bridge& bridge) {
    const std::uint64_t number = bridge.next_instance();
    bridge.python().create(number, static_cast<Registration*>(user)->key);
    *instance = number;
  });
}

void destroy(void*, std::uint64_t instance) {
  with_python(nullptr, [&](Bridge& bridge) {
    if (bridge.python().loaded()) bridge.python().destroy(instance);
  });
}

std::int32_t run(void*, std::uint64_t instance, std::uint64_t graph, std::uint64_t context, ge_error* error) {
  return with_python(error, [&](Bridge& bridge) { bridge.python().run(instance, graph, context); });
}

std::int32_t patterns(void*, std::uint64_t instance, std::uint64_t context, ge_error* error) {
  std::vector<std::uint64_t> handles;
  const std::int32_t status = with_python(error, [&](Bridge& bridge) { handles = bridge.python().patterns(instance); });
  if (status != GE_STATUS_OK) return status;
  const ge_passes_api& passes = Bridge::instance().passes();
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const std::int32_t added = passes.context_add_pattern(context, handles[i], error);
    if (added == GE_STATUS_OK) continue;
    for (; i < handles.size(); ++i) passes.pattern_release(handles[i], nullptr);
    return added;
  }
  return GE_STATUS_OK;
}

std::int32_t meet(void*, std::uint64_t instance, std::uint64_t subject, std::uint64_t context, std::uint32_t* accepted,
                  ge_error* error) {
  return with_python(error,
                     [&](Bridge& bridge) { *accepted = bridge.python().meet(instance, subject, context) ? 1 : 0; });
}

std::int32_t replacement(void*, std::uint64_t instance, std::uint64_t subject, std::uint64_t context,
                         std::uint64_t* graph, ge_error* error) {
  return with_python(error, [&](Bridge& bridge) { *graph = bridge.python().replacement(instance, subject, context); });
}

void drop(void* user) {
  delete static_cast<Registration*>(user);
  Bridge::instance().pass_dropped();
}

}  // namespace

ge_passes_callbacks make_callbacks(std::uint32_t kind, Registration* registration) {
  ge_passes_callbacks callbacks{};
  callbacks.struct_size = sizeof(callbacks);
  callbacks.user = registration;
  callbacks.create = create;
  callbacks.destroy = destroy;
  callbacks.drop = drop;
  if (kind == GE_PASSES_KIND_FUSION_BASE) {
    callbacks.run = run;
    return callbacks;
  }
  callbacks.meet_requirements = meet;
  callbacks.replacement = replacement;
  if (kind == GE_PASSES_KIND_PATTERN_FUSION) callbacks.patterns = patterns;
  return callbacks;
}

}  // namespace ge::bridge
