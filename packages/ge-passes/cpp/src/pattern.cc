#include "ge_passes/pattern.h"

#include <set>

#include "ge_passes_api.h"

namespace ge_passes {
namespace {

std::mutex owned_mutex;
std::set<Handle>& owned_graphs() {
  // Never destroyed: patterns may be released while the process ends.
  static std::set<Handle>* graphs = new std::set<Handle>;
  return *graphs;
}

void claim(Handle graph) {
  std::lock_guard<std::mutex> lock(owned_mutex);
  if (!owned_graphs().insert(graph).second) {
    fail(GE_STATUS_INVALID_STATE, describe_graph(graph), " belongs to a pattern already");
  }
}

void disclaim(Handle graph) noexcept {
  std::lock_guard<std::mutex> lock(owned_mutex);
  owned_graphs().erase(graph);
}

}  // namespace

bool is_pattern_graph(Handle graph) {
  std::lock_guard<std::mutex> lock(owned_mutex);
  return owned_graphs().count(graph) != 0;
}

HandleTable<Pattern>& patterns() {
  static auto* table = new HandleTable<Pattern>(GE_HANDLE_TYPE_PATTERN, "PATTERN", GE_STATUS_STALE_HANDLE);
  return *table;
}

std::shared_ptr<Pattern> Pattern::create(Handle graph) {
  std::string name(graph_name(graph));
  if (const Handle owner = graph_owner(graph)) {
    fail(GE_STATUS_INVALID_STATE, "pattern ", describe_graph(graph), " is owned by ",
         GE_HANDLE_TYPE(owner) == GE_HANDLE_TYPE_NODE ? describe(owner) : describe_graph(owner),
         "; only a root graph can become a pattern");
  }
  std::shared_ptr<const CompiledPattern> program = CompiledPattern::compile(graph, 0);
  claim(graph);
  try {
    return std::shared_ptr<Pattern>(new Pattern(graph, std::move(name), std::move(program)));
  } catch (...) {
    disclaim(graph);
    throw;
  }
}

Pattern::Pattern(Handle graph, std::string name, std::shared_ptr<const CompiledPattern> program)
    : graph_(graph), name_(std::move(name)), program_(std::move(program)) {}

Pattern::~Pattern() {
  disclaim(graph_);
  ir().graph_release(graph_, nullptr);
}

void Pattern::set_flags(uint32_t flags) {
  std::lock_guard<std::mutex> lock(mutex_);
  flags_ = flags;
}

void Pattern::capture(Handle node, uint32_t index) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (program_->node_number(node) < 0 && program_->input_number(node) < 0) {
    fail(GE_STATUS_FOREIGN, describe(node), " is no input and no inner node of pattern ", quoted(name_));
  }
  const uint64_t outputs = arity(node).second;
  if (index >= outputs) {
    fail(GE_STATUS_OUT_OF_RANGE, "output ", index, " of ", describe(node), ", which has ", outputs);
  }
  captures_.push_back({node, index});
}

std::vector<Value> Pattern::captures() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return captures_;
}

std::shared_ptr<const CompiledPattern> Pattern::program() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (flags_ != program_flags_) {
    program_ = CompiledPattern::compile(graph_, flags_);
    program_flags_ = flags_;
  }
  return program_;
}

}  // namespace ge_passes
