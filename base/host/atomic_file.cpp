// SPDX-License-Identifier: Apache-2.0
#include "base/host/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  std::string reason = error != 0 ? std::generic_category().message(error) : "the write failed";
  throw InputError(fmt::format("cannot write '{}': {}", path.string(), reason));
}

/// A name in the folder of the target, so that the rename stays within one file system, and with the process id, so
/// that two runs that write the same file do not collide.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.partial", path.filename().string(), getpid());
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), temporary_(temporary_name(path_)) {
  std::error_code ignored;
  if (path_.filename().empty() || std::filesystem::is_directory(path_, ignored)) cannot_write(path_, EISDIR);
  errno = 0;
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_) cannot_write(path_, errno);
}

AtomicFile::~AtomicFile() {
  if (open_) discard();
}

void AtomicFile::discard() {
  open_ = false;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  errno = 0;
  stream_.close();
  if (!stream_) {
    int error = errno;
    discard();
    cannot_write(path_, error);
  }
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) {
    discard();
    cannot_write(path_, error.value());
  }
  open_ = false;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.stream().write(text.data(), std::streamsize(text.size()));
  file.commit();
}

}  // namespace podsim::base::host
