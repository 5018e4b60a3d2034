// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/documents.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

namespace fs = std::filesystem;

const fs::path repository = PODSIM_SOURCE_DIR;

/// Every file and folder of the repository except built and hidden ones.
const std::vector<std::string>& entries() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    for (auto entry = fs::recursive_directory_iterator(repository); entry != fs::recursive_directory_iterator();
         ++entry) {
      const std::string name = entry->path().filename().string();
      if (entry.depth() == 0 && (name == "build" || (name.starts_with('.') && name != ".ci"))) {
        entry.disable_recursion_pending();
        continue;
      }
      found.push_back(entry->path().lexically_relative(repository).string());
    }
    return found;
  }();
  return all;
}

std::regex pattern_of(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (c == '*') {
      pattern += "[^/]*";
    } else {
      if (std::string(".+()[]{}^$|?\\").find(c) != std::string::npos) pattern += '\\';
      pattern += c;
    }
  }
  return std::regex(pattern);
}

bool exists(const std::string& name) {
  if (name.find('*') == std::string::npos) return fs::exists(repository / name);
  const std::regex pattern = pattern_of(name);
  return std::ranges::any_of(entries(), [&](const std::string& entry) { return std::regex_match(entry, pattern); });
}

bool exists_somewhere(const std::string& bare) {
  const std::regex pattern = pattern_of(bare);
  return std::ranges::any_of(entries(), [&](const std::string& entry) {
    return std::regex_match(fs::path(entry).filename().string(), pattern);
  });
}

bool is_source_name(const std::string& name) {
  return name.ends_with(".h") || name.ends_with(".cpp") || name.ends_with(".*");
}

bool is_repository_path(const std::string& name) {
  static const std::set<std::string> others = {"bench",  "cmake", "docs",      "packaging",
                                               "python", "tests", "waveforms", ".ci"};
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return false;
  const std::string top = name.substr(0, slash);
  return others.contains(top) || std::ranges::find(layers(), top) != layers().end();
}

}  // namespace

std::vector<fs::path> documents() {
  std::vector<fs::path> found;
  for (const std::string& entry : entries()) {
    if (entry.ends_with(".md")) found.emplace_back(entry);
  }
  return found;
}

std::vector<NamedFile> files_named_in(const std::string& document) {
  static const std::regex named("`([\\w./*-]+)`|\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
  std::vector<NamedFile> files;
  std::istringstream in(document);
  int number = 0;
  bool listing = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) listing = !listing;
    if (listing) continue;
    for (std::sregex_iterator found(line.begin(), line.end(), named), end; found != end; ++found) {
      if ((*found)[2].matched) {
        files.push_back({number, (*found)[2], true});
      } else if (const std::string name = (*found)[1]; is_source_name(name) || is_repository_path(name)) {
        files.push_back({number, name, false});
      }
    }
  }
  return files;
}

bool is_there(const fs::path& document, const NamedFile& named) {
  const std::string beside = (document.parent_path() / named.name).lexically_normal().string();
  if (exists(beside)) return true;
  if (named.link) return false;
  return exists(named.name) || (named.name.find('/') == std::string::npos && exists_somewhere(named.name));
}

}  // namespace podsim::structure
