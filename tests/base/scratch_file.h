// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace podsim::test {

/// The name of a file of this process, which is removed at the end; the constructor does not create the file.
class ScratchFile {
 public:
  /// `purpose` is part of its name.
  explicit ScratchFile(const std::string& purpose)
      : path_(std::filesystem::temp_directory_path() / ("podsim_" + purpose + "_" + std::to_string(getpid()))) {
    remove();
  }
  ~ScratchFile() { remove(); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::size_t size() const { return std::filesystem::file_size(path_); }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

 private:
  void remove() const { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

}  // namespace podsim::test
