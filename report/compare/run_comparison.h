// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/units.h"
#include "report/compare/configuration_comparison.h"
#include "report/compare/figure_comparison.h"
#include "report/compare/op_comparison.h"

/// Compares two runs: their configurations, their figures, and their times op by op.
namespace podsim::report::compare {

/// One of the two runs.
struct ComparedRun {
  std::string name;          ///< the folder, as the user gave it
  std::string program;       ///< "podsim 0.1.0"
  std::string build;         ///< build of the program; empty if not recorded
  std::string command_line;  ///< command that repeats the run
  nlohmann::ordered_json stats;
  std::vector<base::ConfigEntry> machine;
  std::vector<TimedOp> ops;
  base::Time step_time;
  /// The part of the step that is in no op.
  base::Time outside_ops() const;
};

/// Reads a run for comparison. `depth` is that of op_scope.
ComparedRun compared_run(const run::RunFolder& folder, std::size_t depth);

struct RunComparison {
  std::array<ComparedRun, 2> runs;
  std::vector<SettingDifference> settings;  ///< settings that differ
  std::vector<MachineDifference> machine;   ///< keys whose values differ, as compare_machines finds them
  std::vector<FigureDifference> figures;
  std::vector<OpDifference> ops;
  std::vector<TimeDifference> by_category, by_phase, by_layer, by_bound;
  std::vector<CollectiveDifference> collectives;
  std::vector<std::string> warnings;

  base::Time difference() const { return runs[1].step_time - runs[0].step_time; }
  base::Time outside_ops() const { return runs[1].outside_ops() - runs[0].outside_ops(); }
  /// True if configuration, figures and ops are the same.
  bool equal() const;
};

RunComparison compare_runs(ComparedRun a, ComparedRun b);

/// Human-readable tables. Lists of ops and of layers have at most `most` rows, and one row for the rest. With its last
/// two rows, the table of ops adds up to the difference of the step times.
std::string comparison_text(const RunComparison& comparison, std::size_t most);
/// One JSON object with everything; times of ops are in whole picoseconds.
std::string comparison_json(const RunComparison& comparison);
/// CSV with a line for every row of ops, then "outside the ops" and "step": the other lines add up to the last,
/// exactly.
std::string comparison_csv(const RunComparison& comparison);

}  // namespace podsim::report::compare
