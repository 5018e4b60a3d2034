// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// Modules that other compilers printed.
namespace podsim::hlo::text {

/// The complete modules, or those that are truncated; empty if there is no corpus.
inline std::vector<std::filesystem::path> corpus(bool truncated) {
  // This embedded module lacks its last brace.
  const std::set<std::string> cut{"latency_hiding_scheduler_test_L6082.hlo"};
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/hlo_corpus";
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".hlo") && !name.ends_with(".txt")) continue;
    if ((name.ends_with(".truncated.txt") || cut.contains(name)) == truncated) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace podsim::hlo::text
