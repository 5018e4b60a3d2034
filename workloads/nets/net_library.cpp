// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/child_process.h"

namespace podsim::workloads::nets {

namespace {

/// podsim_net() of include/podsim/net.h, and the form of its page.
using PageFunction = const char* (*)(int form, const char** problem);
constexpr int page_form = 1;

constexpr int refused = 3;

/// False if not all of it can be written.
bool write_whole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(std::size_t(written));
  }
  return true;
}

/// Writes the page to `result`, or what is wrong.
int write_page(const std::string& path, int result) {
  const auto refuse = [&](const char* problem) {
    write_whole(result, problem);
    return refused;
  };
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(dlerror());
  const auto function = reinterpret_cast<PageFunction>(dlsym(library, "podsim_net"));
  if (function == nullptr) return refuse("it has no podsim_net(), which PODSIM_NET of podsim/net.h defines");
  const char* problem = nullptr;
  const char* page = function(page_form, &problem);
  std::fflush(stdout);
  if (page == nullptr) return refuse(problem == nullptr ? "it writes no net" : problem);
  return write_whole(result, page) ? 0 : refused;
}

}  // namespace

std::string page_of_library(const std::string& argument, const std::string& file) {
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  const base::host::ProcessOutput output =
      base::host::run_foreign_code([&](int result) { return write_page(path, result); });
  if (output.exit_code == 0) return output.out;
  base::host::locate_errors(argument, file, [&] {
    std::string problem = output.exit_code == refused ? output.out : output.error;
    if (problem.empty()) problem = fmt::format("it ended with code {}", output.exit_code);
    while (problem.ends_with('\n')) problem.pop_back();
    throw base::InputError(fmt::format("'{}' gives no net: {}", file, problem));
  });
  return "";  // not reached
}

}  // namespace podsim::workloads::nets
