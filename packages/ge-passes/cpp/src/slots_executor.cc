// Slots: executors.
#include "ge_passes/executor.h"
#include "ge_passes_slots.h"

using namespace ge_passes;
using ge::abi::guarded;

extern "C" int32_t ge_passes_slot_executor_create(uint64_t* executor, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(executor, "executor");
    registry().require_running();
    out = executors().insert(std::make_shared<Executor>());
  });
}

extern "C" int32_t ge_passes_slot_executor_release(uint64_t executor, ge_error* error) noexcept {
  return guarded(error, [&] {
    executors().require(executor, "executor")->close();
    executors().take(executor);
  });
}

extern "C" int32_t ge_passes_slot_executor_set_option(uint64_t executor, const char* key, uint64_t key_size,
                                                      const char* value, uint64_t value_size,
                                                      ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Executor> held = executors().require(executor, "executor");
    const std::string_view name = ge::abi::text(key, key_size, "key");
    if (name.empty()) ge::abi::invalid("key is empty");
    held->set_option(name, ge::abi::text(value, value_size, "value"));
  });
}

extern "C" int32_t ge_passes_slot_executor_run(uint64_t executor, uint64_t graph, uint32_t stage, uint32_t* changed,
                                               ge_error* error) noexcept {
  return guarded(error, [&] {
    uint32_t& out = ge::abi::require(changed, "changed");
    const std::shared_ptr<Executor> held = executors().require(executor, "executor");
    ge_passes_stage_require(stage, "stage");
    out = held->run(graph, stage) ? 1 : 0;
  });
}

extern "C" int32_t ge_passes_slot_executor_run_pass(uint64_t executor, uint64_t pass, uint64_t graph, uint32_t* changed,
                                                    ge_error* error) noexcept {
  return guarded(error, [&] {
    uint32_t& out = ge::abi::require(changed, "changed");
    const std::shared_ptr<Executor> held = executors().require(executor, "executor");
    out = held->run_pass(registry().require(pass), graph) ? 1 : 0;
  });
}

extern "C" int32_t ge_passes_slot_executor_stat_count(uint64_t executor, uint64_t* count, ge_error* error) noexcept {
  return guarded(error, [&] {
    uint64_t& out = ge::abi::require(count, "count");
    out = executors().require(executor, "executor")->stat_count();
  });
}

extern "C" int32_t ge_passes_slot_executor_stat(uint64_t executor, uint64_t index, ge_passes_stat* stat,
                                                ge_error* error) noexcept {
  return guarded(error, [&] {
    const std::shared_ptr<Executor> held = executors().require(executor, "executor");
    const Statistics& row = held->stat(index);
    ge_passes_stat out{};
    out.stage = row.stage;
    out.name = reinterpret_cast<const uint8_t*>(row.name.data());
    out.name_size = row.name.size();
    out.matches = row.matches;
    out.rewrites = row.rewrites;
    out.skipped = row.skipped;
    out.graphs = row.graphs;
    out.nanoseconds = row.nanoseconds;
    ge::abi::write_struct(stat, out, "stat");
  });
}
