// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/child_process.h"

namespace podsim::workloads::nets {

namespace {

/// podsim_net() of include/podsim/net.h, and the form of its page.
using PageFunction = const char* (*)(int form, const char** problem);
constexpr int page_form = 1;

constexpr int refused = 3;

int refuse(const char* problem) {
  std::fputs(problem, stderr);
  std::fflush(stderr);
  return refused;
}

bool write_whole(int descriptor, const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = write(descriptor, text, left);
    if (written <= 0) return false;
    text += written;
    left -= std::size_t(written);
  }
  return true;
}

int write_page(const std::string& path) {
  const int out = dup(STDOUT_FILENO);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return refuse("no descriptor is left");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(dlerror());
  const auto function = reinterpret_cast<PageFunction>(dlsym(library, "podsim_net"));
  if (function == nullptr) return refuse("it has no podsim_net(), which PODSIM_NET of podsim/net.h defines");
  const char* problem = nullptr;
  const char* page = function(page_form, &problem);
  std::fflush(stdout);
  if (page == nullptr) return refuse(problem == nullptr ? "it writes no net" : problem);
  return write_whole(out, page) ? 0 : refuse("its net cannot be read");
}

}  // namespace

std::string page_of_library(const std::string& argument, const std::string& file) {
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  const base::host::ProcessOutput output = base::host::run_in_child([&] { return write_page(path); });
  if (output.exit_code == 0) return output.out;
  base::host::locate_errors(argument, file, [&] {
    std::string problem = output.error.empty() ? fmt::format("it ended with code {}", output.exit_code) : output.error;
    while (problem.ends_with('\n')) problem.pop_back();
    throw base::InputError(fmt::format("'{}' gives no net: {}", file, problem));
  });
  return "";  // not reached
}

}  // namespace podsim::workloads::nets
