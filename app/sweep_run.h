// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/point_runners.h"
#include "app/prepared_point.h"
#include "app/sweep_store.h"

namespace podsim::app {

/// A point that failed, as far as a summary tells of it.
struct FailedPoint {
  std::int64_t position = 0;
  int exit_code = 0;
  std::string error;  ///< last lines of what it printed
};

/// What became of the points that were to be run.
struct SweepOutcome {
  std::size_t done = 0;
  std::vector<FailedPoint> failed;  ///< by position
  std::int64_t op_hits = 0, op_misses = 0;
  double wall_s = 0;
  bool stopped = false;  ///< before every point was run
};

/// Runs points on all runners, a point at a time on each, and stores every one as it ends. A point whose runner is lost
/// goes to another runner, and has failed when that is lost as well. Runs of steps share what ops cost in `op_cache`.
/// `limit_s` is PointTask's. Ends early when `stop` is set. SimulationError when no runner is left.
SweepOutcome run_points(const workloads::Study& study, const std::vector<const PreparedPoint*>& points,
                        const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners,
                        SweepStore& store, const std::atomic<bool>& stop);

}  // namespace podsim::app
