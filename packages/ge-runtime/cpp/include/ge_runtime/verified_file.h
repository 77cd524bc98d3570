// Files read without following links, with the identity they had when they were checked.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ge::runtime {

// The file cannot be taken: missing, a link, not regular, too big, unreadable. what() has path and reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Device, inode, size and time of change: enough to notice that a file is no longer the one that was hashed.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileIdentity& other) const {
    return device == other.device && inode == other.inode && size == other.size && changed_ns == other.changed_ns;
  }
};

// A regular file and its bytes.
struct VerifiedFile {
  std::string bytes;
  FileIdentity identity;

  // Reads a regular file of at most `limit` bytes; a link in the last path step is refused.
  static VerifiedFile read(const std::string& path, std::uint64_t limit);
};

// Identity of the file at `path` now, without following a link; FileError if it is not a regular file.
FileIdentity file_identity(const std::string& path);

}  // namespace ge::runtime
