// SPDX-License-Identifier: Apache-2.0
#include "report/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/config_listing.h"
#include "base/diagnostic.h"

namespace podsim::report::run {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::int64_t schema_version = 1;
constexpr double picoseconds = 1e12;

bool is_run_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "manifest.json", ignored) && fs::is_regular_file(folder / "ops.csv", ignored);
}

/// The names of the run folders in a folder, sorted.
std::vector<std::string> runs_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (is_run_folder(at->path())) names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

[[noreturn]] void reject_missing(const fs::path& folder) {
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : ".";
  const std::string nearest = base::closest(folder.filename().string(), runs_in(parent));
  throw base::InputError(
      fmt::format("there is no folder '{}'", folder.string()),
      nearest.empty() ? "" : fmt::format("did you mean '{}'?", (folder.parent_path() / nearest).string()));
}

[[noreturn]] void reject_file(const fs::path& file) {
  const bool inside = file.has_parent_path() && is_run_folder(file.parent_path());
  throw base::InputError(fmt::format("'{}' is a file, not a folder that 'podsim run -o' wrote", file.string()),
                         inside ? fmt::format("did you mean '{}'?", file.parent_path().string()) : "");
}

[[noreturn]] void reject_other(const fs::path& folder) {
  const std::vector<std::string> runs = runs_in(folder);
  throw base::InputError(
      fmt::format("'{}' is not a folder that 'podsim run -o' wrote: it has no manifest.json and ops.csv",
                  folder.string()),
      runs.empty() ? "" : fmt::format("there is a run in '{}'", (folder / runs.front()).string()));
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw base::InputError(fmt::format("cannot read '{}'", file.string()));
  return std::move(text).str();
}

std::int64_t whole_number(const Json& json, const char* key, const fs::path& file) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end() || !found->is_number_integer()) {
    throw base::InputError(fmt::format("'{}' has no number '{}'", file.string(), key));
  }
  return found->get<std::int64_t>();
}

void check_version(const Json& json, const fs::path& file) {
  const std::int64_t version = whole_number(json, "schema_version", file);
  if (version == schema_version) return;
  throw base::InputError(
      fmt::format("'{}' has schema_version {}, this podsim reads {}", file.string(), version, schema_version));
}

}  // namespace

nlohmann::ordered_json read_json(const fs::path& file) {
  const std::string text = read_file(file);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t offset = std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0);
    throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error, "this is not JSON, or only part of it",
                                            base::locate(file.string(), text, offset), ""});
  }
}

base::Time RunFolder::time_per_step(const validation::profile::ProfileOp& op) const {
  if (steps == 0) return base::Time(std::llround(op.self_time_s * picoseconds));
  return base::Time(std::llround(op.total_self_time_s * picoseconds / double(steps)));
}

std::int64_t RunFolder::executions(const validation::profile::ProfileOp& op) const {
  return steps == 0 ? 1 : op.occurrences / steps;
}

RunFolder read_run_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) reject_missing(folder);
  if (!fs::is_directory(folder, ignored)) reject_file(folder);
  if (!is_run_folder(folder)) reject_other(folder);
  RunFolder run;
  run.path = folder;
  run.manifest = read_json(folder / "manifest.json");
  check_version(run.manifest, folder / "manifest.json");
  const fs::path stats = folder / "stats.json", ops = folder / "ops.csv", machine = folder / "machine.toml";
  run.stats = read_json(stats);
  check_version(run.stats, stats);
  run.steps = std::max<std::int64_t>(0, whole_number(run.stats, "steps", stats));
  run.step_time = base::Time(whole_number(run.stats, "step_time_ps", stats));
  run.ops = validation::profile::read_profile(ops.string(), read_file(ops)).ops;
  run.machine = base::read_listing(machine.string(), read_file(machine));
  return run;
}

}  // namespace podsim::report::run
