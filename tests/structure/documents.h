// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace podsim::structure {

/// Every Markdown document of the repository, relative to it.
std::vector<std::filesystem::path> documents();

struct NamedFile {
  int line;
  std::string name;  ///< may hold *
  bool link;         ///< [text](name), relative to the document, rather than `name`
};
/// The files of the repository that a document names: `hlo/graph.h`, `graph.h`, `workloads/machines/`, a link. Names
/// of a reader's own files (`step.hlo`, `study.toml`) are not among them.
std::vector<NamedFile> files_named_in(const std::string& document);

/// True if a file that a document names exists: relative to the root or to the document, or, for a bare name, anywhere
/// in the sources.
bool is_there(const std::filesystem::path& document, const NamedFile& named);

}  // namespace podsim::structure
