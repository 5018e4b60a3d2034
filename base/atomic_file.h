// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string_view>

namespace podsim::base {

/// An output file that appears whole or not at all: written under a temporary name in the same folder and renamed by
/// commit(). Without commit() (an error, an interruption) the destructor removes what was written.
class AtomicFile {
 public:
  /// InputError when the folder does not exist or cannot be written.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// InputError when something could not be written, such as on a full disk.
  void commit();

 private:
  void discard();

  std::filesystem::path path_, temporary_;
  std::ofstream stream_;
  bool open_ = true;
};

/// A whole text as one file; InputError as above.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace podsim::base
