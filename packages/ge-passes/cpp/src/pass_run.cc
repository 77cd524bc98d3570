#include "ge_passes/pass_run.h"

#include "ge_passes/hooks.h"

namespace ge_passes {
namespace {

void* user_of(const PassRun& run) { return const_cast<void*>(run.instance.pass().callbacks.user); }

/// A replacement graph that a hook gave away: ended with this object.
class Replacement {
 public:
  Replacement(Handle graph, Handle root) : graph_(graph) {
    if (GE_HANDLE_TYPE(graph) != GE_HANDLE_TYPE_GRAPH) {
      graph_ = 0;
      fail(GE_STATUS_CALLBACK_FAILED, "replacement: gave ", graph == 0 ? "no graph" : hex(graph), "; expected a graph");
    }
    // What is part of something else is not the hook's to give, and must not be ended here.
    graph_ = 0;
    if (graph == root) fail(GE_STATUS_CALLBACK_FAILED, "replacement: gave the graph that the pass runs on");
    if (graph_owner(graph) != 0)
      fail(GE_STATUS_CALLBACK_FAILED, "replacement: gave a subgraph, ", describe_graph(graph));
    if (is_pattern_graph(graph)) {
      fail(GE_STATUS_CALLBACK_FAILED, "replacement: gave the graph of a pattern, ", describe_graph(graph));
    }
    graph_ = graph;
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (graph_ != 0) ir().graph_release(graph_, nullptr);
  }
  Handle graph() const noexcept { return graph_; }

 private:
  Handle graph_;
};

}  // namespace

std::string PassRun::where() const {
  std::string text = cat("pass ", quoted(context->pass_name));
  if (context->pass_name != instance.pass().name) text += cat(" (registered as ", quoted(instance.pass().name), ")");
  if (pattern != nullptr) text += cat(", pattern ", quoted(pattern->name()));
  if (node != 0) return text + cat(", ", describe(node));
  return graph != 0 ? text + cat(", ", describe_graph(graph)) : text;
}

void load_patterns(PassRun& run) {
  if (run.instance.asked_for_patterns) return;
  run.context->patterns = &run.instance.patterns;
  try {
    const Lease<Context> context(contexts(), run.context);
    call_hook("patterns", run.instance.pass().callbacks.patterns, user_of(run), run.instance.number(),
              context.handle());
  } catch (...) {
    run.context->patterns = nullptr;
    for (const auto& pattern : run.instance.patterns) patterns().take(pattern->handle);
    run.instance.patterns.clear();
    throw;
  }
  run.context->patterns = nullptr;
  run.instance.asked_for_patterns = true;
}

void run_fusion_base(PassRun& run) {
  {
    const Lease<Context> context(contexts(), run.context);
    call_hook("run", run.instance.pass().callbacks.run, user_of(run), run.instance.number(), run.graph,
              context.handle());
  }
  run.transaction.require_innermost("run");
}

bool accepted(PassRun& run, uint64_t subject) {
  const ge_passes_meet_fn meet = run.instance.pass().callbacks.meet_requirements;
  if (meet == nullptr) return true;
  const Lease<Context> context(contexts(), run.context);
  uint32_t answer = 0;
  call_hook("meet_requirements", meet, user_of(run), run.instance.number(), subject, context.handle(), &answer);
  return answer != 0;
}

std::vector<Created> replace(PassRun& run, const Region& region, const Placement& placement, uint64_t subject) {
  Handle graph = 0;
  {
    const Lease<Context> context(contexts(), run.context);
    call_hook("replacement", run.instance.pass().callbacks.replacement, user_of(run), run.instance.number(), subject,
              context.handle(), &graph);
  }
  const Replacement replacement(graph, run.root);
  Transaction inner(run.root);
  std::vector<Created> created = replace_region(region, placement, replacement.graph(), run.context->pass_name, inner);
  inner.commit();
  run.transaction.adopt(inner.made());
  ++run.row.rewrites;
  return created;
}

void count_rewrite(PassRun& run, uint64_t& rewrites) {
  if (++rewrites <= run.max_rewrites) return;
  fail(GE_STATUS_REFUSED, "made ", run.max_rewrites, " rewrites on ", describe_graph(run.graph),
       ", which is the bound: does the replacement contain what the pattern looks for? If not, raise the option "
       "max_rewrites");
}

}  // namespace ge_passes
