// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace podsim::structure {

/// The layers from the bottom up; a file may include its own layer and those before it.
const std::vector<std::string>& layers();

/// Every .h and .cpp of the layers, in the order of their paths, relative to the repository.
std::vector<std::filesystem::path> source_files();

std::string read_source(const std::filesystem::path& relative);

struct Include {
  int line;
  bool quoted;  ///< "..." rather than <...>
  std::string path;
};
std::vector<Include> includes_of(const std::string& source);

/// What is wrong with an include of a file, "" when nothing is: the rule itself, apart from the tree it is applied to.
std::string include_fault(const std::filesystem::path& file, const Include& include);

/// The types that a source defines for others to see, with their namespaces: "podsim::hw::Core".
std::vector<std::string> types_of(const std::string& source);

}  // namespace podsim::structure
