// Bytes that a slot returns through a handle.
#pragma once

#include <cstdint>
#include <string>

#include "ge_ir/ref_table.h"

namespace ge_ir {

struct Blob {
  std::string bytes;
};

using BlobTable = RefTable<Blob, HandleType::kBlob>;
/// The process's blobs; never destroyed.
BlobTable& blobs() noexcept;
/// Registers bytes and returns their handle.
uint64_t make_blob(std::string bytes);

}  // namespace ge_ir
