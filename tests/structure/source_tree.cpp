// SPDX-License-Identifier: Apache-2.0
#include "source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace podsim::structure {
namespace {

const std::filesystem::path root = PODSIM_SOURCE_DIR;

/// The height of the layer a path begins with, or -1.
std::ptrdiff_t layer_of(const std::filesystem::path& path) {
  auto found = std::find(layers().begin(), layers().end(), path.begin()->string());
  return found == layers().end() ? -1 : found - layers().begin();
}

}  // namespace

const std::vector<std::string>& layers() {
  static const std::vector<std::string> all = {"base", "noc", "hw", "sw", "workloads", "app", "mpi"};
  return all;
}

std::vector<std::filesystem::path> source_files() {
  std::vector<std::filesystem::path> files;
  for (const std::string& layer : layers()) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / layer)) {
      std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cpp") files.push_back(entry.path().lexically_relative(root));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_source(const std::filesystem::path& relative) {
  std::ifstream file(root / relative);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Include> includes_of(const std::string& source) {
  static const std::regex pattern("^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"].*");
  std::vector<Include> includes;
  std::istringstream in(source);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    if (std::regex_match(line, match, pattern)) includes.push_back({number, match[1] == "\"", match[2]});
  }
  return includes;
}

std::string include_fault(const std::filesystem::path& file, const Include& include) {
  std::ptrdiff_t own = layer_of(file), included = layer_of(include.path);
  if (!include.quoted) return included < 0 ? "" : "includes its own project's \"" + include.path + "\" with <>";
  if (included < 0) return "includes \"" + include.path + "\", which is not written from the root";
  if (included > own) return "includes \"" + include.path + "\" of a layer above";
  return "";
}

std::vector<std::string> types_of(const std::string& source) {
  // As the formatter leaves it: nothing is indented in a namespace, and what begins at a line's begin is in no type.
  static const std::regex opening("namespace ?([\\w:]*) \\{"), closing("\\}  // namespace.*"),
      type("(?:struct|class|enum class) (\\w+)(?: final)?(?: : [^;]*)? ?\\{.*");
  std::vector<std::string> types, spaces;
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, opening)) {
      spaces.push_back(match[1]);
    } else if (std::regex_match(line, closing) && !spaces.empty()) {
      spaces.pop_back();
    } else if (std::ranges::find(spaces, "") == spaces.end() && std::regex_match(line, match, type)) {
      std::string name;
      for (const std::string& space : spaces) name += space + "::";
      types.push_back(name + match[1].str());
    }
  }
  return types;
}

}  // namespace podsim::structure
