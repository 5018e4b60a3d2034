// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/point_runners.h"
#include "app/study_folder.h"

namespace CLI {
class App;
}

namespace podsim::app {

struct SweepOptions {
  std::string study;   ///< a file, or the name of a study that the program carries
  std::string output;  ///< folder; empty: the study's name
  std::optional<Shard> shard;
  std::int64_t timeout_s = 0;  ///< of a point; 0: none
  bool resume = false;
  bool rerun = false;  ///< what another build of the program has run
  bool dry_run = false;
  bool yes = false;
  bool json = false;
};

/// Declares the argument and the flags that say what is swept.
void add_sweep_flags(CLI::App& command, SweepOptions& options);

/// Those who run the points, once it is known how many points there are to run (at least one).
using MakeRunners = std::function<std::unique_ptr<PointRunners>(std::size_t points)>;

/// Runs the points of a study that are not done yet, or says which they are, and prints a summary; the exit code. All
/// that can be wrong with the study comes before anything is run or written.
int run_sweep(const SweepOptions& options, const MakeRunners& make_runners);

}  // namespace podsim::app
