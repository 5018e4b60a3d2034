// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace podsim::app {

/// The folder that results go to. It is made, and tried, before the work, so that results are not lost to a mistyped
/// path; if nothing was written to it in the end, what was made is removed again.
class OutputFolder {
 public:
  /// InputError when the folder cannot be made or nothing can be written in it.
  explicit OutputFolder(const std::filesystem::path& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void make();
  void remove_if_empty();

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  ///< outermost first
};

}  // namespace podsim::app
