// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_compare.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "sw/report/compare/figure_comparison.h"

namespace podsim::app::run {
namespace {

using Json = nlohmann::ordered_json;

/// The command line with `--sharding file --json` in place of --compare.
std::vector<std::string> words_with(const std::vector<std::string>& words, const std::string& file) {
  std::vector<std::string> result;
  std::size_t left = 2;  // files of --compare still to skip
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--compare=")) {
      --left;
    } else if (words[i] != "--compare") {
      if (words[i] != "--json") result.push_back(words[i]);
      continue;
    }
    for (; left > 0 && i + 1 < words.size() && !words[i + 1].starts_with("-"); --left) ++i;
  }
  result.insert(result.end(), {"--sharding", file, "--json"});
  return result;
}

/// Runs this program with the arguments `words` and appends its stdout to `out`. Returns its exit code, or 128 plus the
/// number of the signal that ended it.
int run_again(const std::vector<std::string>& words, std::string& out) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe to a second process");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw std::runtime_error("a second process does not start");
  }
  std::array<char, 65536> buffer{};
  for (ssize_t count = 0; (count = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    out.append(buffer.data(), std::size_t(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string comparison(const RunOptions& options, const std::array<Json, 2>& runs) {
  const std::array<std::string, 2> labels{options.compare[0], options.compare[1]};
  return fmt::format("{} on {} slice of {}\n\n", options.workload,
                     base::text::with_article(runs[0]["slice"].get<std::string>()),
                     runs[0]["machine"].get<std::string>()) +
         sw::report::compare::figures_text(labels, sw::report::compare::compare_figures(runs[0], runs[1])) + "\n" +
         sw::report::compare::collectives_text(labels, sw::report::compare::compare_collectives(runs[0], runs[1]));
}

}  // namespace

int compare_shardings(const RunOptions& options, const std::vector<std::string>& words) {
  if (!options.output.empty() || !options.vcd.empty()) {
    throw base::InputError("--compare runs twice: -o and --vcd are for files of one run",
                           "'--sharding' with one of the files");
  }
  std::array<Json, 2> runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::string out;
    const int code = run_again(words_with(words, options.compare[i]), out);
    if (code != base::host::done) return code;
    runs[i] = Json::parse(out);
  }
  if (options.json) {
    const Json json = {
        {"schema_version", 1},
        {"command", "run --compare"},
        {"runs",
         {{{"sharding", options.compare[0]}, {"run", runs[0]}}, {{"sharding", options.compare[1]}, {"run", runs[1]}}}}};
    base::host::print_result(base::text::json_text(json, 2) + "\n");
  } else {
    base::host::print_result(comparison(options, runs));
  }
  return base::host::done;
}

}  // namespace podsim::app::run
