#include "ge_runtime/selection_table.h"

#include "ge_abi.h"
#include "ge_abi_support.hpp"

namespace ge::runtime {
namespace {

using abi::Failure;

constexpr std::uint32_t kLastGeneration = 0xffffff;

std::uint64_t make_handle(std::uint32_t generation, std::uint32_t index) {
  return GE_HANDLE_MAKE(GE_HANDLE_TYPE_SELECTION, generation, index);
}

}  // namespace

SelectionTable& SelectionTable::instance() {
  static auto* table = new SelectionTable;  // never destroyed: handles may be released by exit handlers
  return *table;
}

SelectionTable::Slot& SelectionTable::find(std::uint64_t handle) {
  if (GE_HANDLE_TYPE(handle) != GE_HANDLE_TYPE_SELECTION) {
    throw Failure(GE_STATUS_WRONG_TYPE,
                  "the handle is not a selection (type " + std::to_string(GE_HANDLE_TYPE(handle)) + ")");
  }
  const std::uint32_t index = GE_HANDLE_INDEX(handle);
  const std::uint32_t generation = GE_HANDLE_GENERATION(handle);
  if (index >= slots_.size() || slots_[index].generation != generation || slots_[index].selection == nullptr) {
    throw Failure(GE_STATUS_STALE_HANDLE, "the selection behind the handle was released or never existed");
  }
  return slots_[index];
}

std::uint64_t SelectionTable::add(Selection selection) {
  auto owned = std::make_shared<const Selection>(std::move(selection));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (free_.empty()) {
    free_.reserve(slots_.size() + 1);  // release() must not fail for want of memory
    slots_.emplace_back();
    slots_.back().selection = std::move(owned);
    return make_handle(slots_.back().generation, static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  slots_[index].selection = std::move(owned);
  return make_handle(slots_[index].generation, index);
}

std::shared_ptr<const Selection> SelectionTable::get(std::uint64_t handle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return find(handle).selection;
}

void SelectionTable::release(std::uint64_t handle) {
  std::shared_ptr<const Selection> ended;  // freed after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  Slot& slot = find(handle);
  ended.swap(slot.selection);
  if (slot.generation == kLastGeneration) return;
  ++slot.generation;
  free_.push_back(GE_HANDLE_INDEX(handle));
}

}  // namespace ge::runtime
