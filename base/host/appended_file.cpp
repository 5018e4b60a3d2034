// SPDX-License-Identifier: Apache-2.0
#include "base/host/appended_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

[[noreturn]] void cannot_append(const std::filesystem::path& path, int error) {
  throw InputError(fmt::format("cannot write '{}': {}", path.string(), std::generic_category().message(error)));
}

}  // namespace

AppendedFile::AppendedFile(const std::filesystem::path& path)
    : path_(path), descriptor_(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {
  if (descriptor_ < 0) cannot_append(path_, errno);
}

AppendedFile::~AppendedFile() { close(descriptor_); }

void AppendedFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(std::size_t(written));
    } else if (errno != EINTR) {
      cannot_append(path_, errno);
    }
  }
}

}  // namespace podsim::base::host
