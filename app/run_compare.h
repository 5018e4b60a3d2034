// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/run_options.h"

namespace podsim::app {

/// `podsim run ... --compare A B`: the run with the sharding of either file, each in a process of its own because one
/// process holds one simulation, and a table of what they take. The exit code of the first run that fails, else 0.
int compare_shardings(const RunOptions& options, const std::vector<std::string>& words);

}  // namespace podsim::app
