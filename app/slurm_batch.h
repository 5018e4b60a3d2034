// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "app/sweep.h"

namespace podsim::app {

/// Batch files for SLURM with which a study is run by an array of jobs that share a folder.
struct SlurmBatch {
  std::string name;               ///< the study's
  std::string study;              ///< a file's absolute path, or the name of a study that the program carries
  std::filesystem::path folder;   ///< absolute
  std::filesystem::path program;  ///< absolute
  std::size_t tasks = 1;          ///< of the array
  bool yes = false, rerun = false;
  std::int64_t timeout_s = 0;  ///< of a point; 0: none

  std::filesystem::path array_file() const { return folder / (name + ".sbatch"); }
  std::filesystem::path finish_file() const { return folder / (name + "-finish.sbatch"); }
};

/// The array: task i of N runs the i-th part of the points into a database of its own, and puts it into that of the
/// study when it ends.
std::string array_script(const SlurmBatch& batch);
/// For when the array has ended, however: takes in what killed tasks have left, and runs what is missing.
std::string finish_script(const SlurmBatch& batch);

/// Checks the study, writes both files into its folder and prints how they are submitted. `tasks` 0: one for 64
/// points.
void emit_slurm(const SweepOptions& options, std::size_t tasks);

}  // namespace podsim::app
