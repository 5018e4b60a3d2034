// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/host/process_output.h"
#include "studies/sweep/point_runners.h"

namespace podsim::studies::sweep {

/// What is said while command lines run.
struct CommandWatch {
  std::function<void(std::size_t position, const base::host::ProcessOutput& output)> ended;  ///< once for each
  std::function<void()> waited;  ///< at least every tenth of a second
};

/// Runs command lines, the words behind `podsim`, on all runners, one at a time on each. Those that compile to the same
/// program run in a row on one runner (plan/point_queue.h). One with a lost runner goes to another runner once; it has
/// failed if that one is lost as well. `limit_s` is that of PointTask. Returns false if it ended early, since `stop`
/// was set. Throws SimulationError when no runner is left.
bool run_commands(const std::vector<std::vector<std::string>>& commands, PointRunners& runners, std::int64_t limit_s,
                  const std::atomic<bool>& stop, const CommandWatch& watch);

}  // namespace podsim::studies::sweep
