#include "ge_passes/executor.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "ge_passes/pass_run.h"

namespace ge_passes {
namespace {

constexpr uint64_t kFewestRewrites = 100000;
constexpr uint64_t kRewritesPerNode = 16;
constexpr std::string_view kSwitch = "pass.";
constexpr std::string_view kDefaultSwitch = "passes";
constexpr std::string_view kBound = "max_rewrites";

bool is_switch(std::string_view key) { return key.substr(0, kSwitch.size()) == kSwitch || key == kDefaultSwitch; }

/// A positive decimal number, or 0.
uint64_t parse_bound(std::string_view text) {
  if (text.empty() || text.size() > 18) return 0;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

bool wants_verify() {
  const char* value = std::getenv("GE_VERIFY");
  return value != nullptr && std::string_view(value) == "1";
}

void require_root(Handle graph) {
  if (const Handle owner = graph_owner(graph)) {
    fail(GE_STATUS_INVALID_ARGUMENT, describe_graph(graph), " is a subgraph of ",
         GE_HANDLE_TYPE(owner) == GE_HANDLE_TYPE_NODE ? describe(owner) : describe_graph(owner),
         "; passes run over a root graph and everything below it");
  }
}

/// Adds the time it lives to a counter.
class Stopwatch {
 public:
  explicit Stopwatch(uint64_t& total) : total_(total), start_(std::chrono::steady_clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    const auto passed = std::chrono::steady_clock::now() - start_;
    total_ += static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }

 private:
  uint64_t& total_;
  std::chrono::steady_clock::time_point start_;
};

void run_on_graph(PassRun& run) {
  const uint64_t before = run.instance.pass().kind == GE_PASSES_KIND_FUSION_BASE ? graph_version(run.graph) : 0;
  switch (run.instance.pass().kind) {
    case GE_PASSES_KIND_FUSION_BASE:
      run_fusion_base(run);
      // Only what happened in this graph itself or below it moves its version.
      if (graph_version(run.graph) != before) ++run.row.rewrites;
      return;
    case GE_PASSES_KIND_PATTERN_FUSION:
      return run_patterns(run);
    default:
      return run_decompose(run);
  }
}

/// Status of a failed pass: CALLBACK_FAILED, unless the reason lies outside it.
int32_t status_of_pass(int32_t reason) noexcept {
  switch (reason) {
    case GE_STATUS_NO_MEMORY:
    case GE_STATUS_SHUTDOWN:
    case GE_STATUS_UNIMPLEMENTED:
    case GE_STATUS_INTERNAL:
      return reason;
    default:
      return GE_STATUS_CALLBACK_FAILED;
  }
}

bool is_graph_of(Handle graph, Handle root) noexcept {
  try {
    for (Handle at = graph; at != root;) {
      const Handle owner = graph_owner(at);
      if (owner == 0) return false;
      at = GE_HANDLE_TYPE(owner) == GE_HANDLE_TYPE_NODE ? graph_of(owner) : owner;
    }
    return true;
  } catch (const Failure&) {
    return false;
  }
}

}  // namespace

HandleTable<Executor>& executors() {
  static auto* table = new HandleTable<Executor>(GE_HANDLE_TYPE_EXECUTOR, "EXECUTOR", GE_STATUS_STALE_HANDLE);
  return *table;
}

/// Marks an executor as running for as long as it lives.
class Executor::Busy {
 public:
  explicit Busy(Executor& executor) : executor_(executor) {
    std::lock_guard<std::mutex> lock(executor.mutex_);
    if (executor.closed_) fail(GE_STATUS_STALE_HANDLE, "the executor was released");
    if (executor.running_) fail(GE_STATUS_INVALID_STATE, "the executor is running already (a hook must not run it)");
    executor.running_ = true;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    std::lock_guard<std::mutex> lock(executor_.mutex_);
    executor_.running_ = false;
  }

