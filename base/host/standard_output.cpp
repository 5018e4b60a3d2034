// SPDX-License-Identifier: Apache-2.0
#include "base/host/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/diagnostic.h"
#include "base/text/utf8.h"

namespace podsim::base::host {

void print_result(std::string_view text) {
  const std::string shown = isatty(STDOUT_FILENO) == 1 ? text::printable(text) : std::string(text);
  errno = 0;
  bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return;
  throw InputError("cannot write the result to stdout: " + std::generic_category().message(errno));
}

void print_warning(std::string_view text) { fmt::print(stderr, "warning: {}\n", text::printable(text)); }

}  // namespace podsim::base::host
