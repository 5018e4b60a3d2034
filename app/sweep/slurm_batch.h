// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "app/sweep/sweep.h"

namespace podsim::app::sweep {

/// The batch files that run a study as a SLURM array of jobs with a shared folder.
struct SlurmBatch {
  std::string name;               ///< name of the study
  std::string study;              ///< absolute path of a file, or the name of a shipped study
  std::filesystem::path folder;   ///< absolute
  std::filesystem::path program;  ///< absolute
  std::size_t tasks = 1;          ///< number of tasks in the array
  bool yes = false, rerun = false;
  std::int64_t timeout_s = 0;  ///< time limit of a point in seconds; 0: none

  std::filesystem::path array_file() const { return folder / (name + ".sbatch"); }
  std::filesystem::path finish_file() const { return folder / (name + "-finish.sbatch"); }
};

/// Script of the array. Task i of N runs part i of the points into a separate database, and merges it into the study's
/// at its end.
std::string array_script(const SlurmBatch& batch);
/// Script for after the array, however it ended: merges the databases of killed tasks, and runs the missing points.
std::string finish_script(const SlurmBatch& batch);

/// Checks the study, writes both files into its folder and prints the commands that submit them. `tasks` 0 means one
/// per 64 points.
void emit_slurm(const SweepOptions& options, std::size_t tasks);

}  // namespace podsim::app::sweep
