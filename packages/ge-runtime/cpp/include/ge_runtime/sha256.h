// SHA-256 (FIPS 180-4), streaming: the artifact set's files are checked before they are mapped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ge::runtime {

// Digest of a byte stream. Feed with update(), then call hex() once.
class Sha256 {
 public:
  // Appends `size` bytes.
  void update(const void* data, std::size_t size);

  // Ends the stream; 64 lower-case hexadecimal digits.
  std::string hex();

 private:
  void block(const std::uint8_t* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                                      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace ge::runtime
