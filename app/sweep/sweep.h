// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "studies/sweep/point_runners.h"
#include "studies/sweep/study_folder.h"

namespace CLI {
class App;
}

namespace podsim::app::sweep {

struct SweepOptions {
  std::string study;   ///< a file, or the name of a shipped study
  std::string output;  ///< folder; empty: the study's name
  std::optional<studies::sweep::Shard> shard;
  std::int64_t timeout_s = 0;  ///< time limit of a point in seconds; 0: none
  bool resume = false;
  bool rerun = false;  ///< run points again that another build of the program ran
  bool dry_run = false;
  bool yes = false;
  bool json = false;
};

/// Declares the study's argument and the flags that `sweep` and `podsim-mpi` share.
void add_sweep_flags(CLI::App& command, SweepOptions& options);

/// Makes the runners, given the number of points to run (at least one).
using MakeRunners = std::function<std::unique_ptr<studies::sweep::PointRunners>(std::size_t points)>;

/// Runs the points of a study that are not done yet, or with --dry-run lists all, prints a summary, and returns the
/// exit code. All errors of the study are found before anything is run or written.
int run_sweep(const SweepOptions& options, const MakeRunners& make_runners);

}  // namespace podsim::app::sweep
