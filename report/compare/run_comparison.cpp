// SPDX-License-Identifier: Apache-2.0
#include "report/compare/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text/json_text.h"

namespace podsim::report::compare {
namespace {

using Json = nlohmann::ordered_json;

/// A setting of a run in stats.json, other than those of the machine.
struct Setting {
  const char* key;
  const char* pointer;
};

constexpr std::array settings{
    Setting{"workload", "/workload"},
    Setting{"slice", "/slice"},
    Setting{"chips", "/chips"},
    Setting{"batch_per_core", "/batch_per_core"},
    Setting{"samples_per_step", "/samples_per_step"},
    Setting{"detail", "/detail"},
    Setting{"steps", "/steps"},
    Setting{"partial", "/partial"},
    Setting{"mesh", "/placement/text"},
    Setting{"sharding", "/sharding"},
    Setting{"rematerialised", "/rematerialised/policy"},
};

/// Flags whose effect is shown in the settings or the machine.
constexpr std::array<std::string_view, 10> shown_elsewhere{"--set",    "--machine", "--slice",    "--batch-per-core",
                                                           "--mesh",   "--steps",   "--sharding", "--rematerialise",
                                                           "--detail", "--json"};

/// The value of a setting as text; empty if it is missing or 0. Only the batch per core of a program without one is 0.
std::string text_at(const Json& stats, const char* pointer) {
  const Json::json_pointer at(pointer);
  if (!stats.contains(at) || stats.at(at) == 0) return "";
  const Json& value = stats.at(at);
  return value.is_string() ? value.get<std::string>() : base::text::json_text(value);
}

/// Splits a command line into words as a shell does. Quotes are single, as the program writes them.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, begun = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' && !quoted) {
      begun = false;
      continue;
    }
    if (!begun) words.emplace_back();
    begun = true;
    if (c == '\'') {
      quoted = !quoted;
    } else {
      words.back() += c == '\\' && !quoted && i + 1 < line.size() ? line[++i] : c;
    }
  }
  return words;
}

/// Flags of a command line and their values, except those in `shown_elsewhere`.
std::map<std::string, std::string> flags_of(const std::string& command_line) {
  std::map<std::string, std::string> flags;
  std::string* value = nullptr;
  for (const std::string& word : words_of(command_line)) {
    if (word.starts_with("--")) {
      const std::size_t equals = std::min(word.find('='), word.size());
      const std::string flag = word.substr(0, equals);
      value = std::ranges::find(shown_elsewhere, flag) == shown_elsewhere.end() ? &flags[flag] : nullptr;
      if (value != nullptr) *value = equals < word.size() ? word.substr(equals + 1) : "given";
    } else if (value != nullptr) {
      *value = *value == "given" ? word : *value + " " + word;
    }
  }
  return flags;
}

void add_flags(const ComparedRun& a, const ComparedRun& b, std::vector<SettingDifference>& rows) {
  const std::map<std::string, std::string> of_a = flags_of(a.command_line), of_b = flags_of(b.command_line);
  std::map<std::string, SettingDifference> flags;
  for (const auto& [flag, value] : of_a) flags[flag] = {flag, value, ""};
  for (const auto& [flag, value] : of_b)
    flags.try_emplace(flag, SettingDifference{flag, "", ""}).first->second.b = value;
  for (auto& [flag, row] : flags) {
    if (row.a != row.b) rows.push_back(std::move(row));
  }
}

std::vector<SettingDifference> compare_settings(const ComparedRun& a, const ComparedRun& b) {
  std::vector<SettingDifference> rows;
  if (a.program != b.program) rows.push_back({"program", a.program, b.program});
  if (a.build != b.build) rows.push_back({"build of the program", a.build, b.build});
  for (const Setting& setting : settings) {
    SettingDifference row{setting.key, text_at(a.stats, setting.pointer), text_at(b.stats, setting.pointer)};
    if (row.a != row.b) rows.push_back(std::move(row));
  }
  add_flags(a, b, rows);
  return rows;
}

std::vector<std::string> warnings_of(const ComparedRun& run, const char* label) {
  if (text_at(run.stats, "/partial") != "true") return {};
  return {fmt::format("{} was interrupted: its ops are those of the part that ran", label)};
}

bool same(const OpGroup& a, const OpGroup& b) {
  return a.time == b.time && a.executions == b.executions && a.flops == b.flops && a.bytes == b.bytes &&
         a.bound == b.bound;
}

bool same(const OpDifference& row) { return row.match == OpDifference::Match::same && same(*row.a, *row.b); }

}  // namespace

base::Time ComparedRun::outside_ops() const {
  base::Time time = step_time;
  for (const TimedOp& op : ops) time -= op.time;
  return time;
}

ComparedRun compared_run(const run::RunFolder& folder, std::size_t depth) {
  return {folder.path.string(),
          folder.manifest.value("program", ""),
          folder.manifest.value("build", ""),
          folder.manifest.value("command_line", ""),
          folder.stats,
          folder.machine,
          timed_ops(folder, depth),
          folder.step_time};
}

bool RunComparison::equal() const {
  return settings.empty() && machine.empty() && difference() == base::Time(0) &&
         std::ranges::all_of(figures, [](const FigureDifference& figure) { return figure.a == figure.b; }) &&
         std::ranges::all_of(ops, [](const OpDifference& row) { return same(row); });
}

RunComparison compare_runs(ComparedRun a, ComparedRun b) {
  RunComparison result;
  result.settings = compare_settings(a, b);
  result.machine = compare_machines(a.machine, b.machine);
  result.figures = compare_figures(a.stats, b.stats);
  result.ops = compare_ops(a.ops, b.ops);
  result.by_category = compare_by(a.ops, b.ops, [](const TimedOp& op) { return op.category; });
  result.by_phase = compare_by(a.ops, b.ops, [](const TimedOp& op) { return op.scope.phase; });
  result.by_layer = compare_by(a.ops, b.ops, [](const TimedOp& op) { return op.scope.layer; });
  result.by_bound = compare_by(a.ops, b.ops, [](const TimedOp& op) { return op.bound; });
  result.collectives = compare_collectives(a.stats, b.stats);
  for (const auto& [run, label] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    const std::vector<std::string> warnings = warnings_of(*run, label);
    result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  }
  result.runs = {std::move(a), std::move(b)};
  return result;
}

}  // namespace podsim::report::compare
