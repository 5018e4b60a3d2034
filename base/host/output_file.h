// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <string_view>

#include "base/host/descriptor_buffer.h"

namespace podsim::base::host {

/// An output of the program, under the path that a user gave. All files are written by this class, apart from those
/// that grow during a run or that several processes share: appended_file.h, record_log.h, file_lock.h, and SQLite's
/// databases (studies/store).
///
/// A regular file, or one that does not exist yet, appears completely or not at all: it is written under a temporary
/// name in the same folder, and commit() makes it durable and renames it. Without commit() (after an error or an
/// interruption) the destructor removes it. The file of a process that was killed is removed by the next process that
/// writes to its folder. A symbolic link stays, and its target is replaced as described.
///
/// Anything else (a device, a pipe, a socket; /dev/stdout, /dev/stderr, /dev/fd/N, whatever they are) is written to as
/// it stands, opened by the first write.
class OutputFile {
 public:
  /// InputError if the folder does not exist, or the file cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Publishes the file. InputError with the reason if something could not be written, such as on a full disk.
  void commit();

 private:
  int open_stream() const;
  void open_temporary();
  [[noreturn]] void fail(int error);
  void close_descriptor();

  std::filesystem::path path_;       ///< as the user wrote it, for messages
  std::filesystem::path target_;     ///< what is replaced; empty if path_ is written to as it stands
  std::filesystem::path temporary_;  ///< empty when it has been renamed or removed
  int descriptor_ = -1;
  DescriptorBuffer buffer_;
  std::ostream stream_;
};

/// False for what OutputFile writes to as it stands, such as a device or a pipe: it has no companion files and cannot
/// be read again.
bool is_replaceable(const std::filesystem::path& path);

/// Writes a text as one file. InputError as above.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace podsim::base::host
