// SPDX-License-Identifier: Apache-2.0
#include "workloads/python_program.h"

#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/child_process.h"
#include "base/host/exit_code.h"

namespace podsim::workloads {

namespace {

constexpr std::string_view extension = ".py:";
constexpr int not_started = 127;  // as shells have it

/// Where "FILE.py:FUNCTION" has its colon; npos for other words.
std::size_t colon_of(const std::string& workload) {
  const std::size_t at = workload.rfind(extension);
  return at == std::string::npos || at == 0 ? std::string::npos : at + extension.size() - 1;
}

/// The folder with the package podsim next to this program, or an empty path.
std::filesystem::path package_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path root = program.parent_path().parent_path();
  const std::array<std::filesystem::path, 2> candidates = {
      root.parent_path() / "python",        // of a checkout, whose program is in build/release
      root / "lib/python3/dist-packages"};  // of an installation, whose program is in bin
  for (const std::filesystem::path& folder : candidates) {
    if (std::filesystem::exists(folder / "podsim/build/__main__.py", error)) return folder;
  }
  return {};
}

/// Python puts the working folder in front of its path, where a podsim.py or json.py would be taken for the module. The
/// modules of podsim.build are those of FOLDER, or those that Python finds elsewhere; then the path is as it was.
constexpr std::string_view loader = R"(import sys
folder, result = sys.argv[1], int(sys.argv[2])
sys.path[:] = [place for place in sys.path if place]
found = list(sys.path)
sys.path[:0] = [folder] if folder else []
try:
    import podsim.build.__main__ as build
except ImportError as error:
    if not (error.name or "").startswith("podsim"):
        raise
    sys.exit(126)
sys.path[:] = found
sys.exit(build.write_to(result, sys.argv[3:]))
)";
constexpr int without_module = 126;

/// Becomes Python, which writes the program, or what is wrong with it, to the descriptor `result`.
int run_python(const std::string& python, const std::vector<std::string>& own, int result) {
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  std::vector<std::string> words = {python, "-c", std::string(loader), package_folder().string(),
                                    std::to_string(result)};
  words.insert(words.end(), own.begin(), own.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return not_started;
}

}  // namespace

bool is_python_program(const std::string& workload) { return colon_of(workload) != std::string::npos; }

std::string file_of_program(const std::string& workload) { return workload.substr(0, colon_of(workload)); }

std::string text_of_program(const std::string& argument, const std::string& workload, const ModelSettings& settings) {
  const char* named = std::getenv("PODSIM_PYTHON");
  const std::string python = named == nullptr || *named == '\0' ? "python3" : named;
  std::vector<std::string> words = {workload};
  for (const auto& [key, value] : settings) words.push_back(key.substr(key.find('.') + 1) + "=" + value);
  const base::host::ProcessOutput output =
      base::host::run_foreign_code([&](int result) { return run_python(python, words, result); });
  if (output.exit_code == 0) return output.out;
  base::host::locate_errors(argument, workload, [&] {
    if (output.exit_code == not_started) {
      throw base::InputError(fmt::format("'{}' cannot be run, which this workload needs", python),
                             "install Python 3.9 or later, or name one in $PODSIM_PYTHON");
    }
    if (output.exit_code == without_module) {
      throw base::InputError(fmt::format("{} has no module podsim.build", python),
                             "pip install ./python of a checkout, or add its folder python to $PYTHONPATH");
    }
  });
  std::string message = output.exit_code == base::host::bad_input ? output.out : output.error;
  while (message.ends_with('\n')) message.pop_back();
  throw base::InputError(message.empty() ? fmt::format("{} ended with code {}", workload, output.exit_code) : message);
}

}  // namespace podsim::workloads
