// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace podsim::sw::testing {

/// The name of a file of this process, which is removed at the end; the file itself is not there yet.
class CacheFile {
 public:
  CacheFile() : path_(std::filesystem::temp_directory_path() / ("podsim_ops_" + std::to_string(getpid()))) { remove(); }
  ~CacheFile() { remove(); }
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;

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

}  // namespace podsim::sw::testing
