// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/units.h"
#include "validation/profile/profile.h"

namespace podsim::report::run {

/// The contents of a folder that `podsim run -o DIR` wrote.
struct RunFolder {
  std::filesystem::path path;
  nlohmann::ordered_json manifest;  ///< manifest.json: program, command_line, files
  nlohmann::ordered_json stats;     ///< stats.json: the text of run_stats
  std::vector<validation::profile::ProfileOp>
      ops;                                 ///< ops.csv: costliest first, with counts and total times over all steps
  std::vector<base::ConfigEntry> machine;  ///< machine.toml: the resolved machine
  std::int64_t steps = 0;                  ///< number of steps that the ops cover; 0 if stopped in the first
  base::Time step_time;                    ///< of the last step

  /// The exact time of an op in a step, since the table has all digits. For a run without a whole step, the time of one
  /// occurrence.
  base::Time time_per_step(const validation::profile::ProfileOp& op) const;
  /// Number of executions of an op in a step; 1 for a run without a whole step.
  std::int64_t executions(const validation::profile::ProfileOp& op) const;
};

/// Throws base::InputError if there is no such folder (suggesting the nearest sibling that is a run's), if no run wrote
/// it, if files are missing or damaged (with line and column), or if they have another schema_version.
RunFolder read_run_folder(const std::filesystem::path& folder);

/// The JSON of a file. InputError, with line and column, if it cannot be read or is no JSON.
nlohmann::ordered_json read_json(const std::filesystem::path& file);

}  // namespace podsim::report::run
