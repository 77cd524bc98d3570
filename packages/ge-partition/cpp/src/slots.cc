// The slots of the ge_partition table: argument checks, then one call into the concept that does the work.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "ge_partition/dynamic_shape.h"
#include "ge_partition/flatten.h"
#include "ge_partition/ir.h"
#include "ge_partition/partition_table.h"
#include "ge_partition_slots.h"

namespace {

using ge::abi::Failure;
using ge::abi::guarded;
using ge::partition::Partition;
using ge::partition::PartitionTable;
namespace ir = ge::partition::ir;

constexpr char kVersion[] = "0.1.0";

std::atomic<bool> is_shut_down{false};

const std::uint8_t* bytes(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

void require_running() {
  if (is_shut_down.load()) throw Failure(GE_STATUS_SHUTDOWN, "libge_partition was shut down in this process");
}

void require_built(std::uint32_t value, const char* what, const char* name) {
  if (value == 0) return;
  throw Failure(GE_STATUS_UNIMPLEMENTED,
                std::string(what) + " " + name + " is not implemented yet; use the default, 0");
}

// Choices that the table names and this version does not have.
void check_choices(const ge_partition_dynamic_options& options) {
  ge_partition_preset_require(options.preset, "options.preset");
  ge_partition_absorption_require(options.absorption, "options.absorption");
  ge_partition_variables_require(options.reference_variables, "options.reference_variables");
  ge_partition_constants_require(options.constants, "options.constants");
  require_built(options.preset, "preset", "GE_CODE");
  require_built(options.absorption, "absorption", "ADJACENT");
  require_built(options.reference_variables, "reference_variables", "INPUT");
  require_built(options.constants, "constants", "SHARED_PART");
}

std::int64_t limit_of(const ge_partition_dynamic_options& options) {
  if (options.static_model_ops_lower_limit == nullptr && options.static_model_ops_lower_limit_size == 0)
    return ge::partition::parse_limit(nullptr);
  const std::string_view text =
      ge::abi::text(reinterpret_cast<const char*>(options.static_model_ops_lower_limit),
                    options.static_model_ops_lower_limit_size, "options.static_model_ops_lower_limit");
  return ge::partition::parse_limit(&text);
}

template <class T>
const T& at(const std::vector<T>& items, std::uint64_t index, const char* what) {
  if (index < items.size()) return items[index];
  throw Failure(GE_STATUS_OUT_OF_RANGE, std::string(what) + " " + std::to_string(index) +
                                            " does not exist; there are " + std::to_string(items.size()));
}

// A split and its handle: both, or the graph as it was and no handle.
std::uint64_t split(std::uint64_t graph, std::int64_t limit) {
  ge::partition::require_splittable(graph);
  ge::partition::Transaction transaction(graph);
  const std::uint64_t handle =
      PartitionTable::instance().add(ge::partition::partition_dynamic(graph, limit, transaction));
  try {
    transaction.commit();
  } catch (...) {
    PartitionTable::instance().release(handle);
    throw;
  }
  return handle;
}

std::uint64_t nodes_on_side(const Partition& partition, bool dynamic) {
  std::uint64_t count = 0;
  for (const auto& part : partition.parts) count += part.dynamic == dynamic ? part.nodes : 0;
  return count;
}

std::uint64_t nodes_with(const Partition& partition, ge::partition::Rule rule) {
  return static_cast<std::uint64_t>(std::count_if(partition.reasons.begin(), partition.reasons.end(),
                                                  [&](const auto& reason) { return reason.rule == rule; }));
}

}  // namespace

extern "C" {

int32_t ge_partition_slot_library_version(const char** text, uint64_t* text_size, ge_error* error) noexcept {
  return guarded(error, [&] { ge::abi::write_text(text, text_size, kVersion, "text"); });
}

int32_t ge_partition_slot_library_shutdown(ge_error* error) noexcept {
  return guarded(error, [] { is_shut_down.store(true); });
}

int32_t ge_partition_slot_bind_ir(ge_abi_getter ir_getter, ge_error* error) noexcept {
  return guarded(error, [&] { ir::bind(ir_getter); });
}

int32_t ge_partition_slot_partition_dynamic(uint64_t graph, const ge_partition_dynamic_options* options,
                                            uint64_t* partition, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    ge::abi::require(partition, "partition");
    const auto chosen = ge::abi::read_struct(options, "options");
    check_choices(chosen);
    *partition = split(graph, limit_of(chosen));
  });
}

