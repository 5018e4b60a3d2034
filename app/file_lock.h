// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace podsim::app {

/// Locks on the bytes of one file, which need not be in it. They end with this process, however it ends, and processes
/// forked from it do not have them. The file stays. A process has one object for a file.
class FileLock {
 public:
  enum class Kind { shared, exclusive };

  /// Makes the file where there is none. InputError when it cannot be made or locked.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// The process that has the byte, where it cannot be had now; 0 when it was taken.
  int try_lock(Kind kind, std::int64_t byte);
  /// Waits for it.
  void lock(Kind kind, std::int64_t byte);
  void unlock(std::int64_t byte);

 private:
  std::filesystem::path file_;
  int descriptor_;
};

}  // namespace podsim::app
