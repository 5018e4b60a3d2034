// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/run/run_options.h"

namespace podsim::app::run {

/// Runs `podsim run ... --compare A B`: one run with each of the two sharding files, and a table of both. Each run has
/// a separate process, because a process can hold only one simulation. Returns the exit code of the first run that
/// fails, else 0.
int compare_shardings(const RunOptions& options, const std::vector<std::string>& words);

}  // namespace podsim::app::run