int32_t ge_partition_slot_partition_flatten(uint64_t graph, uint64_t* calls, ge_error* error) noexcept {
  return guarded(error, [&] {
    require_running();
    ge::abi::require(calls, "calls");
    ge::partition::Transaction transaction(graph);
    const std::uint64_t inlined = ge::partition::flatten(graph);
    transaction.commit();
    *calls = inlined;
  });
}

int32_t ge_partition_slot_partition_info(uint64_t partition, ge_partition_info* info, ge_error* error) noexcept {
  return guarded(error, [&] {
    const auto found = PartitionTable::instance().get(partition);
    ge_partition_info result{};
    result.decision = static_cast<uint32_t>(found->decision);
    result.part_count = found->parts.size();
    result.node_count = found->names.size();
    result.static_nodes = nodes_on_side(*found, false);
    result.dynamic_nodes = nodes_on_side(*found, true);
    result.absorbed_nodes = nodes_with(*found, ge::partition::Rule::kAbsorbed);
    result.demoted_nodes = nodes_with(*found, ge::partition::Rule::kDemoted);
    result.crossing_values = found->crossing_values;
    result.limit = found->limit;
    result.steps = found->steps;
    ge::abi::write_struct(info, result, "info");
  });
}

int32_t ge_partition_slot_partition_part(uint64_t partition, uint64_t index, ge_partition_part* part,
                                         ge_error* error) noexcept {
  return guarded(error, [&] {
    const auto found = PartitionTable::instance().get(partition);
    const ge::partition::Part& chosen = at(found->parts, index, "part");
    ge_partition_part result{};
    result.kind = chosen.dynamic ? GE_PARTITION_KIND_DYNAMIC : GE_PARTITION_KIND_STATIC;
    result.nodes = chosen.nodes;
    result.call = chosen.call;
    result.graph = chosen.graph;
    result.name = bytes(chosen.name);
    result.name_size = chosen.name.size();
    result.reason = bytes(chosen.reason);
    result.reason_size = chosen.reason.size();
    ge::abi::write_struct(part, result, "part");
  });
}

int32_t ge_partition_slot_partition_find(uint64_t partition, const char* name, uint64_t name_size, uint64_t* index,
                                         ge_error* error) noexcept {
  return guarded(error, [&] {
    ge::abi::require(index, "index");
    const std::string_view wanted = ge::abi::text(name, name_size, "name");
    const auto found = PartitionTable::instance().get(partition);
    const std::uint64_t place = found->index.find(found->names, wanted);
    if (place == ge::partition::NameIndex::kMissing) {
      throw Failure(GE_STATUS_NOT_FOUND, "the graph had no node named '" + std::string(wanted) + "' before the split");
    }
    *index = place;
  });
}

int32_t ge_partition_slot_partition_reason(uint64_t partition, uint64_t index, ge_partition_reason* reason,
                                           ge_error* error) noexcept {
  return guarded(error, [&] {
    const auto found = PartitionTable::instance().get(partition);
    const std::string_view text = words_of(at(found->reasons, index, "node"));
    ge_partition_reason result{};
    result.rule = static_cast<uint32_t>(found->reasons[index].rule);
    result.part = found->part_of[index];
    result.name = bytes(found->names[index]);
    result.name_size = found->names[index].size();
    result.text = reinterpret_cast<const std::uint8_t*>(text.data());
    result.text_size = text.size();
    ge::abi::write_struct(reason, result, "reason");
  });
}

int32_t ge_partition_slot_partition_columns(uint64_t partition, uint32_t* rules, uint64_t rules_capacity,
                                            uint64_t* rules_count, int64_t* parts, uint64_t parts_capacity,
                                            uint64_t* parts_count, ge_error* error) noexcept {
  return guarded(error, [&] {
    const auto found = PartitionTable::instance().get(partition);
    ge::abi::Buffer<uint32_t> rule_column(rules, rules_capacity, rules_count, "rules");
    ge::abi::Buffer<int64_t> part_column(parts, parts_capacity, parts_count, "parts");
    ge::abi::announce(found->reasons.size(), rule_column, part_column);
    for (std::size_t i = 0; i < found->reasons.size(); ++i) {
      rule_column[i] = static_cast<uint32_t>(found->reasons[i].rule);
      part_column[i] = found->part_of[i];
    }
  });
}

int32_t ge_partition_slot_partition_release(uint64_t partition, ge_error* error) noexcept {
  return guarded(error, [&] { PartitionTable::instance().release(partition); });
}

GE_ABI_EXPORT int32_t ge_partition_get_api(void* table, uint64_t table_bytes, ge_error* error) noexcept {
  return ge_partition_fill(table, table_bytes, error);
}

}  // extern "C"
