// SPDX-License-Identifier: Apache-2.0
#include "base/host/output_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/output_file.h"

namespace podsim::base::host {

OutputFolder::OutputFolder(const std::filesystem::path& path) : path_(path) {
  try {
    locate_errors("-o", path.string(), [&] {
      make();
      if (access(path_.c_str(), W_OK | X_OK) != 0) {
        throw InputError(
            fmt::format("cannot write into '{}': {}", path_.string(), std::generic_category().message(errno)));
      }
      OutputFile trial(path_ / "manifest.json");  // discarded; fails if nothing can be written
    });
  } catch (...) {
    remove_if_empty();
    throw;
  }
}

OutputFolder::~OutputFolder() { remove_if_empty(); }

void OutputFolder::make() {
  std::filesystem::path folder;
  for (const std::filesystem::path& part : path_) {
    folder /= part;
    std::error_code error;
    if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error)) {
      throw InputError(fmt::format("cannot make the output folder: '{}' is a file", folder.string()));
    }
    if (std::filesystem::create_directory(folder, error)) made_.push_back(folder);
    if (error) throw InputError(fmt::format("cannot make the output folder: {}", error.message()));
  }
}

/// Removing a folder that is not empty fails, as intended.
void OutputFolder::remove_if_empty() {
  std::error_code ignored;
  for (; !made_.empty(); made_.pop_back()) std::filesystem::remove(made_.back(), ignored);
}

}  // namespace podsim::base::host
