// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace podsim::base::host {

/// Locks on byte positions of one file, which may lie beyond its end. Locks end with this process, however it ends, and
/// are not inherited by processes forked from it. The file remains. A process must have only one object per file.
class FileLock {
 public:
  enum class Kind { shared, exclusive };

  /// Creates the file if it does not exist. InputError if it cannot be created or locked.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Tries to lock a byte. Returns 0 if it was locked, else the id of the process that holds it.
  int try_lock(Kind kind, std::int64_t byte);
  /// Waits until the byte is locked.
  void lock(Kind kind, std::int64_t byte);
  void unlock(std::int64_t byte);

 private:
  std::filesystem::path file_;
  int descriptor_;
};

}  // namespace podsim::base::host
