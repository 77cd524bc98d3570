#include "ge_ir/symbol.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "ge_ir/hash_index.h"

namespace ge_ir {
namespace {

constexpr uint32_t kSegmentBits = 12;
constexpr uint32_t kSegments = 1u << 16;
constexpr uint32_t kEmpty = 0xFFFFFFFF;

struct Entry {
  const char* data = nullptr;
  uint64_t size = 0;
  uint32_t hash = 0;
};

/// One generation of the hash table; superseded ones stay readable for ever (half the size each, so bounded).
struct Buckets {
  explicit Buckets(uint32_t size) : mask(size - 1), slots(new std::atomic<uint32_t>[size]) {
    for (uint32_t i = 0; i < size; ++i) slots[i].store(kEmpty, std::memory_order_relaxed);
  }
  uint32_t mask;
  std::unique_ptr<std::atomic<uint32_t>[]> slots;
};

class Symbols {
 public:
  Symbols() {
    generations_.reserve(32);
    generations_.emplace_back(new Buckets(1024));
    buckets_.store(generations_.back().get(), std::memory_order_release);
    insert({});
  }

  uint32_t find(std::string_view text, uint32_t hash) const noexcept {
    const Buckets& buckets = *buckets_.load(std::memory_order_acquire);
    for (uint32_t at = hash & buckets.mask;; at = (at + 1) & buckets.mask) {
      const uint32_t symbol = buckets.slots[at].load(std::memory_order_acquire);
      if (symbol == kEmpty) return kNoSymbol;
      const Entry& found = entry(symbol);
      if (found.hash == hash && std::string_view(found.data, found.size) == text) return symbol;
    }
  }

  uint32_t insert(std::string_view text) {
    const uint32_t hash = hash_text(text);
    std::lock_guard<std::mutex> lock(mutex_);
    const uint32_t known = find(text, hash);
    if (known != kNoSymbol) return known;
    const uint32_t symbol = count_.load(std::memory_order_relaxed);
    make_room(symbol);
    char* copy = store(text);
    Entry& fresh = segments_[symbol >> kSegmentBits].load(std::memory_order_relaxed)[symbol & kSegmentMask];
    fresh = {copy, text.size(), hash};
    count_.store(symbol + 1, std::memory_order_release);
    place(*generations_.back(), symbol, hash);
    return symbol;
  }

  uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  const Entry& entry(uint32_t symbol) const noexcept {
    return segments_[symbol >> kSegmentBits].load(std::memory_order_acquire)[symbol & kSegmentMask];
  }

 private:
  static constexpr uint32_t kSegmentMask = (1u << kSegmentBits) - 1;
  static constexpr size_t kArenaBytes = 1u << 16;

  void make_room(uint32_t symbol) {
    if ((symbol >> kSegmentBits) >= kSegments) throw std::bad_alloc();
    if ((symbol & kSegmentMask) == 0 && segments_[symbol >> kSegmentBits].load() == nullptr) {
      segments_[symbol >> kSegmentBits].store(new Entry[kSegmentMask + 1], std::memory_order_release);
    }
    const uint32_t size = generations_.back()->mask + 1;
    if (symbol < size / 2) return;
    generations_.reserve(generations_.size() + 1);
    std::unique_ptr<Buckets> grown(new Buckets(size * 2));
    for (uint32_t i = 0; i < symbol; ++i) place(*grown, i, entry(i).hash);
    buckets_.store(grown.get(), std::memory_order_release);
    generations_.push_back(std::move(grown));
  }

  /// Texts are packed into arenas that are never freed.
  char* store(std::string_view text) {
    if (text.size() > arena_left_) {
      const size_t bytes = text.size() > kArenaBytes ? text.size() : kArenaBytes;
      char* arena = static_cast<char*>(std::malloc(bytes));
      if (arena == nullptr) throw std::bad_alloc();
      arena_ = arena;
      arena_left_ = bytes;
    }
    char* copy = arena_;
    if (!text.empty()) std::memcpy(copy, text.data(), text.size());
    arena_ += text.size();
    arena_left_ -= text.size();
    return copy;
  }

  static void place(Buckets& buckets, uint32_t symbol, uint32_t hash) noexcept {
    uint32_t at = hash & buckets.mask;
    while (buckets.slots[at].load(std::memory_order_relaxed) != kEmpty) at = (at + 1) & buckets.mask;
    buckets.slots[at].store(symbol, std::memory_order_release);
  }

  std::atomic<Entry*> segments_[kSegments] = {};
  std::atomic<uint32_t> count_{0};
  std::atomic<Buckets*> buckets_{nullptr};
  std::vector<std::unique_ptr<Buckets>> generations_;
  char* arena_ = nullptr;
  size_t arena_left_ = 0;
  std::mutex mutex_;
};

Symbols& symbols() {
  static Symbols& table = *new Symbols;
  return table;
}

}  // namespace

uint32_t intern(std::string_view text) {
  const uint32_t known = symbols().find(text, hash_text(text));
  return known != kNoSymbol ? known : symbols().insert(text);
}

uint32_t find_symbol(std::string_view text) { return symbols().find(text, hash_text(text)); }

bool is_symbol(uint32_t symbol) { return symbol < symbols().count(); }

std::string_view symbol_text(uint32_t symbol) {
  const Entry& entry = symbols().entry(symbol);
  return {entry.data, entry.size};
}

uint64_t symbol_count() { return symbols().count() - 1; }

}  // namespace ge_ir
