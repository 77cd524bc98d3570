#include "ge_runtime/verified_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ge::runtime {
namespace {

// A file descriptor that closes itself.
class Descriptor {
 public:
  // O_NONBLOCK: opening a FIFO must not wait for a writer; the type is checked right after.
  explicit Descriptor(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    if (number_ >= 0) return;
    const int code = errno;
    if (code == ELOOP) throw FileError(path + ": is a symbolic link");
    throw FileError(path + ": " + std::strerror(code));
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

FileIdentity identity_of(const std::string& path, int descriptor) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) throw FileError(path + ": " + std::strerror(errno));
  if (!S_ISREG(info.st_mode)) throw FileError(path + ": is not a regular file");
  return {info.st_dev, info.st_ino, info.st_size,
          static_cast<std::int64_t>(info.st_ctim.tv_sec) * 1000000000 + info.st_ctim.tv_nsec};
}

void check_path(const std::string& path) {
  if (path.empty()) throw FileError("the path is empty");
  if (path.find('\0') != std::string::npos) throw FileError("the path contains a NUL byte");
}

}  // namespace

VerifiedFile VerifiedFile::read(const std::string& path, std::uint64_t limit) {
  check_path(path);
  const Descriptor descriptor(path);
  VerifiedFile file;
  file.identity = identity_of(path, descriptor.number());
  const auto size = static_cast<std::uint64_t>(file.identity.size);
  if (size > limit) {
    throw FileError(path + ": has " + std::to_string(size) + " bytes, at most " + std::to_string(limit) + " are read");
  }
  file.bytes.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(descriptor.number(), file.bytes.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError(path + ": " + std::strerror(errno));
    if (got == 0) throw FileError(path + ": became shorter while it was read");
    filled += static_cast<std::size_t>(got);
  }
  return file;
}

FileIdentity file_identity(const std::string& path) {
  check_path(path);
  const Descriptor descriptor(path);
  return identity_of(path, descriptor.number());
}

}  // namespace ge::runtime
