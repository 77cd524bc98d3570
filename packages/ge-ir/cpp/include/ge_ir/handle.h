// The 64-bit handle: type in the top 8 bits, generation in the next 24, index in the low 32.
#pragma once

#include <cstdint>

namespace ge_ir {

/// Type tags of the handles that this library gives out (values of ge_handle_type).
enum class HandleType : uint8_t { kNone = 0, kGraph = 1, kNode = 2, kTensor = 3, kBlob = 4 };

constexpr uint32_t kMaxGeneration = 0xFFFFFF;  ///< a slot that reached it is retired, never reused

/// Builds a handle from its parts.
constexpr uint64_t make_handle(HandleType type, uint32_t generation, uint32_t index) noexcept {
  return (static_cast<uint64_t>(type) << 56) | (static_cast<uint64_t>(generation & kMaxGeneration) << 32) | index;
}
/// Type tag of any 64-bit number; may be a value that no HandleType has.
constexpr uint8_t handle_type(uint64_t handle) noexcept { return static_cast<uint8_t>(handle >> 56); }
/// Generation part.
constexpr uint32_t handle_generation(uint64_t handle) noexcept {
  return static_cast<uint32_t>(handle >> 32) & kMaxGeneration;
}
/// Index part.
constexpr uint32_t handle_index(uint64_t handle) noexcept { return static_cast<uint32_t>(handle); }

/// Name of a type tag for messages.
const char* handle_type_name(uint8_t type) noexcept;

}  // namespace ge_ir
