// SPDX-License-Identifier: Apache-2.0
#include "app/run_compare.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/command_line.h"
#include "app/standard_output.h"
#include "base/diagnostic.h"
#include "base/text_table.h"

namespace podsim::app {
namespace {

using Json = nlohmann::json;
using Align = base::TextTable::Align;

/// The command line with one sharding file instead of the two, and the result as JSON.
std::vector<std::string> words_with(const std::vector<std::string>& words, const std::string& file) {
  std::vector<std::string> result;
  std::size_t left = 2;  // of the two files
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

/// Runs this program with other words to its end; what it wrote to stdout comes back in `out`. Its exit code, 128 and
/// the signal where one ended it.
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

std::string change(double from, double to) {
  if (from == 0) return to == 0 ? "" : "new";
  return fmt::format("{:+.1f} %", 100 * (to / from - 1));
}

class ComparisonTable {
 public:
  explicit ComparisonTable(const std::vector<std::string>& files)
      : table_({Align::left, Align::right, Align::right, Align::right}) {
    table_.row({"", files[0], files[1], ""});
  }
  void row(const std::string& name, double a, double b, double scale, const char* unit) {
    table_.row(
        {name, fmt::format("{:.3f} {}", a * scale, unit), fmt::format("{:.3f} {}", b * scale, unit), change(a, b)});
  }
  std::string text() const { return table_.text(); }

 private:
  base::TextTable table_;
};

using Rows = std::map<std::pair<std::string, std::string>, std::array<double, 2>>;

/// A value of both runs' collectives by axes and kind.
Rows by_axis(const std::array<Json, 2>& runs, const char* key) {
  Rows rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Json& row : runs[i]["collectives_by_axis"]) rows[{row["axes"], row["kind"]}][i] = row[key];
  }
  return rows;
}

std::string comparison(const RunOptions& options, const std::array<Json, 2>& runs) {
  ComparisonTable table(options.compare);
  const auto both = [&](const char* name, const char* pointer, double scale, const char* unit) {
    const Json::json_pointer at(pointer);
    table.row(name, runs[0].at(at), runs[1].at(at), scale, unit);
  };
  both("step", "/step_time_s", 1e3, "ms");
  both("compute", "/breakdown_s/compute", 1e3, "ms");
  both("collectives", "/breakdown_s/collective", 1e3, "ms");
  for (const auto& [name, values] : by_axis(runs, "exposed_s")) {
    table.row(fmt::format("  {} along {}", name.second, name.first), values[0], values[1], 1e3, "ms");
  }
  for (const auto& [name, values] : by_axis(runs, "bytes_per_step")) {
    table.row(fmt::format("  bytes of {} along {}", name.second, name.first), values[0], values[1], 1e-6, "MB");
  }
  both("memory at the peak", "/memory/peak_bytes_per_core", 1.0 / double(1 << 30), "GiB");
  both("parameters", "/memory/parameter_bytes_per_core", 1.0 / double(1 << 30), "GiB");
  return fmt::format("{} on a {} slice of {}\n\n", options.workload, runs[0]["slice"].get<std::string>(),
                     runs[0]["machine"].get<std::string>()) +
         table.text();
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
    if (code != done) return code;
    runs[i] = Json::parse(out);
  }
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"schema_version", 1},
        {"command", "run --compare"},
        {"runs",
         {{{"sharding", options.compare[0]}, {"run", runs[0]}}, {{"sharding", options.compare[1]}, {"run", runs[1]}}}}};
    print_result(json.dump(2) + "\n");
  } else {
    print_result(comparison(options, runs));
  }
  return done;
}

}  // namespace podsim::app
