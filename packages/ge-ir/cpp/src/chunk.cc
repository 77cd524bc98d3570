#include "ge_ir/chunk.h"

#include <cstdlib>
#include <mutex>
#include <new>

namespace ge_ir {

std::atomic<ChunkPlace*> chunk_detail::first_level[chunk_detail::kFirstCount];

namespace {

// Chunks are taken and given back under this lock; resolving never takes it.
std::mutex directory_mutex;
Chunk* free_chunks = nullptr;
uint32_t next_chunk = 0;
std::atomic<uint64_t> nodes_in_use{0};

Chunk* make_chunk() {
  const uint32_t second = next_chunk >> chunk_detail::kSecondBits;
  // The very last chunk stays unused: its last node id is kNoNode.
  if (next_chunk + 1 >= (1u << (32 - kChunkBits))) throw std::bad_alloc();
  if (chunk_detail::first_level[second].load(std::memory_order_relaxed) == nullptr) {
    chunk_detail::first_level[second].store(new ChunkPlace[1u << chunk_detail::kSecondBits], std::memory_order_release);
  }
  Chunk* chunk = new Chunk;
  for (std::atomic<uint32_t>& state : chunk->states) state.store(1u << 1, std::memory_order_relaxed);
  chunk->id = next_chunk++;
  chunk_detail::place(chunk->id)->chunk.store(chunk, std::memory_order_release);
  return chunk;
}

Chunk* chunk_of(uint32_t id) noexcept {
  ChunkPlace* place = chunk_detail::place(id >> kChunkBits);
  return place == nullptr ? nullptr : place->chunk.load(std::memory_order_acquire);
}

}  // namespace

bool is_live_node(uint64_t handle) noexcept {
  if (handle_type(handle) != static_cast<uint8_t>(HandleType::kNode)) return false;
  Chunk* chunk = chunk_of(handle_index(handle));
  if (chunk == nullptr) return false;
  const uint32_t state = chunk->states[handle_index(handle) & (kChunkNodes - 1)].load(std::memory_order_acquire);
  return state == ((handle_generation(handle) << 1) | 1u);
}

Node* find_node(uint64_t handle) noexcept { return is_live_node(handle) ? &node_at(handle_index(handle)) : nullptr; }

Chunk* acquire_chunk() {
  Node* nodes = static_cast<Node*>(std::malloc(sizeof(Node) * kChunkNodes));
  if (nodes == nullptr) throw std::bad_alloc();
  std::lock_guard<std::mutex> lock(directory_mutex);
  Chunk* chunk = free_chunks;
  if (chunk != nullptr) {
    free_chunks = chunk->next;
  } else {
    try {
      chunk = make_chunk();
    } catch (...) {
      std::free(nodes);
      throw;
    }
  }
  chunk->next = nullptr;
  chunk_detail::place(chunk->id)->nodes.store(nodes, std::memory_order_release);
  return chunk;
}

void release_chunk(Chunk* chunk) noexcept {
  std::free(chunk_detail::place(chunk->id)->nodes.exchange(nullptr, std::memory_order_acq_rel));
  std::lock_guard<std::mutex> lock(directory_mutex);
  chunk->next = free_chunks;
  free_chunks = chunk;
}

bool is_usable(const Chunk& chunk, uint32_t offset) noexcept {
  return (chunk.states[offset].load(std::memory_order_relaxed) >> 1) != 0;
}

uint32_t start_node(uint32_t id) noexcept {
  std::atomic<uint32_t>& state = chunk_of(id)->states[id & (kChunkNodes - 1)];
  const uint32_t generation = state.load(std::memory_order_relaxed) >> 1;
  state.store((generation << 1) | 1u, std::memory_order_release);
  nodes_in_use.fetch_add(1, std::memory_order_relaxed);
  return generation;
}

void park_node(const Node& node) noexcept {
  chunk_of(node.id)->states[node.id & (kChunkNodes - 1)].store(node.generation << 1, std::memory_order_release);
}

void unpark_node(const Node& node) noexcept {
  chunk_of(node.id)->states[node.id & (kChunkNodes - 1)].store((node.generation << 1) | 1u, std::memory_order_release);
}

bool end_node(uint32_t id) noexcept {
  std::atomic<uint32_t>& state = chunk_of(id)->states[id & (kChunkNodes - 1)];
  const uint32_t generation = state.load(std::memory_order_relaxed) >> 1;
  // Generation 0 marks a place whose generations are used up: no handle has it and nobody takes it again.
  const uint32_t following = generation == kMaxGeneration ? 0 : generation + 1;
  state.store(following << 1, std::memory_order_release);
  nodes_in_use.fetch_sub(1, std::memory_order_relaxed);
  return following != 0;
}

uint64_t node_count() noexcept { return nodes_in_use.load(std::memory_order_relaxed); }

}  // namespace ge_ir
