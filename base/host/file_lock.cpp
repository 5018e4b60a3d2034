// SPDX-License-Identifier: Apache-2.0
#include "base/host/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

[[noreturn]] void cannot_lock(const std::filesystem::path& file) {
  throw InputError(fmt::format("cannot lock '{}': {}", file.string(), std::generic_category().message(errno)));
}

struct flock one_byte(short type, std::int64_t byte) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return range;
}

short lock_type(FileLock::Kind kind) { return kind == FileLock::Kind::shared ? F_RDLCK : F_WRLCK; }

}  // namespace

FileLock::FileLock(const std::filesystem::path& file)
    : file_(file), descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) cannot_lock(file);
}

FileLock::~FileLock() { close(descriptor_); }

int FileLock::try_lock(Kind kind, std::int64_t byte) {
  while (true) {
    struct flock range = one_byte(lock_type(kind), byte);
    if (fcntl(descriptor_, F_SETLK, &range) == 0) return 0;
    if (errno != EAGAIN && errno != EACCES) cannot_lock(file_);
    range = one_byte(lock_type(kind), byte);
    if (fcntl(descriptor_, F_GETLK, &range) != 0) cannot_lock(file_);
    if (range.l_type != F_UNLCK) return int(range.l_pid);  // otherwise it was released in the meantime
  }
}

void FileLock::lock(Kind kind, std::int64_t byte) {
  struct flock range = one_byte(lock_type(kind), byte);
  while (fcntl(descriptor_, F_SETLKW, &range) != 0) {
    if (errno != EINTR) cannot_lock(file_);
  }
}

void FileLock::unlock(std::int64_t byte) {
  struct flock range = one_byte(F_UNLCK, byte);
  if (fcntl(descriptor_, F_SETLK, &range) != 0) cannot_lock(file_);
}

}  // namespace podsim::base::host
