// SPDX-License-Identifier: Apache-2.0
#include "base/host/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/diagnostic.h"

namespace podsim::base::host {

void print_result(std::string_view text) {
  errno = 0;
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return;
  throw InputError("cannot write the result to stdout: " + std::generic_category().message(errno));
}

}  // namespace podsim::base::host
