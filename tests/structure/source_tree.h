// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace podsim::structure {

/// The folders of the program's sources from the bottom up, by layers and within each layer. A file may include files
/// of the same folder and of those before it.
const std::vector<std::string>& folders();

/// The layers, which are the top-level folders of those above, from the bottom up: "base", "noc", ...
const std::vector<std::string>& layers();

/// Every .h and .cpp of the layers, in the order of their paths, relative to the repository.
std::vector<std::filesystem::path> source_files();

/// Every .h and .cpp of the tests.
std::vector<std::filesystem::path> test_files();

std::string read_source(const std::filesystem::path& relative);

struct Include {
  int line;
  bool quoted;  ///< "..." rather than <...>
  std::string path;
};
std::vector<Include> includes_of(const std::string& source);

/// The fault of an include of a file, "" when there is none: the rule itself, apart from the tree it is applied to.
std::string include_fault(const std::filesystem::path& file, const Include& include);

/// The namespace of a folder: "podsim::hw::isa" for "hw/isa".
std::string namespace_of(const std::filesystem::path& folder);

/// The fault of a source whose code is in no namespace of its folder, "" when there is none. Namespaces inside that of
/// the folder are free, and so is main().
std::string namespace_fault(const std::filesystem::path& file, const std::string& source);

/// The types that a source defines for others to see, with their namespaces: "podsim::hw::Core".
std::vector<std::string> types_of(const std::string& source);

/// Most files that a folder may hold, itself and not below.
inline constexpr std::size_t max_files = 40;
/// The fault of a folder with `files` files, "" when there is none.
std::string size_fault(const std::filesystem::path& folder, std::size_t files);

}  // namespace podsim::structure
