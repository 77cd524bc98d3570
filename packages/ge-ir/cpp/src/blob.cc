#include "ge_ir/blob.h"

#include <memory>
#include <utility>

namespace ge_ir {

BlobTable& blobs() noexcept {
  static BlobTable& table = *new BlobTable;
  return table;
}

uint64_t make_blob(std::string bytes) {
  std::unique_ptr<Blob> blob(new Blob{std::move(bytes)});
  const uint64_t handle = blobs().insert(blob.get());
  blob.release();
  return handle;
}

}  // namespace ge_ir