 private:
  Executor& executor_;
};

Executor::~Executor() {
  while (!instances_.empty()) instances_.pop_back();
}

void Executor::close() {
  std::vector<std::unique_ptr<Instance>> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (running_) fail(GE_STATUS_INVALID_STATE, "the executor is running");
    closed_ = true;
    ended.swap(instances_);
  }
  while (!ended.empty()) ended.pop_back();
}

void Executor::set_option(std::string_view key, std::string_view value) {
  if (is_switch(key) && value != "on" && value != "off") {
    fail(GE_STATUS_INVALID_ARGUMENT, "option ", quoted(key), " is ", quoted(value), "; expected 'on' or 'off'");
  }
  if (key == kBound && parse_bound(value) == 0) {
    fail(GE_STATUS_INVALID_ARGUMENT, "option 'max_rewrites' is ", quoted(value), "; expected a number from 1");
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (running_) fail(GE_STATUS_INVALID_STATE, "the executor is running; its options are fixed");
  options_[std::string(key)] = std::string(value);
}

bool Executor::enabled(const PassRecord& record) {
  const auto found = options_.find(cat(kSwitch, record.name));
  if (found != options_.end()) return found->second == "on";
  const auto general = options_.find(kDefaultSwitch);
  if (general != options_.end()) return general->second == "on";
  return switches_.emplace(record.handle, registry().enabled(record)).first->second;
}

bool Executor::run(Handle root, uint32_t stage) {
  registry().require_running();
  const Busy busy(*this);
  require_root(root);
  tree_.clear();
  const uint64_t before = graph_version(root);
  std::vector<std::shared_ptr<PassRecord>> chosen;
  for (const auto& record : registry().list()) {
    if (enabled(*record) && record->stage == stage) chosen.push_back(record);
  }
  for (const auto& record : chosen) run_one(record, root);
  return graph_version(root) != before;
}

bool Executor::run_pass(const std::shared_ptr<PassRecord>& record, Handle root) {
  registry().require_running();
  const Busy busy(*this);
  require_root(root);
  tree_.clear();
  const uint64_t before = graph_version(root);
  run_one(record, root);
  return graph_version(root) != before;
}

Instance& Executor::instance_of(const std::shared_ptr<PassRecord>& record) {
  for (const auto& instance : instances_) {
    if (instance->record() == record) return *instance;
  }
  instances_.reserve(instances_.size() + 1);
  instances_.push_back(std::make_unique<Instance>(record));
  return *instances_.back();
}

Statistics& Executor::row_of(const PassRecord& record) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (Statistics& row : rows_) {
    if (row.name == record.name) return row;
  }
  Statistics fresh;
  fresh.name = record.name;
  fresh.stage = record.stage;
  rows_.push_back(std::move(fresh));
  return rows_.back();
}

/// Within one run, the tree is read again only when something changed since it was read last. Not between runs: after a
/// rollback by the caller, another tree can have the same version.
const std::vector<Handle>& Executor::tree_of(Handle root) {
  const uint64_t version = graph_version(root);
  if (tree_root_ != root || tree_version_ != version || tree_.empty()) {
    tree_root_ = 0;
    tree_ = graph_tree(root);
    tree_root_ = root;
    tree_version_ = version;
  }
  return tree_;
}

uint64_t Executor::rewrite_bound(size_t nodes) const {
  const auto found = options_.find(kBound);
  return found != options_.end() ? parse_bound(found->second) : kFewestRewrites + kRewritesPerNode * nodes;
}

void Executor::run_one(const std::shared_ptr<PassRecord>& record, Handle root) {
  Statistics& row = row_of(*record);
  const Stopwatch stopwatch(row.nanoseconds);
  const auto context = std::make_shared<Context>();
  context->pass_name = record->name;
  context->options = &options_;
  std::string where = cat("pass ", quoted(record->name));
  try {
    Instance& instance = instance_of(record);
    const std::vector<Handle> tree = tree_of(root);
    Transaction transaction(root);
    PassRun run{instance, context, transaction, row, root};
    try {
      if (record->kind == GE_PASSES_KIND_PATTERN_FUSION) load_patterns(run);
      for (const Handle graph : tree) {
        if (!is_graph_of(graph, root)) continue;  // went with a node that was replaced
        run.graph = graph;
        run.max_rewrites = rewrite_bound(static_cast<size_t>(node_count(graph)));
        ++row.graphs;
        run_on_graph(run);
      }
      const std::string findings = wants_verify() ? verify(root) : std::string();
      if (!findings.empty()) fail(GE_STATUS_VERIFY_FAILED, "left a broken graph behind: ", findings);
    } catch (...) {
      where = run.where();
      throw;
    }
    transaction.commit();
  } catch (const Failure& failure) {
    std::string text = cat(where, ": ", failure.what());
    if (!context->error_message.empty()) text += cat("; message of the pass: ", context->error_message);
    throw Failure(status_of_pass(failure.status), text);
  }
}

size_t Executor::stat_count() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return rows_.size();
}

const Statistics& Executor::stat(uint64_t index) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (index >= rows_.size()) {
    fail(GE_STATUS_OUT_OF_RANGE, "row ", index, " of the statistics, which have ", uint64_t{rows_.size()});
  }
  return rows_[static_cast<size_t>(index)];
}

}  // namespace ge_passes
