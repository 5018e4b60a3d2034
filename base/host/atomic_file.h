// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string_view>

namespace podsim::base::host {

/// An output file that appears completely or not at all. It is written under a temporary name in the same folder and
/// renamed by commit(). Without commit() (after an error or an interruption) the destructor removes it.
class AtomicFile {
 public:
  /// InputError if the folder does not exist or cannot be written.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Publishes the file. InputError if something could not be written, such as on a full disk.
  void commit();

 private:
  void discard();

  std::filesystem::path path_, temporary_;
  std::ofstream stream_;
  bool open_ = true;
};

/// Writes a text as one file. InputError as above.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace podsim::base::host
