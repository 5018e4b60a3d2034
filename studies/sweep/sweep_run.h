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

#include "studies/sweep/point_runners.h"
#include "studies/sweep/prepared_point.h"
#include "studies/sweep/search_points.h"
#include "studies/sweep/sweep_store.h"

namespace podsim::studies::sweep {

/// A failed point as the summary shows it.
struct FailedPoint {
  std::int64_t position = 0;
  int exit_code = 0;
  std::string error;  ///< last lines that it printed
};

/// Outcome of a sweep's points.
struct SweepOutcome {
  std::size_t done = 0;
  std::vector<FailedPoint> failed;  ///< by position
  std::int64_t op_hits = 0, op_misses = 0;
  double wall_s = 0;
  bool stopped = false;  ///< ended before every point was run
};

/// Runs points on all runners, one at a time on each, and stores each when it ends. A point with a lost runner goes to
/// another runner once; it has failed if that one is lost as well. Runs of training steps share the costs of ops in the
/// file `op_cache`. `limit_s` is that of PointTask. Ends early if `stop` is set. Throws SimulationError when no runner
/// is left.
SweepOutcome run_points(const plan::Study& study, const std::vector<const PreparedPoint*>& points,
                        const std::filesystem::path& op_cache, std::int64_t limit_s, PointRunners& runners,
                        SweepStore& store, const std::atomic<bool>& stop);

/// Runs the points that a search chooses, batch after batch, as run_points() does. The runners of one batch wait for
/// its last point before they begin the next one.
SweepOutcome run_search(const plan::Study& study, SearchPoints& search, const std::filesystem::path& op_cache,
                        std::int64_t limit_s, PointRunners& runners, SweepStore& store, const std::atomic<bool>& stop);

}  // namespace podsim::studies::sweep
