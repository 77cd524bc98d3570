// Where nodes live. A node id is chunk * 16 + offset; a chunk belongs to one graph while in use. The generations of a
// chunk stay for ever, its node storage is freed with the graph. Resolving a handle takes no lock: two loads reach the
// chunk, a third compares {generation, live}.
#pragma once

#include <atomic>
#include <cstdint>

#include "ge_ir/node.h"

namespace ge_ir {

constexpr uint32_t kChunkBits = 4;
constexpr uint32_t kChunkNodes = 1u << kChunkBits;

/// The part of a chunk that outlives its graphs.
struct Chunk {
  std::atomic<uint32_t> states[kChunkNodes];  ///< generation << 1 | live
  uint32_t id = 0;
  Chunk* next = nullptr;  ///< in the free list, or next chunk of the graph
};

/// A place in the directory.
struct ChunkPlace {
  std::atomic<Node*> nodes{nullptr};
  std::atomic<Chunk*> chunk{nullptr};
};

namespace chunk_detail {
constexpr uint32_t kSecondBits = 14;
constexpr uint32_t kFirstCount = 1u << (32 - kChunkBits - kSecondBits);
extern std::atomic<ChunkPlace*> first_level[kFirstCount];

inline ChunkPlace* place(uint32_t chunk) noexcept {
  ChunkPlace* second = first_level[chunk >> kSecondBits].load(std::memory_order_acquire);
  return second == nullptr ? nullptr : second + (chunk & ((1u << kSecondBits) - 1));
}
}  // namespace chunk_detail

/// Storage of a node id that is known to be in use.
inline Node& node_at(uint32_t id) noexcept {
  return chunk_detail::place(id >> kChunkBits)->nodes.load(std::memory_order_relaxed)[id & (kChunkNodes - 1)];
}

/// The live node of a handle of type NODE, or null. Any thread may ask; using the node is for its graph's thread.
Node* find_node(uint64_t handle) noexcept;
/// Whether a handle is a live node; touches no node storage. Any thread.
bool is_live_node(uint64_t handle) noexcept;

/// Takes a chunk with fresh node storage. Throws std::bad_alloc.
Chunk* acquire_chunk();
/// Frees the storage and keeps the chunk for the next graph. Every node in it must have been ended.
void release_chunk(Chunk* chunk) noexcept;

/// Whether a place of a chunk can still be used (its generations are not used up).
bool is_usable(const Chunk& chunk, uint32_t offset) noexcept;
/// Makes the id live and returns its generation.
uint32_t start_node(uint32_t id) noexcept;
/// Makes a node's handle stale for the time being.
void park_node(const Node& node) noexcept;
/// Undoes park_node.
void unpark_node(const Node& node) noexcept;
/// Ends the handle for good; returns whether the id may be used again.
bool end_node(uint32_t id) noexcept;

/// Live and parked nodes of the process.
uint64_t node_count() noexcept;

}  // namespace ge_ir
