// SPDX-License-Identifier: Apache-2.0
#include "base/host/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>

#include "base/diagnostic.h"
#include "base/text/utf8.h"

namespace podsim::base::host {
namespace {

bool reader_is_gone = false;

void write_to_stdout(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno != EPIPE) throw InputError("cannot write the result to stdout: " + std::generic_category().message(errno));
  reader_is_gone = true;
}

}  // namespace

void survive_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

int end_of_output(int code) {
  if (!reader_is_gone) return code;
  std::signal(SIGPIPE, SIG_DFL);
  return std::raise(SIGPIPE);
}

void print_result(std::string_view text) { write_to_stdout(text::printable(text)); }

void print_source(std::string_view text) { isatty(STDOUT_FILENO) == 1 ? print_result(text) : write_to_stdout(text); }

void print_warning(std::string_view text) { fmt::print(stderr, "warning: {}\n", text::printable(text)); }

}  // namespace podsim::base::host
