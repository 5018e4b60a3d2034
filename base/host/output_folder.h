// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace podsim::base::host {

/// The folder for results. It is created and tested before the work, so that results are not lost to a mistyped path.
/// If nothing was written to it in the end, the created folders are removed again.
class OutputFolder {
 public:
  /// InputError if the folder cannot be created or written to.
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

}  // namespace podsim::base::host
