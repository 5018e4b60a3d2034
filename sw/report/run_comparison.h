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
#include "sw/report/configuration_comparison.h"
#include "sw/report/figure_comparison.h"
#include "sw/report/op_comparison.h"

/// Two runs: what differs in what they were asked, what they took, and op by op where the time went.
namespace podsim::sw {

/// One of the two.
struct ComparedRun {
  std::string name;          ///< as it was given: a folder
  std::string program;       ///< "podsim 0.1.0"
  std::string build;         ///< of the program; empty: it did not say
  std::string command_line;  ///< that runs it again
  nlohmann::ordered_json stats;
  std::vector<base::ConfigEntry> machine;
  std::vector<TimedOp> ops;
  base::Time step_time;
  /// Of the step what no op takes.
  base::Time outside_ops() const;
};

/// `depth` as in op_scope.
ComparedRun compared_run(const RunFolder& folder, std::size_t depth);

struct RunComparison {
  std::array<ComparedRun, 2> runs;
  std::vector<SettingDifference> settings;  ///< that differ
  std::vector<MachineDifference> machine;   ///< that differ in value, however it is written: 8 Gb/s is 1 GB/s
  std::vector<FigureDifference> figures;
  std::vector<OpDifference> ops;
  std::vector<TimeDifference> by_category, by_phase, by_layer, by_bound;
  std::vector<CollectiveDifference> collectives;
  std::vector<std::string> warnings;

  base::Time difference() const { return runs[1].step_time - runs[0].step_time; }
  base::Time outside_ops() const { return runs[1].outside_ops() - runs[0].outside_ops(); }
  /// Same configuration, same figures, same ops.
  bool equal() const;
};

RunComparison compare_runs(ComparedRun a, ComparedRun b);

/// For people: tables, `most` rows at most of every list of ops and of layers, and what is left of it as a row. With
/// the last two rows the rows of the table of ops add up to the difference of the steps.
std::string comparison_text(const RunComparison& comparison, std::size_t most);
/// One JSON object with everything; times of ops in whole picoseconds.
std::string comparison_json(const RunComparison& comparison);
/// A line for every row of ops, then "outside the ops" and "step": the lines add up to the last, exactly.
std::string comparison_csv(const RunComparison& comparison);

}  // namespace podsim::sw
