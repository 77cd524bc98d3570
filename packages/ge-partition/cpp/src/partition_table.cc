#include "ge_partition/partition_table.h"

#include "ge_abi.h"
#include "ge_abi_support.hpp"

namespace ge::partition {
namespace {

using abi::Failure;

constexpr std::uint32_t kLastGeneration = 0xffffff;

std::uint64_t make_handle(std::uint32_t generation, std::uint32_t index) {
  return GE_HANDLE_MAKE(GE_HANDLE_TYPE_PARTITION, generation, index);
}

}  // namespace

PartitionTable& PartitionTable::instance() {
  static auto* table = new PartitionTable;  // never destroyed: handles may be released by exit handlers
  return *table;
}

PartitionTable::Slot& PartitionTable::find(std::uint64_t handle) {
  if (GE_HANDLE_TYPE(handle) != GE_HANDLE_TYPE_PARTITION) {
    throw Failure(GE_STATUS_WRONG_TYPE,
                  "the handle is not a partition (type " + std::to_string(GE_HANDLE_TYPE(handle)) + ")");
  }
  const std::uint32_t index = GE_HANDLE_INDEX(handle);
  const std::uint32_t generation = GE_HANDLE_GENERATION(handle);
  if (index >= slots_.size() || slots_[index].generation != generation || slots_[index].partition == nullptr) {
    throw Failure(GE_STATUS_STALE_HANDLE, "the partition behind the handle was released or never existed");
  }
  return slots_[index];
}

std::uint64_t PartitionTable::add(Partition partition) {
  auto owned = std::make_shared<const Partition>(std::move(partition));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (free_.empty()) {
    // release() must not fail for want of memory
    if (free_.capacity() <= slots_.size()) free_.reserve(2 * slots_.size() + 1);
    slots_.emplace_back();
    slots_.back().partition = std::move(owned);
    return make_handle(slots_.back().generation, static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  slots_[index].partition = std::move(owned);
  return make_handle(slots_[index].generation, index);
}

std::shared_ptr<const Partition> PartitionTable::get(std::uint64_t handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find(handle).partition;
}

void PartitionTable::release(std::uint64_t handle) {
  std::shared_ptr<const Partition> ended;  // freed after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  Slot& slot = find(handle);
  ended.swap(slot.partition);
  if (slot.generation == kLastGeneration) return;
  ++slot.generation;
  free_.push_back(GE_HANDLE_INDEX(handle));
}

}  // namespace ge::partition
