// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/units.h"
#include "sw/profile/profile.h"

namespace podsim::sw {

/// What `podsim run -o DIR` left in a folder, read back.
struct RunFolder {
  std::filesystem::path path;
  nlohmann::ordered_json manifest;         ///< manifest.json: program, command_line, files
  nlohmann::ordered_json stats;            ///< stats.json, what run_stats printed
  std::vector<ProfileOp> ops;              ///< ops.csv: costliest first, counts and total times of all steps
  std::vector<base::ConfigEntry> machine;  ///< machine.toml: the resolved machine
  std::int64_t steps = 0;                  ///< that the ops are of; 0 of a run that was stopped in its first
  base::Time step_time;                    ///< of the last

  /// What an op takes in a step, exact: the table has all its digits. Of a run without a whole step, one occurrence.
  base::Time time_per_step(const ProfileOp& op) const;
  /// How often an op runs in a step; 1 of a run without a whole step.
  std::int64_t executions(const ProfileOp& op) const;
};

/// InputError: there is no such folder (with the nearest of its neighbours that is a run's), it is not one that a run
/// wrote, files of it are missing or damaged (with line and column), or were written by a podsim whose schema_version
/// is another.
RunFolder read_run_folder(const std::filesystem::path& folder);

}  // namespace podsim::sw
