#include "ge_ir/blob.h"

#include <memory>
#include <type_traits>
#include <utility>

namespace ge_ir {

BlobTable& blobs() noexcept {
  // Initialised by the compiler and never destroyed: usable before main() and while the process ends.
  static BlobTable table;
  static_assert(std::is_trivially_destructible_v<BlobTable>);
  return table;
}

uint64_t make_blob(std::string bytes) {
  std::unique_ptr<Blob> blob(new Blob{std::move(bytes)});
  const uint64_t handle = blobs().insert(blob.get());
  blob.release();
  return handle;
}

}  // namespace ge_ir
