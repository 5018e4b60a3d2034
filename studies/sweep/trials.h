// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/host/process_output.h"
#include "studies/sweep/point_runners.h"

namespace podsim::studies::sweep {

/// What a command line gave.
struct Trial {
  bool done = false;
  nlohmann::ordered_json figures;  ///< its --json; null unless done
  int exit_code = 0;
  std::string error;  ///< the last lines of stderr, and the signal that ended it
};

/// What the process of a command line gave.
Trial trial_of(const base::host::ProcessOutput& output);

/// Runs command lines (command_run.h) and returns what each gave, by position. `ended` is called with the number of
/// those that have ended, again and again. Throws Interrupted if `stop` is set.
std::vector<Trial> run_trials(const std::vector<std::vector<std::string>>& commands, PointRunners& runners,
                              std::int64_t limit_s, const std::atomic<bool>& stop,
                              const std::function<void(std::size_t)>& ended);

}  // namespace podsim::studies::sweep
